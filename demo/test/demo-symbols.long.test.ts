/** Symbols of the demo market: what is told of them agrees with its rows. */
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestService, type TestService } from '../../server/test/harness.ts';
import { publishBatches } from '../../server/test/publish-batches.ts';
import { checkTickers } from '../../server/test/symbology/symbols-agree.ts';
import { generateTables, SMALL_SIZE } from './generated-market.ts';

/** Before the day of the service's clock. */
const LAST_DAY = '2025-06-18';

/** Datasets read for facts about symbols; the first is the reference. */
const READ = ['eq_daily_ohlc', 'eq_secid_chains_lookup', 'eq_sec_master', 'eq_lookup_files'];

let service: TestService;

beforeAll(async () => {
  service = await openTestService();
  const { lake, catalog } = service.services;
  const size = { ...SMALL_SIZE, minuteDays: 1, tickDays: 1, quoteBarDays: 1, activity: 0.02 };
  const tables = generateTables(5, LAST_DAY, size, READ);
  for (const textId of READ) {
    const dataset = catalog.byTextId(textId) as Dataset;
    const batches = async function* () {
      yield* tables.get(textId)?.batches ?? [];
    };
    const options = { dataset, mode: 'replace-all' as const, vendor: 'Synthetic' };
    await publishBatches(lake, { ...options, batches: batches() });
  }
});
afterAll(() => service.close());

test('each ticker means the company of its daily rows, and one that was reused is told', async () => {
  const answer = await service.get(
    '/v1/data/us-equity-ref/eq-secid-chains-lookup?columns=ASID,Ticker&limit=10000',
  );
  const rows: { ASID: number; Ticker: string }[] = answer.json().data;
  const companies = Map.groupBy(rows, ({ Ticker }) => Ticker);
  const reused = [...companies].filter(([, own]) => new Set(own.map(({ ASID }) => ASID)).size > 1);
  expect(companies.size).toBeGreaterThan(20);
  expect(reused.length).toBeGreaterThan(0);
  const told = await checkTickers(service, [...companies.keys()]);
  expect(told).toEqual(reused.map(([ticker]) => ticker));
});

test('a search finds every company by its ticker and by its name', async () => {
  const answer = await service.get(
    '/v1/data/us-equity-ref/eq-sec-master?ListStatus=L&columns=SecId,Ticker,Name&limit=10000',
  );
  const rows: { SecId: number; Ticker: string[]; Name: string[] }[] = answer.json().data;
  for (const { SecId, Ticker, Name } of rows) {
    for (const text of [Ticker.at(-1), Name.at(-1)?.toLowerCase()]) {
      const url = `/v1/symbology/search?q=${encodeURIComponent(`${text}`)}`;
      const found = (await service.get(url)).json().securities;
      expect(
        found.map((each: { sec_id: number }) => each.sec_id),
        `${text}`,
      ).toContain(SecId);
    }
  }
});
