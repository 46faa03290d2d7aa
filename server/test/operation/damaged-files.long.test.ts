/** Published files that somebody deletes, cuts off or overwrites under a running server. */
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openOperationListener } from '../../src/routes/operation-listener.ts';
import { eventually } from '../eventually.ts';
import { openTestService, type TestService, WITH_WORKERS } from '../harness.ts';
import { partFiles } from '../part-files.ts';
import { sampleOf } from '../repetitions.ts';

const DATES = ['2025-05-16', '2025-06-17', '2025-06-18'];
const BARS = '/v1/data/us-equity/eq-taq-1min/AAA';
const DAILY = '/v1/data/us-equity/eq-trades-1min?Ticker=AAA';
const REQUESTS: readonly [what: string, path: string][] = [
  ['a wide page', `${BARS}?offset=0`],
  ['a wide page of some rows', `${BARS}?OpenBidPrice.gt=1`],
  ['a narrow page', `${DAILY}`],
  ['the first page of a sorted walk', `${DAILY}&sort=-BarDateTime`],
  ['a later page of a sorted walk', `${DAILY}&sort=-BarDateTime&offset=1`],
  ['a page in CSV', `${DAILY}&response_format=csv`],
];

const DAMAGES: readonly [what: string, damage: (file: string) => void][] = [
  ['is missing', (file) => rmSync(file)],
  ['is cut off', (file) => truncateSync(file, 0)],
  ['is cut off', (file) => truncateSync(file, 100)],
  ['is cut off', (file) => truncateSync(file, statSync(file).size - 1)],
];

/** Overwrites a part of a file, which keeps its size: the rows, the footer or all of it. */
function overwrite(file: string, part: 'rows' | 'footer' | 'all'): void {
  const bytes = readFileSync(file);
  const endOfFooter = bytes.length - 8;
  const startOfFooter = endOfFooter - bytes.readUInt32LE(endOfFooter);
  const [start, end] = {
    rows: [4, startOfFooter],
    footer: [startOfFooter, endOfFooter],
    all: [0, bytes.length],
  }[part] as [number, number];
  writeFileSync(file, bytes.fill(0xab, start, end));
}

let service: TestService;
let url: string;
let lines: Record<string, unknown>[];

function rowsOf(textId: string): CellValue[][] {
  return DATES.map((date, at) =>
    service.dataset(textId).columns.map(({ name, dataType }) => {
      if (name === 'TradeDate') return date;
      if (dataType === 'date-time') return BigInt(Date.parse(`${date}T14:00:00Z`)) * 1_000_000n;
      return dataType === 'string' ? 'AAA' : 100 + at;
    }),
  );
}

beforeEach(async () => {
  lines = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  service = await openTestService({ ...WITH_WORKERS, logLevel: 'info', operationPort: 0 });
  for (const textId of ['eq_taq_1min', 'eq_trades_1min']) {
    await service.publish(textId, rowsOf(textId));
  }
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)));
    return true;
  });
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await service.close();
});

async function ask(path: string) {
  const answer = await fetch(url + path, { headers: { 'x-api-key': service.key } });
  return { status: answer.status, body: await answer.text() };
}

/** The file of the last month. */
async function lastFile(textId: string): Promise<string> {
  const { datasetId } = service.dataset(textId);
  return (await partFiles(service.services.lake, datasetId)).at(-1) as string;
}

describe.each(sampleOf(DAMAGES))('a published file that %s', (_what, damage) => {
  it.each(['before', 'after'])('is a 503 to whoever asks, damaged %s it was read', async (when) => {
    // A sorted walk that has been read has a file of its own.
    const read = REQUESTS.filter(([, path]) => when === 'after' && !path.includes('sort='));
    for (const [, path] of read) expect((await ask(`${path}&limit=8`)).status).toBe(200);
    const files = await Promise.all(['eq_taq_1min', 'eq_trades_1min'].map(lastFile));
    for (const file of files) damage(file);
    lines.length = 0;
    for (const [request, path] of REQUESTS) {
      // The page of another limit is kept.
      const answer = await ask(`${path}&limit=9`);
      expect(answer, request).toEqual({ status: 503, body: '{"detail":"Service unavailable"}' });
    }
    const errors = lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
    const [wide, narrow] = files.map((file) => `the file ${file} cannot be read`);
    expect(errors).toEqual([wide, wide, narrow, narrow, narrow, narrow]);
    expect((await ask(`${BARS}?TradeDate=2025-05-16`)).status).toBe(200);
  });
});

