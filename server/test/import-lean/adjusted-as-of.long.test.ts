/**
 * Rows of the LEAN sample adjusted on request, against LEAN's own cumulative factors: as of a later
 * day, a day's factor is the quotient of LEAN's factors of the two days.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importLeanFolder } from '../../src/ingest/lean/import-folder.ts';
import { laterOf } from '../../src/request/literals.ts';
import { openTestService, type TestService } from '../harness.ts';
import { arrowPage } from '../read-arrow.ts';
import { companies } from './expected-lines.ts';
import { type LeanFactor, leanFactors } from './lean-factors.ts';

const root = fileURLToPath(new URL('../../../../shared/real-data/lean', import.meta.url));
const DAILY =
  '/v1/data/us-equity/eq-daily-ohlc?period=40Y&TradeDate.le=2025-06-01&limit=100000&response_format=arrow';
const COLUMNS = 'TradeDate,Ticker,ClosePrice,PriceAdjFactor,VolumeAdjFactor';
const DATES = 12;

type DailyRow = readonly [
  date: string,
  ticker: string,
  close: number,
  price: number,
  volume: number,
];

describe.skipIf(!existsSync(root))('the LEAN sample, adjusted as of a date', () => {
  let service: TestService;
  let folder: string;
  let dates: readonly string[];

  async function rowsOf(parameters: string): Promise<DailyRow[]> {
    const answer = await service.get(`${DAILY}&columns=${COLUMNS}&adjusted=true${parameters}`);
    expect(answer.statusCode, answer.body).toBe(200);
    return arrowPage(answer.rawPayload).rows as unknown as DailyRow[];
  }

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'ticklake-as-of-'));
    for (const piece of ['map_files', 'factor_files', 'daily']) {
      const place = path.join('equity/usa', piece);
      cpSync(path.join(root, place), path.join(folder, place), { recursive: true });
    }
    service = await openTestService();
    const { catalog, lake } = service.services;
    await importLeanFolder({
      ...{ directory: folder, catalog, lake, mode: 'replace', vendor: 'LEAN', maxBadRows: 0 },
      ...{ dropSuspicious: false, signal: new AbortController().signal, onStep: () => {} },
    });
    const days = (await rowsOf('&adjusted_as_of=1900-01-01')).map(([date]) => date);
    const different = [...new Set(days)].toSorted();
    // Most is adjusted as of the last one.
    dates = [different.at(-1) as string, ...fc.sample(fc.constantFrom(...different), DATES - 1)];
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  /** LEAN's factors of the company of a row, on its day and on another one. */
  function leanOn() {
    const factors = leanFactors(root);
    const companyOn = companies(root);
    const none = { price: 1, split: 1 };
    return (ticker: string, date: string, other: string): [LeanFactor, LeanFactor] => {
      const own = factors.get(companyOn(ticker, date)) ?? [];
      const at = (day: string) => own.find(({ lastDate }) => lastDate >= day) ?? none;
      return [at(date), at(other)] as [LeanFactor, LeanFactor];
    };
  }

  test('has the factors of LEAN up to that date', async () => {
    const factorsOf = leanOn();
    let adjustedCount = 0;
    for (const asOf of dates) {
      const rows = await rowsOf(`&adjusted_as_of=${asOf}`);
      expect(rows.length).toBeGreaterThan(50_000);
      for (const [date, ticker, , price, volume] of rows) {
        const [own, then] = factorsOf(ticker, date, laterOf(date, asOf));
        const where = `${ticker} ${date} as of ${asOf}`;
        const due = (own.price * own.split) / (then.price * then.split);
        expect(Math.abs(price / due - 1), where).toBeLessThan(1e-9);
        expect(Math.abs((volume * then.split) / own.split - 1), where).toBeLessThan(1e-9);
        if (price !== 1) adjustedCount += 1;
      }
    }
    expect(adjustedCount).toBeGreaterThan(1000);
  });

  test('has the split factors of LEAN alone, where that is asked', async () => {
    const factorsOf = leanOn();
    const rows = await rowsOf('&adjustments=splits');
    for (const [date, ticker, , price, volume] of rows) {
      const [{ split }] = factorsOf(ticker, date, date);
      expect(Math.abs(price / split - 1), `${ticker} ${date}`).toBeLessThan(1e-9);
      expect(volume).toBe(price);
    }
  });
});
