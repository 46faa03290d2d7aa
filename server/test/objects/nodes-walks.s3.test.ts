/**
 * Walks, files and sessions whose requests go to three servers in turn get, byte for byte, the
 * answers of a single server that has everything in its home.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandNow } from '../command-line/run-command.ts';
import {
  type Home,
  makeHome,
  type ServerProcess,
  startServer,
} from '../operation/server-process.ts';
import { sampledRuns } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { areSharedPlacesMissing } from './shared-places.ts';
import { ThreeNodes } from './three-nodes.ts';

const DAYS = ['2025-06-17', '2025-06-18', '2025-06-20'];
const TICKERS = ['AAA', 'BBB', 'CCC'];
const ROWS_OF_EACH = 300;
const FORMATS = ['json', 'csv', 'csv_gzip', 'arrow', 'parquet'];
const TICKS = '/v1/data/us-equity/eq-taq';
/** Headers that say what the answer is. */
const TELLING = ['content-type', 'x-dataset-version', 'x-window', 'etag', 'repr-digest'];

function ticks(): string {
  const rows = DAYS.flatMap((day) =>
    TICKERS.flatMap((ticker, t) =>
      Array.from({ length: ROWS_OF_EACH }, (_, at) => {
        const second = `${at % 60}`.padStart(2, '0');
        const minute = `${Math.floor(at / 60)}`.padStart(2, '0');
        // Many prices come often, so that orders by price have ties.
        return `${day},${ticker},${day}T10:${minute}:${second},${((at * 7919 + t) % 37) + 1}`;
      }),
    ),
  );
  return ['TradeDate,Ticker,EventDateTime,Price', ...rows, ''].join('\n');
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: Buffer;
  /** Path of the next page; null: there is none. */
  readonly next: string | null;
}

