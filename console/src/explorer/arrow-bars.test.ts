import {
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampNanosecond,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barsOfArrow, chartsOfArrow, clockOffset } from './arrow-bars';
import type { BarPlan } from './bar-view';
import { chartPlan } from './chart-plan';

describe("a market's clock", () => {
  it.each(['America/New_York', 'America/Chicago', 'Asia/Kolkata', 'UTC'])(
    'is at any moment what the platform says: %s',
    (timeZone) => {
      const offset = clockOffset(timeZone);
      const format = new Intl.DateTimeFormat('sv-SE', {
        ...{ timeZone, dateStyle: 'short', timeStyle: 'medium' },
      });
      fc.assert(
        fc.property(fc.integer({ min: 946_684_800, max: 1_900_000_000 }), (utc) => {
          const text = new Date((utc + offset(utc)) * 1000).toISOString().slice(0, 19);
          expect(text.replace('T', ' ')).toBe(format.format(utc * 1000));
        }),
        { numRuns: 300 },
      );
    },
  );

  it('changes at the hour at which clocks do', () => {
    const offset = clockOffset('America/New_York');
    const change = Date.parse('2026-11-01T06:00:00Z') / 1000;
    expect([change - 1, change].map(offset)).toEqual([-4 * 3600, -5 * 3600]);
  });
});

const PLAN: BarPlan = {
  ...{ kind: 'candles', time: 'BarDateTime', instrument: ['Ticker'], volume: 'Volume' },
  ...{ open: 'Open', high: 'High', low: 'Low', close: 'Close' },
};
const SOURCE = { plan: PLAN, date: 'TradeDate', only: null, timeZone: 'America/New_York' };

interface Row {
  readonly day: string;
  /** In UTC. */
  readonly time: string;
  readonly ticker: string;
  readonly price: number | null;
  readonly volume?: number | null;
}

/** A page as the service sends it: days, nanoseconds, texts by dictionary, decimals by digits. */
function pageOf(rows: readonly Row[], isDecimal = false): Uint8Array {
  const days = rows.map(({ day }) => Date.parse(day) / 86_400_000);
  const nanoseconds = rows.map(({ time }) => BigInt(Date.parse(time)) * 1_000_000n);
  const tickers = [...new Set(rows.map(({ ticker }) => ticker))];
  const codes = rows.map(({ ticker }) => tickers.indexOf(ticker));
  const validity = rows.map(({ price }) => price !== null);
  const nullBitmap = Uint8Array.from({ length: Math.ceil(rows.length / 8) }, (_, byte) =>
    validity.slice(byte * 8, byte * 8 + 8).reduce((bits, is, bit) => bits | (Number(is) << bit), 0),
  );
  const nullCount = validity.filter((is) => !is).length;
  const length = rows.length;
  const cents = rows.flatMap(({ price }) => {
    const value = BigInt.asUintN(128, BigInt(Math.round((price ?? 0) * 100)));
    return [0n, 32n, 64n, 96n].map((shift) => Number((value >> shift) & 0xffffffffn));
  });
  const prices = () =>
    isDecimal
      ? makeData({
          ...{ type: new Decimal(2, 18), length, nullCount, nullBitmap },
          data: Uint32Array.from(cents),
        })
      : makeData({
          ...{ type: new Float64(), length, nullCount, nullBitmap },
          data: Float64Array.from(rows.map(({ price }) => price ?? 0)),
        });
  const columns = {
    TradeDate: makeData({ type: new DateDay(), data: Int32Array.from(days) }),
    BarDateTime: makeData({
      type: new TimestampNanosecond('America/New_York'),
      data: BigInt64Array.from(nanoseconds),
    }),
    Ticker: makeData({
      type: new Dictionary(new Utf8(), new Int32()),
      data: Int32Array.from(codes),
      dictionary: vectorFromArray(tickers, new Utf8()),
    }),
    ...{ Open: prices(), High: prices(), Low: prices(), Close: prices() },
    Volume: makeData({
      type: new Int64(),
      data: BigInt64Array.from(rows.map(({ volume }) => BigInt(volume ?? 100))),
    }),
  };
  const fields = Object.entries(columns).map(([name, { type }]) => new Field(name, type, true));
  const schema = new Schema(fields);
  const data = makeData({ type: new Struct(fields), children: Object.values(columns) });
  return tableToIPC(new Table([new RecordBatch(schema, data as never)]), 'stream');
}

