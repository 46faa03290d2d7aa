/**
 * Whatever a client writes, it reads a documented answer: never a 500, and never rows that a
 * condition it wrote should have kept out.
 */
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../harness.ts';
import { repetitions } from '../repetitions.ts';
import { openContractService } from './fixture.ts';

const RUNS = repetitions('TICKLAKE_FUZZ_RUNS', 400);
const DOCUMENTED = new Set([200, 403, 404, 414, 422]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  agent.destroy();
  await service.close();
});

/** Over a socket: the target arrives as it stands, where a client in memory would tidy it up. */
async function getTarget(target: string): Promise<{ status: number; body: string }> {
  const { port } = service.app.server.address() as AddressInfo;
  const headers = { 'x-api-key': service.key };
  return await new Promise((resolve, reject) => {
    request({ agent, port, path: target, headers }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: await text(answer) });
    })
      .on('error', reject)
      .end();
  });
}

const PATHS = [
  '/v1/data/us-equity/eq-taq/2025-06-18/AAA',
  '/v1/data/us-equity/eq-daily-ohlc',
  '/v1/data/us-equity/eq-trades-1min',
  '/v1/data/us-equity-ref/eq-sec-master',
  '/v1/data/us-equity-ref/eq-trading-halts',
  '/v1/data/us-futures/fut-trades-1min',
];

const HOSTILE = [
  "'",
  '"',
  "' OR 1=1 --",
  '"; DROP TABLE x; --',
  "') UNION SELECT * FROM read_text('/etc/passwd') --",
  '\\',
  '%',
  '%00',
  '%0a',
  '%ff%fe',
  '%zz',
  '%',
  '%c0%af',
  '%ed%a0%80',
  '\u0000',
  '\ud800',
  '😀',
  '+',
  '*',
  '$1',
  '$(x)',
  '{}',
  '[]',
  '..%2f..%2f',
  '9223372036854775808',
  '-9223372036854775809',
  '1e400',
  'NaN',
  'Infinity',
  '-0',
  '0x10',
  '2025-02-29',
  '2025-06-18',
  '9999-12-31',
  '2025-06-18T25:00:00',
  '2025-06-18T09:30:00.0000000001',
  '1'.repeat(400),
  'A'.repeat(3000),
  ',',
  ',,',
  '"unclosed',
  'null',
  'true',
];
const NAMES = [
  'Ticker',
  'TradeDate',
  'EventDateTime',
  'Price',
  'Quantity',
  'OpenPrice',
  'ASID',
  'SecId',
  'Name',
  'sort',
  'columns',
  'limit',
  'sample',
  'offset',
  'response_format',
  'adjusted',
  'aggregation_logic',
  'period',
  'Nope',
  '',
  'ticker',
  '__proto__',
  'constructor',
  'file_row_number',
  'rowid',
];
const OPERATORS = [
  '',
  '.eq',
  '.gt',
  '.ge',
  '.lt',
  '.le',
  '.in',
  '.like',
  '.ilike',
  '.neq',
  '.',
  '.eq.eq',
];

const anyPiece = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string(),
  fc.string({ unit: 'grapheme-composite' }),
  fc.integer().map(String),
  fc.constantFrom('json', 'csv', 'csv_gzip', 'Ticker', '-Price', '+TradeDate', 'AAA', '5Y', '10'),
);
const anyValue = fc.array(anyPiece, { maxLength: 3 }).map((pieces) => pieces.join(''));
/** Some are encoded properly, some are as raw as a request line can carry. */
const written = (text: string, isEncoded: boolean) =>
  isEncoded
    ? encodeURIComponent(text.toWellFormed())
    : text.replaceAll(/[^!$-~]/gu, (character) => encodeURIComponent(character.toWellFormed()));

const anyName = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: anyValue },
);
const anyParameter = fc
  .tuple(anyName, fc.constantFrom(...OPERATORS), anyValue, fc.boolean(), fc.boolean())
  .map(([name, operator, value, isEncoded, hasValue]) =>
    hasValue || value !== ''
      ? `${written(name + operator, isEncoded)}=${written(value, isEncoded)}`
      : written(name + operator, isEncoded),
  );
const anyQuery = fc.array(anyParameter, { maxLength: 5 }).map((parameters) => parameters.join('&'));

/** The root, a page for people; without a built console, plain text says so. */
const ROOT = /^(http:\/\/h\.example)?\/(\?|$)/;

/** Also that a `#`, and nothing else, is refused as such. */
async function expectDocumented(target: string): Promise<void> {
  const { status, body } = await getTarget(target);
  if (ROOT.test(target)) return expect([200, 404]).toContain(status);
  if (!DOCUMENTED.has(status)) expect(status, body).toBe(target.includes('#') ? 400 : 0);
  if (target.includes('#')) expect([400, 414]).toContain(status);
  if (status === 200) return;
  const { detail } = JSON.parse(body);
  if (status !== 422) {
    expect(detail).toBeTypeOf('string');
    return;
  }
  expect(detail.length).toBeGreaterThan(0);
  for (const problem of detail) {
    expect(Object.keys(problem).sort()).toEqual(['ctx', 'input', 'loc', 'msg', 'type']);
    expect(['path', 'query']).toContain(problem.loc[0]);
    expect(problem.msg).not.toBe('');
  }
}

describe('arbitrary requests', () => {
  it('get a documented answer whatever the query string holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), anyQuery, (path, query) =>
        expectDocumented(`${path}?${query}`),
      ),
      { numRuns: RUNS },
    );
  });

  it('get a documented answer whatever stands in the path', async () => {
    const anySegment = fc
      .tuple(anyValue, fc.boolean())
      .map(([value, isEncoded]) => written(value, isEncoded));
    await fc.assert(
      fc.asyncProperty(anySegment, anySegment, async (first, second) => {
        for (const url of [
          `/v1/data/us-equity/eq-taq/${first}/${second}`,
          `/v1/data/us-equity/eq-taq-1min/${first}`,
          `/v1/data/us-equity/${first}`,
          `/v1/data/${first}/${second}`,
          `/v1/meta/datasets/${first}/info`,
          `/${first}/v1/status`,
          `http://h.example/${second}`,
        ]) {
          await expectDocumented(url);
        }
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('never reach the engine as SQL: a hostile value only ever matches itself', async () => {
    for (const value of HOSTILE) {
      const query = `Ticker=${encodeURIComponent(value.toWellFormed())}`;
      const answer = await service.get(`/v1/data/us-equity/eq-daily-ohlc?${query}`);
      if (answer.statusCode === 200) expect(answer.json().data, value).toEqual([]);
      else expect(answer.statusCode, value).toBe(422);
    }
  });
});
