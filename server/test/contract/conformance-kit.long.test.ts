/** The public conformance kit: this server passes it, and servers that break a guarantee do not. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHECKS } from '../../../conformance/src/checks.ts';
import { runCommand as runKit } from '../../../conformance/src/command-line.ts';
import { csvOf, MARKET } from '../../../conformance/src/market.ts';
import { GUARANTEES, tryGuarantee } from '../../../conformance/src/run.ts';
import { select } from '../../../conformance/src/select.ts';
import { openServer } from '../../../conformance/src/server.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import { runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { brokenServers, throughProxy } from './broken-servers.ts';

liftTimeLimits();

const README = join(import.meta.dirname, '../../../conformance/README.md');
const folder = mkdtempSync(join(tmpdir(), 'ticklake-kit-'));
let service: TestService;
let url: string;
let env: { TICKLAKE_KEY: string; TICKLAKE_RESTRICTED_KEY: string };

/** The commands of the README, in a new home. */
async function makeHome(home: string): Promise<void> {
  mkdirSync(home);
  const lines = readFileSync(README, 'utf8').match(/^ticklake .*$/gm) ?? [];
  for (const line of lines) {
    const words = line.replaceAll(/(\w+)\.key|market\//g, `${folder}/$&`).split(' ');
    expect(await runCommand(home, ...words.slice(1)), line).toMatchObject({ exitCode: 0 });
  }
}

const keyIn = (name: string) => readFileSync(join(folder, `${name}.key`), 'utf8').trim();

beforeAll(async () => {
  const home = join(folder, 'home');
  await runKit(
    ['market', join(folder, 'market')],
    {},
    () => {},
    () => {},
  );
  await makeHome(home);
  env = { TICKLAKE_KEY: keyIn('first'), TICKLAKE_RESTRICTED_KEY: keyIn('restricted') };
  service = await openTestService({}, INSTALLED_ENGINE, home);
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** A minute later, so that the restricted key may ask again. */
function letMinutePass(): void {
  service.clock.set(new Date(service.clock.now() + 61_000).toISOString());
}

async function printed(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = env,
  fetching = fetch,
) {
  let output = '';
  let errors = '';
  const exitCode = await runKit(
    words,
    environment,
    (text) => {
      output += text;
    },
    (text) => {
      errors += text;
    },
    fetching,
  );
  return { exitCode, lines: output.trim().split('\n'), output, errors };
}

it('passes on this server, under both prefixes, and behind a proxy that changes nothing', async () => {
  for (const [prefix, fetching] of [
    ['', fetch],
    ['/api/v1/', throughProxy({ fails: [] })],
  ] as const) {
    letMinutePass();
    const { exitCode, lines } = await printed([`${url}${prefix}`], env, fetching);
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([
      `${GUARANTEES.length} passed, 0 failed, 0 skipped`,
    ]);
    expect(exitCode).toBe(0);
  }
});

it('has something to try for every guarantee', () => {
  const tried = GUARANTEES.filter(({ id, requests }) => requests.length > 0 || id in CHECKS);
  expect(tried).toEqual(GUARANTEES);
  expect(Object.keys(CHECKS).filter((id) => !GUARANTEES.some((each) => each.id === id))).toEqual(
    [],
  );
});

it('names the page of the documentation that has each guarantee', () => {
  const headingsOf = (page: string) =>
    readFileSync(join(README, '../../docs', page), 'utf8')
      .match(/^#+ .*$/gm)
      ?.map((line) => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'));
  for (const { id, clause } of GUARANTEES) {
    const [page = '', heading] = clause.split('#');
    if (heading) expect(headingsOf(page), id).toContain(heading);
  }
});

it.each(Object.keys(brokenServers('')))('finds out a server that %s', async (name) => {
  const broken = brokenServers(env.TICKLAKE_KEY)[name]!;
  letMinutePass();
  const server = openServer(
    new URL(url),
    { key: env.TICKLAKE_KEY, restrictedKey: env.TICKLAKE_RESTRICTED_KEY },
    throughProxy(broken),
  );
  for (const guarantee of GUARANTEES.filter(({ id }) => broken.fails.includes(id))) {
    expect(await tryGuarantee(server, guarantee)).toMatchObject({
      ...{ id: guarantee.id, state: 'failed', asked: expect.stringMatching(/^[A-Z]+ \//) },
    });
  }
});

it('says what was asked, expected and answered, and never the key', async () => {
  const fetching = throughProxy({
    fails: [],
    answers: (answered, { url: { search }, headers }) => {
      if (!search.startsWith('?Nope')) return;
      answered.status = 404;
      answered.body = Buffer.from(`Nothing for ${headers.get('x-api-key')}`);
    },
  });
  const { exitCode, output } = await printed([url, '--only', 'errors.c'], env, fetching);
  expect(exitCode).toBe(1);
  expect(output).toBe(`\
FAIL errors.columns: All unknown columns of a request are in one 422. (errors.md#types-of-a-422)
       asked: GET /v1/data/us-equity/eq-taq/2025-03-10/KTB?Nope=1&sort=-Neither&columns=Price,Nor
       expected: status 422
       came: 404 Nothing for (key)
ok   errors.choices: A choice that there is not is 422 with those that there are. (errors.md#types-of-a-422)
1 passed, 1 failed, 0 skipped
`);
});

/** Answers one request after the other, and those after the last as that one. */
function inTurn(...answers: readonly (Response | 'nothing')[]) {
  let askedCount = 0;
  const fetching = async () => {
    const answer = answers[Math.min(askedCount++, answers.length - 1)]!;
    if (answer === 'nothing') throw new DOMException('took too long', 'TimeoutError');
    return answer.clone();
  };
  return { fetching, askedCount: () => askedCount };
}

const KEY = 'first/key+of=9';
const RESTRICTED = `${KEY}-restricted`;
const JSON_TYPE = { 'content-type': 'application/json' };
const LINK = `<http://x/v1/next?a=${KEY}&b=${encodeURIComponent(RESTRICTED)}>; rel="next"`;

it.each([
  [
    'in the answer that another is compared with',
    'caching.tags',
    [
      new Response('', { headers: { etag: `"${KEY}"` } }),
      new Response(null, { status: 304 }),
      new Response(`1 ${RESTRICTED}`),
      new Response(`2 ${KEY} ${'a'.repeat(300)}`),
    ],
    ['offset=1 if-none-match "(key)"', `body: 2 (key) ${'a'.repeat(286)}…`, '1 (restricted key)'],
  ],
  [
    'where a long body is cut',
    'errors.columns',
    [new Response(`${'a'.repeat(290)}${KEY}`, { status: 500 })],
    ['columns=Price,Nor', 'status 422', `500 ${'a'.repeat(290)}(key)`],
  ],
  [
    'in the link to the next page',
    'paging.link',
    [
      new Response('{"data":[]}', { headers: { ...JSON_TYPE, link: LINK } }),
      new Response(`"${KEY.replace('/', '\\/').replace('+', '\\u002B')}"`, { status: 404 }),
    ],
    ['GET /v1/next?a=(key)&b=(restricted key)', 'status 200', '404 "(key)"'],
  ],
])('prints no key that a server sent back %s', async (_, check, answers, [asked, ...more]) => {
  const keys = { TICKLAKE_KEY: KEY, TICKLAKE_RESTRICTED_KEY: RESTRICTED };
  const words = ['http://x', '--only', check, '--json'];
  const { lines, output } = await printed(words, keys, inTurn(...answers).fetching);
  const [expected, came] = more;
  expect(JSON.parse(lines[0]!)).toMatchObject({
    asked: expect.stringContaining(asked!),
    ...{ state: 'failed', expected, came },
  });
  expect(output).not.toContain('first/');
});

it('skips what needs the restricted key without it', async () => {
  const { exitCode, lines } = await printed([url, env.TICKLAKE_KEY, '--only', 'access'], {});
  expect(lines.at(-1)).toBe('2 passed, 0 failed, 2 skipped');
  expect(exitCode).toBe(0);
});

it('prints lines of JSON for programs', async () => {
  const { lines } = await printed([url, '--only', 'status', '--json']);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...GUARANTEES[0], requests: undefined, state: 'passed' },
    { passed: 1, failed: 0, skipped: 0 },
  ]);
});

it('reports a server that does not answer', async () => {
  const { exitCode, output } = await printed(['http://127.0.0.1:9/v1', '--only', 'status']);
  expect(exitCode).toBe(1);
  expect(output).toContain('expected: an answer\n       came: fetch failed');
});

it.each([
  ['first request gets no answer', ['nothing'], 1],
  ['last two requests got no answer', [new Response('{}'), 'nothing'], 3],
] as const)('tries no more when the %s', async (_, answers, requests) => {
  const { fetching, askedCount } = inTurn(...answers);
  const words = ['http://x', '--only', 'errors', '--json'];
  const { exitCode, lines, errors } = await printed(words, env, fetching);
  expect([exitCode, askedCount()]).toEqual([1, requests]);
  expect(errors).toBe('ticklake-conformance: the server does not answer, so no more is tried\n');
  expect(JSON.parse(lines.at(-1)!)).toEqual({ passed: 0, failed: requests, skipped: 0 });
});

it('goes on after a single request without an answer', async () => {
  const other = new Response('{}');
  const { fetching } = inTurn(other, 'nothing', other, 'nothing', other);
  const { lines, errors } = await printed(['http://x', '--only', 'errors'], env, fetching);
  const count = GUARANTEES.filter(({ id }) => id.startsWith('errors')).length;
  expect(count).toBeGreaterThan(4);
  expect([lines.at(-1), errors]).toEqual([`0 passed, ${count} failed, 0 skipped`, '']);
});

it.each([
  [[], 'one URL is needed, and at most one key'],
  [['example.com'], 'the URL has to begin with http: or https:'],
  [['http://a b', 'key'], 'the URL is not valid'],
  [['http://x', '--nly'], "Unknown option '--nly'"],
  [['http://x', '--only', 'nothing'], 'no check begins with nothing'],
  [['market'], 'market needs a folder to write to'],
])('refuses %j in one line', async (words, message) => {
  const { exitCode, output, errors } = await printed(words);
  expect([exitCode, output]).toEqual([2, '']);
  expect(errors).toMatch(/^ticklake-conformance: .*\(--help explains\)\n$/);
  expect(errors).toContain(message);
});

it('needs a key', async () => {
  expect((await printed([url], {})).errors).toContain('there is no key: set TICKLAKE_KEY');
});

it('has published the digests of the rows of its market', async () => {
  const entries = MARKET.flatMap(({ columns, slices }) =>
    slices.map((path) => {
      const text = csvOf(Object.keys(columns), select(path).rows);
      return `  '${path}':\n    '${createHash('sha256').update(text).digest('hex')}',\n`;
    }),
  );
  const source = `/** SHA-256 of the CSV that each request for all rows of the market returns. */
export const DIGESTS: Readonly<Record<string, string>> = {\n${entries.join('')}};\n`;
  await expect(source).toMatchFileSnapshot('../../../conformance/src/digests.ts');
});