describe('the bars of Arrow pages', () => {
  it('have the hours of the market, on both sides of a change of clocks', async () => {
    const bars = await barsOfArrow(SOURCE, [
      pageOf([
        { day: '2026-10-30', time: '2026-10-30T13:30:00Z', ticker: 'AVQX', price: 180.5 },
        { day: '2026-11-02', time: '2026-11-02T14:30:00Z', ticker: 'AVQX', price: 181.25 },
        { day: '2026-11-02', time: '2026-11-02T14:31:00Z', ticker: 'AVQX', price: null },
      ]),
      pageOf([{ day: '2026-11-02', time: '2026-11-02T14:32:00Z', ticker: 'AVQX', price: 182 }]),
    ]);
    const { time, close, volume, breaks } = bars.get('AVQX')!;
    expect([...time].map((seconds) => new Date(seconds * 1000).toISOString())).toEqual([
      '2026-10-30T09:30:00.000Z',
      '2026-11-02T09:30:00.000Z',
      '2026-11-02T09:32:00.000Z',
    ]);
    expect([...close]).toEqual([180.5, 181.25, 182]);
    expect([...volume]).toEqual([100, 100, 100]);
    expect(breaks).toEqual([0, 1]);
  });

  it('are those of one symbol if one was asked for, even under another ticker, else of each', async () => {
    const page = pageOf([
      { day: '2026-11-19', time: '2026-11-19T20:59:00Z', ticker: 'OLDX', price: 180.5 },
      { day: '2026-11-20', time: '2026-11-20T14:30:00Z', ticker: 'AVQX', price: 181.25 },
    ]);
    const one = await barsOfArrow({ ...SOURCE, only: 'AVQX' }, [page]);
    expect(one.get('AVQX')!.time).toHaveLength(2);
    expect([...(await barsOfArrow(SOURCE, [page])).keys()]).toEqual(['OLDX', 'AVQX']);
  });

  it('have prices of decimals, below zero too', async () => {
    const rows = [-37.63, 20.1, 0.01].map((price, at) => ({
      ...{ day: '2026-11-20', time: `2026-11-20T14:3${at}:00Z`, ticker: 'CL', price },
    }));
    const bars = await barsOfArrow(SOURCE, [pageOf(rows, true)]);
    expect([...bars.get('CL')!.open]).toEqual([-37.63, 20.1, 0.01]);
  });

  it('stand at their dates in daily data', async () => {
    const plan = { ...PLAN, time: 'TradeDate' };
    const rows = [{ day: '2026-11-20', time: '2026-11-20T21:00:00Z', ticker: 'AVQX', price: 1 }];
    const bars = await barsOfArrow({ ...SOURCE, plan }, [pageOf(rows)]);
    expect([...bars.get('AVQX')!.time]).toEqual([Date.parse('2026-11-20') / 1000]);
  });

  it('are none where rows have no prices', async () => {
    const rows = [{ day: '2026-11-20', time: '2026-11-20T21:00:00Z', ticker: 'AVQX', price: null }];
    expect((await barsOfArrow(SOURCE, [pageOf(rows)])).size).toBe(0);
    expect((await barsOfArrow(SOURCE, [])).size).toBe(0);
  });
});

const TEXTS = ['Ticker', 'EventType', 'CallPut'];

/** A column of a page whose cells are texts, times, dates or numbers, by its name. */
function columnOf(name: string, cells: readonly (string | null)[]): Vector {
  if (TEXTS.includes(name)) return vectorFromArray(cells, new Dictionary(new Utf8(), new Int32()));
  if (name.endsWith('DateTime')) {
    const data = BigInt64Array.from(cells, (cell) => BigInt(cell!));
    return new Vector([makeData({ type: new TimestampNanosecond('America/New_York'), data })]);
  }
  if (name.endsWith('Date')) {
    const data = Int32Array.from(cells, (cell) => Date.parse(cell!) / 86_400_000);
    return new Vector([makeData({ type: new DateDay(), data })]);
  }
  const numbers = cells.map((cell) => (cell === null ? null : Number(cell)));
  return vectorFromArray(numbers, new Float64());
}

/** 09:30 in New York, in nanoseconds, and in seconds of that clock. */
const NANOSECONDS = BigInt(Date.parse('2026-11-18T14:30:00Z')) * 1_000_000n;
const AT_0930 = Date.parse('2026-11-18T09:30:00Z') / 1000;