/** An answer without what says who gave it. */
async function answerOf(response: Response): Promise<Answer> {
  const { origin } = new URL(response.url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = /json/.test(response.headers.get('content-type') ?? '');
  const body = isText ? Buffer.from(bytes.toString().replaceAll(origin, '')) : bytes;
  const [, link] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  return {
    status: response.status,
    headers: Object.fromEntries(TELLING.map((name) => [name, response.headers.get(name)])),
    body,
    next: link === undefined ? null : link.replace(origin, ''),
  };
}

const pathOfTicks = fc
  .record({ day: fc.constantFrom(...DAYS), ticker: fc.constantFrom(...TICKERS) })
  .map(({ day, ticker }) => `${TICKS}/${day}/${ticker}`);
const filters = fc.constantFrom('', '&Price.gt=12', '&Price.in=3,5,8&EventDateTime.ge=2025-06-18');
const orders = fc.constantFrom(
  '',
  '&sort=Price',
  '&sort=-Price,EventDateTime',
  '&sort=-EventDateTime',
);
const columns = fc.constantFrom('', '&columns=Price,Ticker');
const walks = fc
  .record({
    path: pathOfTicks,
    format: fc.constantFrom(...FORMATS),
    limit: fc.integer({ min: 40, max: 150 }),
    filter: filters,
    order: orders,
    column: columns,
  })
  .map(
    ({ path, format, limit, filter, order, column }) =>
      `${path}?response_format=${format}&limit=${limit}${filter}${order}${column}`,
  );

interface Manifest {
  readonly files: readonly {
    readonly url: string;
    readonly sha256: string;
    readonly byte_count: number;
  }[];
}

describe.skipIf(areSharedPlacesMissing)('three servers, each request at another one', () => {
  let nodes: ThreeNodes;
  let home: Home;
  let embedded: ServerProcess;

  const load = async (path: string) => {
    const file = join(path, 'ticks.csv');
    writeFileSync(file, ticks());
    const { exitCode, stderr } = await runCommandNow(path, 'ingest', 'eq_taq', file);
    expect(exitCode, stderr).toBe(0);
  };

  beforeAll(async () => {
    home = await makeHome(50, 5);
    await load(home.path);
    embedded = await startServer(home);
    nodes = await ThreeNodes.start();
    await load(nodes.homes[1]?.path as string);
  });
  afterAll(async () => {
    embedded?.child.kill('SIGTERM');
    await embedded?.ended;
    home?.remove();
    await nodes?.stop();
  });

  const alone = async (path: string) =>
    answerOf(await fetch(`${embedded.url}${path}`, { headers: { 'x-api-key': embedded.key } }));

  it('answer walks of all formats and orders as one server alone does', async () => {
    let followed = 0;
    const property = fc.asyncProperty(
      walks,
      fc.array(fc.nat(2), { minLength: 12, maxLength: 12 }),
      async (first, places) => {
        let path: string | null = first;
        for (let at = 0; path !== null; at++) {
          const place = places[at % places.length] as number;
          const theirs: Answer = await answerOf(await nodes.fetch(place, path));
          const own = await alone(path);
          expect(theirs.status, theirs.body.toString()).toBe(200);
          expect(theirs).toEqual(own);
          path = theirs.next;
          if (path !== null) followed += 1;
        }
      },
    );
    await fc.assert(property, { numRuns: sampledRuns(60) });
    expectCameAcross({ 'a next page': followed });
  });

  it('know the tag of a page that another one has answered', async () => {
    const path = `${TICKS}/2025-06-18/AAA?limit=50&sort=Price`;
    const tag = (await nodes.fetch(0, path)).headers.get('etag') as string;
    for (const at of [0, 1, 2]) {
      const answer = await nodes.fetch(at, path, { headers: { 'if-none-match': tag } });
      expect(answer.status).toBe(304);
    }
  });

  it.each(['parquet', 'arrow', 'csv_gzip'])(
    'send the %s files of a manifest in ranges, each from another one',
    async (format) => {
      const path = `/v1/bulk/us-equity/eq-taq?response_format=${format}&Price.gt=5`;
      const { files } = JSON.parse(
        `${(await answerOf(await nodes.fetch(0, path))).body}`,
      ) as Manifest;
      const own = JSON.parse(`${(await alone(path)).body}`) as Manifest;
      expect(files.map(({ sha256 }) => sha256)).toEqual(own.files.map(({ sha256 }) => sha256));
      for (const { url, sha256, byte_count: byteCount } of files) {
        const { pathname } = new URL(url, nodes.servers[0]?.url);
        const digest = createHash('sha256');
        const step = Math.ceil(byteCount / 5);
        for (let start = 0, at = 1; start < byteCount; start += step, at++) {
          const { url: origin = '' } = nodes.servers[at % 3] ?? {};
          const range = `bytes=${start}-${Math.min(start + step, byteCount) - 1}`;
          // Links carry who asked: no key is sent along.
          const part = await fetch(`${origin}${pathname}`, {
            headers: { range, 'if-range': `"${sha256}"` },
          });
          expect(part.status).toBe(206);
          digest.update(Buffer.from(await part.arrayBuffer()));
        }
        expect(digest.digest('hex')).toBe(sha256);
      }
    },
  );

  it('publish the keys of the receipts that another one has signed', async () => {
    const folder = nodes.folder;
    for (const at of [0, 1, 2]) {
      const answer = await nodes.fetch(at, `${TICKS}/2025-06-18/BBB?limit=20&receipt=true`);
      const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const [head, page] = [join(folder, 'page.headers'), join(folder, 'page.json')];
      writeFileSync(head, `HTTP/1.1 200 OK\r\n${headers}\r\n`);
      writeFileSync(page, Buffer.from(await answer.arrayBuffer()));
      const keys = await nodes.fetch(at + 1, '/v1/receipts/keys');
      writeFileSync(join(folder, 'keys.json'), await keys.text());
      const words = ['receipt', 'verify', head, page, '--keys', join(folder, 'keys.json')];
      const { exitCode, stdout, stderr } = await runCommandNow(folder, ...words);
      expect(exitCode, stdout + stderr).toBe(0);
    }
  });

  it('know who signed in at another one, and that the session has ended there', async () => {
    const email = 'owner@example.com';
    const words = ['user', 'create', '--email', email, '--role', 'owner', '--json'];
    const made = await runCommandNow(nodes.homes[0]?.path as string, ...words);
    expect(made.exitCode, made.stderr).toBe(0);
    const { password } = JSON.parse(made.stdout) as { password: string };
    const ask = (at: number, path: string, headers: Record<string, string>, body?: object) => {
      const { url = '' } = nodes.servers[at] ?? {};
      const json = body && { body: JSON.stringify(body) };
      const all = { origin: url, 'content-type': 'application/json', ...headers };
      const method = body ? 'POST' : 'GET';
      return fetch(`${url}/v1/session${path}`, { method, headers: all, ...json });
    };
    const signedIn = await ask(0, '', {}, { email, password });
    expect(signedIn.status).toBe(200);
    const { csrf_token: token } = (await signedIn.json()) as { csrf_token: string };
    const cookie = `${signedIn.headers.get('set-cookie')}`.split(';')[0] as string;
    const personAt = async (at: number) =>
      ((await (await ask(at, '', { cookie })).json()) as { person: object | null }).person;
    for (const at of [0, 1, 2]) expect(await personAt(at)).toMatchObject({ email });
    const ended = await ask(2, '/end', { cookie, 'x-csrf-token': token }, {});
    expect(ended.status).toBe(200);
    for (const at of [0, 1, 2]) expect(await personAt(at)).toBeNull();
  });
});
