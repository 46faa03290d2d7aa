/**
 * Rows of the LEAN sample adjusted on request, against LEAN's own cumulative factors: as of a later
 * day, a day's factor is the quotient of LEAN's factors of the two days.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { laterOf } from '../../src/request/literals.ts';
import { openTestService, type TestService } from '../harness.ts';
import { arrowPage } from '../read-arrow.ts';
import { repetitions, sampledRuns } from '../repetitions.ts';
import { companies } from './expected-lines.ts';
import { type LeanFactor, leanFactors } from './lean-factors.ts';
import { importedSample, isSampleMissing, SAMPLE } from './sample-home.ts';

const DAILY =
  '/v1/data/us-equity/eq-daily-ohlc?period=40Y&TradeDate.le=2025-06-01&limit=100000&response_format=arrow';
const COLUMNS = 'TradeDate,Ticker,ClosePrice,PriceAdjFactor,VolumeAdjFactor';
const DATES = repetitions('TICKLAKE_AS_OF_DATES', sampledRuns(4));

type DailyRow = readonly [
  date: string,
  ticker: string,
  close: number,
  price: number,
  volume: number,
];

describe.skipIf(isSampleMissing)('the LEAN sample, adjusted as of a date', () => {
  let service: TestService;
  let dates: readonly string[];

  async function rowsOf(parameters: string): Promise<DailyRow[]> {
    const answer = await service.get(`${DAILY}&columns=${COLUMNS}&adjusted=true${parameters}`);
    expect(answer.statusCode, answer.body).toBe(200);
    return arrowPage(answer.rawPayload).rows as unknown as DailyRow[];
  }

  beforeAll(async () => {
    service = await openTestService({}, undefined, (await importedSample()).home);
    const days = (await rowsOf('&adjusted_as_of=1900-01-01')).map(([date]) => date);
    const different = [...new Set(days)].toSorted();
    // Most is adjusted as of the last one.
    dates = [different.at(-1) as string, ...fc.sample(fc.constantFrom(...different), DATES - 1)];
  });
  afterAll(() => service.close());

  /** LEAN's factors of the company of a row, on its day and on another one. */
  function leanOn() {
    const factors = leanFactors(SAMPLE);
    const companyOn = companies(SAMPLE);
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
