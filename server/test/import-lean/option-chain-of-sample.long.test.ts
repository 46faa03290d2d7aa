/**
 * Option chains of real contracts: imported open interest, and closing quotes of minute bars as
 * ticks, against a plain reading of the LEAN sample's files. One day is a half day.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchOfRows, type CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { publishBatches } from '../publish-batches.ts';
import { importedSample, isSampleMissing, SAMPLE } from './sample-home.ts';
import { unzip } from './zip-file.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The end of stock trading by the day, in milliseconds since midnight. */
const CLOSES: Readonly<Record<string, number>> = {
  '2015-12-23': 16 * HOUR_MS,
  '2015-12-24': 13 * HOUR_MS,
};

interface Contract {
  readonly callPut: string;
  readonly strike: number;
  readonly expiration: string;
}

const keyOf = ({ expiration, strike, callPut }: Contract) => `${expiration} ${strike} ${callPut}`;

/** Such as `…_call_10000000_20151224.csv`, strikes in ten thousandths. */
function contractOf(member: string): Contract {
  const [, right, strike, day] = /_(call|put)_(\d+)_(\d{8})\.csv$/.exec(member) ?? [];
  const expiration = `${day?.slice(0, 4)}-${day?.slice(4, 6)}-${day?.slice(6)}`;
  return { callPut: right === 'call' ? 'C' : 'P', strike: Number(strike) / 10_000, expiration };
}

function linesOf(date: string, kind: string): [Contract, string[][]][] {
  const name = `${date.replaceAll('-', '')}_${kind}_american.zip`;
  const members = unzip(path.join(SAMPLE, 'option/usa/minute/goog', name));
  return [...members].map(([member, text]) => [
    contractOf(member),
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => line.trim().split(',')),
  ]);
}

interface Quote {
  readonly msOfDay: number;
  readonly side: 'B' | 'A';
  readonly price: number;
  readonly size: number;
}

/** The closing quotes of minute bars, a millisecond before the minute ends. */
function quotesOf(lines: readonly string[][]): Quote[] {
  return lines.flatMap((cells) => {
    const msOfDay = Number(cells[0]) + MINUTE_MS - 1;
    const side = (name: 'B' | 'A', at: number): Quote[] => {
      const [close, size] = [cells[at], cells[at + 1]];
      if (close === undefined || close === '') return [];
      return [{ msOfDay, side: name, price: Number(close) / 10_000, size: Number(size) }];
    };
    return [...side('B', 4), ...side('A', 9)];
  });
}

const momentOf = (date: string, msOfDay: number) =>
  BigInt(Date.parse(`${date}T05:00:00Z`) + msOfDay) * 1_000_000n;

function rowsOf(date: string): Record<string, CellValue>[] {
  return linesOf(date, 'quote').flatMap(([{ callPut, strike, expiration }, lines]) =>
    quotesOf(lines).map(({ msOfDay, side, price, size }) => ({
      ...{ TradeDate: date, Ticker: 'GOOG', CallPut: callPut, Strike: strike },
      ...{ ExpirationDate: expiration, EventDateTime: momentOf(date, msOfDay), Side: side },
      ...{ Action: 'FQ NB', Price: price, Quantity: BigInt(size) },
    })),
  );
}

describe.skipIf(isSampleMissing)('option chains of the LEAN sample', () => {
  let service: TestService;
  let origin: string;

  async function appendQuotes(date: string): Promise<void> {
    const dataset = service.dataset('opt_tanq');
    const rows = rowsOf(date).map((row) => dataset.columns.map(({ name }) => row[name] ?? null));
    const batches = async function* () {
      yield batchOfRows(dataset.columns, rows);
    };
    const options = { dataset, mode: 'append' as const, vendor: 'LEAN' };
    await publishBatches(service.services.lake, { ...options, batches: batches() });
  }

  beforeAll(async () => {
    service = await openTestService({}, undefined, (await importedSample()).home);
    for (const date of Object.keys(CLOSES)) await appendQuotes(date);
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service.app.server.address() as { port: number };
    origin = `http://127.0.0.1:${port}/v1/symbology/option-chain?underlying=GOOG`;
  });
  afterAll(() => service.close());

  // biome-ignore lint/suspicious/noExplicitAny: answers are held to their schemas elsewhere
  async function chainOf(query: string): Promise<any> {
    const answer = await fetch(`${origin}&${query}`, { headers: { 'x-api-key': service.key } });
    expect(answer.status).toBe(200);
    return await answer.json();
  }

  function expectedStates(date: string, isSeen: (msOfDay: number) => boolean) {
    const expected = new Map<string, (number | null)[]>();
    for (const [contract, [first]] of linesOf(date, 'openinterest')) {
      if (first && isSeen(Number(first[0]))) {
        expected.set(keyOf(contract), [null, null, null, null, Number(first[1])]);
      }
    }
    for (const [contract, lines] of linesOf(date, 'quote')) {
      const seen = quotesOf(lines).filter(({ msOfDay }) => isSeen(msOfDay));
      if (seen.length === 0) continue;
      const last = (side: string) => {
        const quote = seen.findLast((each) => each.side === side);
        // A quote without a price or a size is none.
        return quote && quote.price > 0 && quote.size > 0
          ? [quote.price, quote.size]
          : [null, null];
      };
      const open = expected.get(keyOf(contract))?.[4] ?? null;
      expected.set(keyOf(contract), [...last('B'), ...last('A'), open]);
    }
    return expected;
  }

  test.each([
    ...Object.entries(CLOSES).map(([date, close]) => [`date=${date}`, date, close - 1] as const),
    ['at=2015-12-24T11:00:00', '2015-12-24', 11 * HOUR_MS] as const,
    ['at=2015-12-24T09:30:59.999', '2015-12-24', 9.5 * HOUR_MS + MINUTE_MS - 1] as const,
    ['at=2015-12-24T08:00', '2015-12-24', 8 * HOUR_MS] as const,
  ])('for %s have the quotes and the open interest of every contract', async (query, date, end) => {
    const chain = await chainOf(query);
    const expected = expectedStates(date, (msOfDay) => msOfDay <= end);
    expect(chain.contract_count).toBe(expected.size);
    expect(expected.size).toBeGreaterThan(100);
    for (const view of chain.contracts) {
      const key = keyOf({
        callPut: view.call_put,
        strike: view.strike,
        expiration: view.expiration_date,
      });
      const { bid_price, bid_size, ask_price, ask_size, open_interest } = view;
      const told = [bid_price, bid_size, ask_price, ask_size, open_interest];
      expect([key, told]).toEqual([key, expected.get(key)]);
    }
  });

  test('are narrowed to an expiration and a range of strikes', async () => {
    const { contracts } = await chainOf('date=2015-12-24');
    const near = await chainOf('date=2015-12-24&expiration=2016-01-15&strike.ge=740&strike.le=760');
    const wanted = contracts.filter(
      ({ expiration_date: expiration, strike }: { expiration_date: string; strike: number }) =>
        expiration === '2016-01-15' && strike >= 740 && strike <= 760,
    );
    expect(near.contracts).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(5);
    const symbols = wanted.map((view: { osi_symbol: string }) => view.osi_symbol);
    expect(symbols).toContain('GOOG  160115C00750000');
  });
});