async function chartsOf(names: string, rows: readonly string[]) {
  const plan = chartPlan(names.split(' '))!;
  const cells = rows.map((row) => row.split(',').map((cell) => cell || null));
  const columns = names.split(' ').map(
    (name, at) =>
      [
        name,
        columnOf(
          name,
          cells.map((row) => row[at]!),
        ),
      ] as const,
  );
  const page = tableToIPC(new Table(Object.fromEntries(columns)), 'stream');
  return await chartsOfArrow({ ...SOURCE, plan }, [page]);
}

/** Time, price and size of each tick. */
function ticksIn(charts: Awaited<ReturnType<typeof chartsOf>>, symbol: string, name: string) {
  const { time, close, volume } = charts.get(symbol)!.bars.get(name)!;
  return [...time].map((at, index) => [at, close[index], volume[index]]);
}

describe('the charts of rows', () => {
  it('are apart for each instrument, by the names of what tells them apart', async () => {
    const names =
      'BarDateTime Ticker CallPut Strike ExpirationDate OpenPrice HighPrice LowPrice ClosePrice';
    const charts = await chartsOf(names, [
      `${NANOSECONDS},A,C,187.5,2026-12-18,1,3,0.5,2`,
      `${NANOSECONDS},A,P,187.5,2026-12-18,9,9,9,9`,
      `${NANOSECONDS + 60_000_000_000n},A,C,187.5,2026-12-18,,,,`,
      `${NANOSECONDS + 60_000_000_000n},B,,,2026-12-18,,,,`,
    ]);
    const [call, put, other] = [...charts.keys()];
    expect(call).toBe('A C 187.5 2026-12-18');
    expect(put).toBe('A P 187.5 2026-12-18');
    expect([...charts.get(call!)!.bars.get(call!)!.time]).toEqual([AT_0930]);
    expect(charts.get(other!)!.bars.get(other!)!.time).toHaveLength(0);
  });

  it('have the later of two bars at one time, and count the other', async () => {
    const names = 'BarDateTime Ticker OpenPrice HighPrice LowPrice ClosePrice';
    const charts = await chartsOf(names, [`${NANOSECONDS},A,1,1,1,1`, `${NANOSECONDS},A,2,2,2,2`]);
    expect(charts.get('A')).toMatchObject({ merged: 1, hasBestQuotesOnly: false });
    expect([...charts.get('A')!.bars.get('A')!.close]).toEqual([2]);
  });

  it('have national best quotes alone, no empty sides, and join one millisecond', async () => {
    const charts = await chartsOf('EventDateTime EventType Ticker Price Quantity', [
      `${NANOSECONDS + 1n},QUOTE BID NB,A,10,1`,
      `${NANOSECONDS + 2n},QUOTE BID,A,9,1`,
      `${NANOSECONDS + 3n},QUOTE ASK NB,A,0,1`,
      `${NANOSECONDS + 4n},TRADE,A,10.5,100`,
      `${NANOSECONDS + 999_999n},TRADE NB,A,10.6,50`,
      `${NANOSECONDS + 1_000_000n},TRADE CANCELLED,A,10.6,50`,
      `${NANOSECONDS + 123_999_999n},TRADE,A,10.7,5`,
    ]);
    expect(charts.get('A')).toMatchObject({ merged: 1, hasBestQuotesOnly: true });
    expect(ticksIn(charts, 'A', 'Trade')).toEqual([
      [AT_0930, 10.6, 150],
      [AT_0930 + 0.123, 10.7, 5],
    ]);
    expect(ticksIn(charts, 'A', 'Bid')).toEqual([[AT_0930, 10, 1]]);
    expect(ticksIn(charts, 'A', 'Ask')).toEqual([]);
  });

  it('have quotes that stand beside a trade, with their sizes', async () => {
    const names = 'EventDateTime EventType Ticker Price Quantity BidPrice BidSize AskPrice AskSize';
    const charts = await chartsOf(names, [`${NANOSECONDS},T,A,10,3,9,7,11,8`]);
    expect(ticksIn(charts, 'A', 'Trade')).toEqual([[AT_0930, 10, 3]]);
    expect(ticksIn(charts, 'A', 'Bid')).toEqual([[AT_0930, 9, 7]]);
    expect(ticksIn(charts, 'A', 'Ask')).toEqual([[AT_0930, 11, 8]]);
  });
});
