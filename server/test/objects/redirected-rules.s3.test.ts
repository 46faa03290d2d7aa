/**
 * Random rules over files served from object storage: however a file comes, it has exactly the rows
 * that the rules permit.
 */
import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { repetitions, sampledRuns } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { until } from '../until.ts';
import { writing } from '../writing.ts';
import { COPIED_BYTES_MIN, GROUP_ROWS, TICKERS, ticksOf } from './large-ticks.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const RUNS = repetitions('TICKLAKE_REDIRECTED_RULES_RUNS', sampledRuns(40));
const DAY = '2025-06-17';
const BULK = `/v1/bulk/us-equity/eq-taq?TradeDate=${DAY}`;

interface Rule {
  /** Numbers of tickers; none: all of them. */
  readonly tickers: readonly number[];
  readonly startDate: string;
  readonly endDate: string | null;
}

/** The file as a client gets it, that does not follow by itself. */
interface Fetched {
  readonly isRedirected: boolean;
  readonly bytes: Buffer;
}

const WINDOWS: readonly Pick<Rule, 'startDate' | 'endDate'>[] = [
  { startDate: '1900-01-01', endDate: null },
  { startDate: DAY, endDate: DAY },
  { startDate: '2025-06-18', endDate: null },
  { startDate: '1900-01-01', endDate: '2025-06-16' },
];

const RULE: fc.Arbitrary<Rule> = fc
  .record({
    tickers: fc.oneof(
      fc.constant([]),
      // From the first on, so that what is left may lie in the part as it is sent.
      fc.integer({ min: 1, max: TICKERS.length }).map((count) => [...Array(count).keys()]),
      fc.subarray([...TICKERS.keys()], { minLength: 1 }),
    ),
    window: fc.constantFrom(...WINDOWS),
  })
  .map(({ tickers, window }) => ({ tickers, ...window }));

/** Nine of ten tickers: large, but not whole. Few of the random rules make such a file. */
const LARGE_CUT: Rule[] = [
  { tickers: [...TICKERS.keys()].slice(0, -1), startDate: DAY, endDate: DAY },
];

const isOfDay = ({ startDate, endDate }: Rule) => startDate <= DAY && DAY <= (endDate ?? DAY);

/** The tickers that rules let through on the day. */
function permitted(rules: readonly Rule[]): string[] {
  const counting = rules.filter(isOfDay);
  const isAll = counting.some(({ tickers }) => tickers.length === 0);
  const numbers = new Set(counting.flatMap(({ tickers }) => tickers));
  return TICKERS.filter((_, number) => isAll || numbers.has(number));
}

describe.skipIf(objectStoreProblem() !== null)('files under any rules', () => {
  const folder = newFolder();
  let store: TestObjectStore;
  let service: TestService;
  let origin: string;
  let instance: DuckDBInstance;

  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:');
    store = await TestObjectStore.start();
    service = await openTestService({
      ...store.settings('redirects/rules'),
      fileSender: 'object-storage',
    });
    const count = TICKERS.length * GROUP_ROWS;
    await service.publish(
      'eq_taq',
      ticksOf(DAY, count, (row) => Math.floor(row / GROUP_ROWS)),
    );
    origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    // The server sends the file itself as long as the store is slow to copy it.
    const [file] = await filesUnder([{ tickers: [], startDate: DAY, endDate: null }]);
    await until(async () => (await fetchFile(file?.url ?? '')).isRedirected);
  });
  afterAll(async () => {
    instance.closeSync();
    folder.remove();
    await service.close();
    await store.stop();
  });

  async function keyUnder(rules: readonly Rule[]): Promise<string> {
    const { accountId, key } = await service.addAccount(`reader ${randomUUID()}`);
    const { datasetId } = service.dataset('eq_taq');
    for (const { tickers, ...window } of rules) {
      const universe = tickers.map((number) => TICKERS[number] as string);
      const rule = { accountId, datasetId, ...window, universe };
      await writing(service.services.store).rules.add(rule);
    }
    return key;
  }

  async function filesUnder(rules: readonly Rule[]) {
    // Links into the store are valid for a minute.
    service.clock.set(new Date().toISOString());
    const headers = { 'X-API-KEY': await keyUnder(rules) };
    const answer = await fetch(`${origin}${BULK}`, { headers });
    const { files = [] } = (await answer.json()) as { files?: { url: string; sha256: string }[] };
    return files;
  }

  async function fetchFile(url: string): Promise<Fetched> {
    const answer = await fetch(url, { redirect: 'manual' });
    const isRedirected = answer.status === 307;
    const sent = isRedirected ? await fetch(answer.headers.get('location') ?? '') : answer;
    expect(sent.status).toBe(200);
    return { isRedirected, bytes: Buffer.from(await sent.arrayBuffer()) };
  }

  /** Row counts by ticker, as another program reads the file. */
  async function countsOf(bytes: Buffer): Promise<[string, number][]> {
    const path = join(folder.path, 'file.parquet');
    writeFileSync(path, bytes);
    const connection = await instance.connect();
    const sql = `SELECT Ticker, count(*) FROM '${path}' GROUP BY ALL ORDER BY ALL`;
    const rows = (await connection.runAndReadAll(sql)).getRows();
    connection.closeSync();
    return rows.map(([ticker, count]) => [String(ticker), Number(count)]);
  }

  it('have the rows that these let through, and only whole ones come from the store', async () => {
    const seen = { redirected: 0, largeCut: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(RULE, { minLength: 1, maxLength: 3 }), async (rules) => {
        const files = await filesUnder(rules);
        const tickers = permitted(rules);
        expect(files).toHaveLength(tickers.length === 0 ? 0 : 1);
        for (const { url, sha256 } of files) {
          const { isRedirected, bytes } = await fetchFile(url);
          expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
          expect(await countsOf(bytes)).toEqual(tickers.map((ticker) => [ticker, GROUP_ROWS]));
          if (tickers.length < TICKERS.length) expect(isRedirected).toBe(false);
          const isAll = rules.some((rule) => isOfDay(rule) && rule.tickers.length === 0);
          if (isAll) expect(isRedirected).toBe(true);
          if (isRedirected) seen.redirected++;
          else if (bytes.length > COPIED_BYTES_MIN) seen.largeCut++;
        }
      }),
      { numRuns: RUNS, examples: [[LARGE_CUT]] },
    );
    expectCameAcross(seen);
  });
});