describe.each(sampleOf(['rows', 'footer', 'all'] as const))(
  'a published file that is overwritten (%s)',
  (part) => {
    it('is a 503 to whoever asks, and the log says which file it may be', async () => {
      for (const textId of ['eq_taq_1min', 'eq_trades_1min']) {
        overwrite(await lastFile(textId), part);
      }
      lines.length = 0;
      for (const [request, path] of REQUESTS) {
        const answer = await ask(path);
        expect(answer, request).toEqual({ status: 503, body: '{"detail":"Service unavailable"}' });
      }
      const errors = lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
      expect(errors).toHaveLength(REQUESTS.length);
      for (const error of errors) {
        expect(error).toMatch(
          /^(the file|one of the 2 files from \S+\.parquet to) \S+\.parquet cannot be read$/,
        );
      }
      lines.length = 0;
      const alone = `${DAILY}&TradeDate=2025-06-17`;
      expect((await ask(alone)).status).toBe(503);
      expect(lines.map(({ msg }) => msg)).toContain(
        `the file ${await lastFile('eq_trades_1min')} cannot be read`,
      );
      expect((await ask(`${BARS}?TradeDate=2025-05-16`)).status).toBe(200);
    });
  },
);

describe.each([DAMAGES[0]!, DAMAGES[3]!])('a published file that %s', (what, damage) => {
  it('shows within a minute in readiness, in the status of its dataset and by name to owners', async () => {
    const { lake } = service.services;
    const operation = await openOperationListener(service.services, () => 'ok');
    const ready = async () => (await fetch(`${operation!.url}/readyz`)).status;
    const { datasetId } = service.dataset('eq_trades_1min');
    const other = service.dataset('eq_taq_1min').datasetId;
    try {
      expect(await ready()).toBe(200);
      damage(await lastFile('eq_trades_1min'));
      vi.advanceTimersByTime(60_000);
      await eventually(async () =>
        expect((await lake.publicationStatus(datasetId)).state).toBe('failed'),
      );
      expect((await lake.publicationStatus(datasetId)).message).toMatch(
        new RegExp(`^the file lake/eq_trades_1min/.*parquet ${what}$`),
      );
      expect((await lake.publicationStatus(other)).state).toBe('published');
      expect(await ready()).toBe(503);
      await service.publish('eq_trades_1min', rowsOf('eq_trades_1min'));
      vi.advanceTimersByTime(60_000);
      await eventually(async () =>
        expect((await lake.publicationStatus(datasetId)).state).toBe('published'),
      );
      expect(await ready()).toBe(200);
    } finally {
      await operation!.close();
    }
  });
});

it('a file that only an earlier version has is a warning, and no reason to be unready', async () => {
  const { lake } = service.services;
  const operation = await openOperationListener(service.services, () => 'ok');
  const { datasetId } = service.dataset('eq_trades_1min');
  const earlier = await lastFile('eq_trades_1min');
  const metrics = async () => await (await fetch(`${operation!.url}/metrics`)).text();
  const storedBytes = async (versions: string) =>
    Number(
      new RegExp(`_stored_bytes{dataset="${datasetId}",versions="${versions}"} (\\d+)`).exec(
        await metrics(),
      )?.[1],
    );
  try {
    expect(await storedBytes('earlier')).toBe(0);
    const before = await storedBytes('current');
    await service.publish('eq_trades_1min', rowsOf('eq_trades_1min'));
    expect([await storedBytes('earlier'), await storedBytes('current')]).toEqual([before, before]);
    rmSync(earlier);
    vi.advanceTimersByTime(60_000);
    await eventually(async () =>
      expect(await metrics()).toMatch(/^ticklake_damaged_parts{versions="earlier"} 1$/m),
    );
    expect(await metrics()).toMatch(/^ticklake_damaged_parts{versions="current"} 0$/m);
    const ready = await fetch(`${operation!.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      lake: 'ok',
      problems: [],
      warnings: [
        expect.stringMatching(/^lake: of an earlier version, the file lake\/\S+ is missing$/),
      ],
    });
    expect(lake.damaged.current()).toBeNull();
    expect((await lake.publicationStatus(datasetId)).state).toBe('published');
  } finally {
    await operation!.close();
  }
});

it('a lake whose folder has gone is noticed as well', async () => {
  const { lake } = service.services;
  const folder = dirname(await lastFile('eq_trades_1min'));
  expect(readdirSync(folder)).not.toEqual([]);
  rmSync(folder, { recursive: true });
  vi.advanceTimersByTime(60_000);
  await eventually(() => expect(lake.damaged.current()).toMatch(/is missing$/));
});
