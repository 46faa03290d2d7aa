import { isHalfDay } from '@ticklake/market/calendar.ts';
import {
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar.ts';
import { equityMinuteBars } from '@ticklake/market/equity-bars.ts';
import type { EquityEvent, EquityEventType } from '@ticklake/market/events.ts';
import { rowCells } from '@ticklake/market/row-sources.ts';
import { daysOfDate } from 'ticklake/engine/columns.ts';
import { localOfUtcNanos } from 'ticklake/time/market-time.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  AS_OF,
  type Cell,
  columnOf,
  generateTables,
  type Row,
  rowsWhere,
  SMALL_SIZE,
  type Table,
} from './generated-market.ts';

const NANOS_PER_DAY = 86_400_000_000_000n;
const LAST_DAY = daysOfDate(AS_OF);
const VOLUME_REASONS = ['Subdiv', 'Cons', 'BonusSame', 'ScriptDiv'];

let tables: ReadonlyMap<string, Table>;
beforeAll(() => {
  tables = generateTables(1, AS_OF, SMALL_SIZE);
});

function tableOf(textId: string): Table {
  const table = tables.get(textId);
  if (!table) throw new Error(`no table ${textId}`);
  return table;
}

function rows(textId: string, where: Row = {}): Row[] {
  return rowsWhere(tableOf(textId), where);
}

function sum(list: readonly Row[], column: string): number {
  return list.reduce((total, row) => total + Number(row[column]), 0);
}

function nanosOfDay(row: Row, column: string): number {
  const zone = 'BaseSymbol' in row ? 'America/Chicago' : 'America/New_York';
  return Number(localOfUtcNanos(zone, row[column] as bigint) % NANOS_PER_DAY);
}

function eventsOf(ticker: string, date: number): EquityEvent[] {
  return rows('eq_taq', { Ticker: ticker, TradeDate: date }).map((row) => ({
    nanosOfDay: nanosOfDay(row, 'EventDateTime'),
    type: row.EventType as EquityEventType,
    price: row.Price as number,
    quantity: Number(row.Quantity),
    exchange: row.Exchange as string,
    conditions: Number(row.ConditionCode),
  }));
}

function valuesOf(row: Row, columns: readonly string[]): (number | null)[] {
  return columns.map((name) => (row[name] === null ? null : Number(row[name])));
}

function groupBy(list: readonly Row[], ...columns: string[]): Map<string, Row[]> {
  return Map.groupBy(list, (row) => columns.map((name) => String(row[name])).join(' '));
}

describe('ticks and bars of the demo market', () => {
  test('minute bars are those of the published ticks', () => {
    const layouts = [EQUITY_MINUTE_BAR, EQUITY_EXTENDED_BAR, EQUITY_TRADE_BAR];
    const textIds = ['eq_taq_1min', 'eq_taq_1min_ext', 'eq_trades_1min'];
    for (const ticker of ['AVQX', 'TZQW', 'ZQTZT']) {
      const events = eventsOf(ticker, LAST_DAY);
      // The quotes lie far inside the band around the average price, whatever that is.
      const day = { events, isHalfDay: isHalfDay(AS_OF), averagePrice: null };
      equityMinuteBars(day, 'vendor_default', layouts).forEach((bars, i) => {
        const published = rows(textIds[i] as string, { Ticker: ticker, TradeDate: LAST_DAY });
        expect(published).toHaveLength(bars.rowCount);
        published.forEach((row, at) => {
          expect(nanosOfDay(row, 'BarDateTime')).toBe(bars.startNanos[at]);
          expect(valuesOf(row, bars.columns)).toEqual(rowCells(bars, at));
        });
      });
    }
  });

  test('trade ticks are the trades of the quote-and-trade ticks', () => {
    const fromTaq = rows('eq_taq').filter((row) => (row.EventType as string).startsWith('TRADE'));
    expect(rows('eq_trades')).toEqual(fromTaq);
    expect(fromTaq.some((row) => (row.EventType as string).endsWith('CANCELLED'))).toBe(true);
    expect(fromTaq.some((row) => row.Exchange === 'FINRA')).toBe(true);
    expect(fromTaq.some((row) => Number(row.ConditionCode) >= 2 ** 31)).toBe(true);
  });

  test('national best rows stand at the best price over all venues', () => {
    for (const ticker of ['AVQX', 'CXQL']) {
      const book = { BID: new Map<string, number>(), ASK: new Map<string, number>() };
      const regular = 9.5 * 3600e9;
      let checked = 0;
      for (const { type, price, exchange, nanosOfDay: nanos } of eventsOf(ticker, LAST_DAY)) {
        if (!type.startsWith('QUOTE')) continue;
        const side = type.includes('BID') ? 'BID' : 'ASK';
        if (price === 0) book[side].delete(exchange);
        else book[side].set(exchange, price);
        if (!type.endsWith('NB')) continue;
        const prices = [...book[side].values()];
        expect(price).toBe(side === 'BID' ? Math.max(...prices) : Math.min(...prices));
        if (nanos > regular) checked++;
        const [bid, ask] = [Math.max(...book.BID.values()), Math.min(...book.ASK.values())];
        if (Number.isFinite(bid) && Number.isFinite(ask)) expect(ask).toBeGreaterThanOrEqual(bid);
      }
      expect(checked).toBeGreaterThan(20);
    }
  });

  test('daily values agree with the minute bars of the day', () => {
    const bars = groupBy(rows('eq_trades_1min'), 'Ticker', 'TradeDate');
    const firstMinuteDay = Number(rows('eq_trades_1min')[0]?.TradeDate);
    const days = rows('eq_daily_ohlc').filter((row) => (row.TradeDate as number) >= firstMinuteDay);
    expect(days.length).toBeGreaterThan(1000);
    for (const day of days) {
      const minutes = bars.get(`${day.Ticker} ${day.TradeDate}`) ?? [];
      const highest = Math.max(...minutes.map((bar) => bar.HighTradePrice as number));
      const lowest = Math.min(...minutes.map((bar) => bar.LowTradePrice as number));
      expect(day.HighPrice).toBeLessThanOrEqual(highest);
      expect(day.LowPrice).toBeGreaterThanOrEqual(lowest);
      expect(Number(day.DailyVolume)).toBeGreaterThanOrEqual(sum(minutes, 'Volume'));
    }
  });

  test('a day opens and closes with the auctions of its listing exchange', () => {
    const [day] = rows('eq_daily_ohlc', { Ticker: 'AVQX', TradeDate: LAST_DAY });
    const prints = (bit: number) =>
      eventsOf('AVQX', LAST_DAY).filter(({ conditions }) => conditions === 2 ** bit);
    expect(prints(6)).toMatchObject([{ price: day?.OpenPrice, exchange: 'NASDAQ' }]);
    expect(prints(7)).toMatchObject([{ price: day?.ClosePrice, exchange: 'NASDAQ' }]);
  });

  test('days drawn from the path join those computed from events without a jump', () => {
    for (const ticker of ['AVQX', 'MZQK', 'PQZL']) {
      const closes = rows('eq_daily_ohlc_adj', { Ticker: ticker }).map(
        (row) => row.ClosePrice as number,
      );
      expect(closes).toHaveLength(SMALL_SIZE.dailyDays);
      for (let i = 1; i < closes.length; i++)
        expect(Math.abs(Math.log((closes[i] as number) / (closes[i - 1] as number)))).toBeLessThan(
          0.2,
        );
    }
  });
});

describe('adjustment in the demo market', () => {
  interface Event {
    readonly date: number;
    readonly factor: number;
    readonly reason: string;
  }

  /** Product of the factors of later events, written down anew from the published factors. */
  function factorAfter(events: readonly Event[], date: number, isVolume: boolean): number {
    return events
      .filter((event) => event.date > date && (!isVolume || VOLUME_REASONS.includes(event.reason)))
      .reduce((product, { factor }) => product * factor, 1);
  }

  test('adjusted daily values are the raw ones times the published factors', () => {
    const byAsid = groupBy(rows('eq_adj_factors_basic'), 'ASID');
    const raw = rows('eq_daily_ohlc');
    const adjusted = rows('eq_daily_ohlc_adj');
    expect(adjusted).toHaveLength(raw.length);
    const isNear = (a: unknown, b: number, difference: number) =>
      Math.abs(Number(a) - b) < difference;
    const wrong = adjusted.filter((row, i) => {
      const events = (byAsid.get(String(row.ASID)) ?? []).map((event) => ({
        date: event.EffectiveDate as number,
        factor: event.AdjustmentFactor as number,
        reason: event.AdjustmentReason as string,
      }));
      const date = row.TradeDate as number;
      const price = factorAfter(events, date, false);
      const volume = factorAfter(events, date, true);
      const before = raw[i] as Row;
      const isAdjusted =
        isNear(row.PriceAdjFactor, price, 5e-10) &&
        isNear(row.VolumeAdjFactor, volume, 5e-10) &&
        ['OpenPrice', 'ClosePrice', 'DailyVWAP'].every((name) =>
          isNear(row[name], (before[name] as number) * price, 6e-5),
        ) &&
        isNear(row.DailyVolume, Number(before.DailyVolume) / volume, 0.51);
      return !isAdjusted;
    });
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  test('minute bars and ticks before the split are adjusted by it', () => {
    const split = rows('eq_adj_factors_basic', { AdjustmentReason: 'Subdiv' });
    expect(split).toMatchObject([{ Ticker: 'SQVL', AdjustmentFactor: 0.25 }]);
    const effective = split[0]?.EffectiveDate as number;
    const raw = rows('eq_trades_1min', { Ticker: 'SQVL' });
    const adjusted = rows('eq_trades_1min_adj', { Ticker: 'SQVL' });
    expect(new Set(adjusted.map((row) => row.VolumeAdjFactor))).toEqual(new Set([0.25, 1]));
    adjusted.forEach((row, i) => {
      const factor = (row.TradeDate as number) < effective ? 0.25 : 1;
      expect(row.PriceAdjFactor).toBe(factor);
      expect(Number(row.Volume)).toBe(Number(raw[i]?.Volume) / factor);
    });
  });

  test('a cash dividend factor is one minus the dividend over the close before', () => {
    const dividends = rows('eq_adj_factors_detail', { AdjustmentReason: 'CashDiv' });
    expect(dividends.length).toBeGreaterThan(100);
    const closes = groupBy(rows('eq_daily_ohlc'), 'ASID');
    for (const row of dividends) {
      const before = closes
        .get(String(row.ASID))
        ?.findLast((day) => (day.TradeDate as number) < (row.EffectiveDate as number));
      const factor = 1 - (row.DivPayrate as number) / (before?.ClosePrice as number);
      expect(row.AdjustmentFactor).toBeCloseTo(factor, 12);
    }
  });
});

describe('securities of the demo market', () => {
  test('the master agrees with the lookup and the chain', () => {
    const master = rows('eq_sec_master');
    const periods = master.flatMap((row) =>
      (row.Ticker as string[]).map((ticker, i) => {
        const period = (row.TickerStartToEndDate as string[])[i] as string;
        return `${row.SecId} ${ticker} ${period}`;
      }),
    );
    const compact = (days: unknown) =>
      new Date((days as number) * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    const lookup = rows('eq_lookup_files').map(
      (row) => `${row.SecId} ${row.Ticker} ${compact(row.StartDate)}:${compact(row.EndDate)}`,
    );
    expect(lookup.sort()).toEqual(periods.sort());
    const asids = new Set(master.map((row) => row.ASID));
    expect(new Set(rows('eq_secid_chains_lookup').map((row) => row.ASID))).toEqual(asids);
    for (const row of master)
      for (const name of ['Ticker', 'Name', 'ISIN', 'USIdentifier', 'PrimaryExchange'])
        expect(row[`${name}StartToEndDate`]).toHaveLength((row[name] as string[]).length);
  });

  test('every daily row carries the ASID that the chain has for its ticker and date', () => {
    const chain = groupBy(rows('eq_secid_chains_lookup'), 'Ticker');
    for (const row of rows('eq_daily_ohlc')) {
      if (row.Ticker === 'ZQTZT') continue;
      const date = row.TradeDate as number;
      const owners = chain
        .get(row.Ticker as string)
        ?.filter((p) => (p.StartDate as number) <= date && date <= (p.EndDate as number));
      expect(owners?.map((owner) => owner.ASID)).toEqual([row.ASID]);
    }
  });

  test('the special cases exist', () => {
    const daily = rows('eq_daily_ohlc');
    const asidsOf = (ticker: string) =>
      new Set(daily.filter((row) => row.Ticker === ticker).map((row) => row.ASID));
    expect(new Set(daily.map((row) => row.ASID)).size).toBeGreaterThanOrEqual(30);
    expect(asidsOf('EZNQ').size).toBe(1);
    expect(asidsOf('EZNQ')).toEqual(asidsOf('EZVQ'));
    expect(asidsOf('KQZT').size).toBe(2);
    const delisted = daily.filter((row) => row.Ticker === 'JZQR');
    expect(delisted.at(-1)?.TradeDate).toBeLessThan(LAST_DAY);
    const test = rows('eq_taq', { Ticker: 'ZQTZT' });
    expect(test.length).toBeGreaterThan(0);
    expect(test.every((row) => row.ASID === null)).toBe(true);
    expect(rows('eq_sec_master').some((row) => (row.Ticker as string[]).includes('ZQTZT'))).toBe(
      false,
    );
    const chainOfTwo = groupBy(rows('eq_sec_master'), 'ASID');
    expect([...chainOfTwo.values()].some((list) => list.length === 2)).toBe(true);
  });

  test('nothing trades during a halt', () => {
    const halts = rows('eq_trading_halts', { TradeDate: LAST_DAY });
    expect(halts).toMatchObject([{ Ticker: 'HVQZ', ResumeDateTime: null }]);
    const from = halts[0]?.HaltDateTime as bigint;
    const later = rows('eq_taq').filter(
      (row) =>
        row.Ticker === 'HVQZ' && row.TradeDate === LAST_DAY && (row.EventDateTime as bigint) > from,
    );
    expect(later.at(-1)).toMatchObject({ Price: 0, Quantity: 0n });
    expect(later.filter((row) => (row.EventType as string).startsWith('TRADE'))).toEqual([]);
    // The venues leave one after the other within a millisecond.
    expect(Number((later.at(-1)?.EventDateTime as bigint) - from)).toBeLessThan(1e9);
  });

  test('short sales are restricted exactly where a low is a tenth under the last close', () => {
    const restricted = new Set(groupBy(rows('eq_ssr_circ_break'), 'ASID', 'TradeDate').keys());
    const changed = new Set(groupBy(rows('eq_adj_factors_basic'), 'ASID', 'EffectiveDate').keys());
    const last = new Map<unknown, number>();
    let expected = 0;
    for (const row of rows('eq_daily_ohlc')) {
      const close = last.get(row.ASID);
      last.set(row.ASID, row.ClosePrice as number);
      const key = `${row.ASID} ${row.TradeDate}`;
      if (close === undefined || changed.has(key)) continue;
      const isTriggered = (row.LowPrice as number) <= Math.floor(close * 9000) / 10_000;
      expect(restricted.has(key), key).toBe(isTriggered);
      if (isTriggered) expected++;
    }
    expect(expected).toBeGreaterThan(0);
  });
});

function compare(a: Cell, b: Cell): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

describe('every table of the demo market', () => {
  test('has rows', () => {
    const filled = [...tables].filter(([, { rowCount }]) => rowCount > 0).map(([textId]) => textId);
    expect(filled).toEqual([...tables.keys()]);
  });

  test('comes in natural order', () => {
    for (const [textId, table] of tables) {
      const keys = table.dataset.naturalOrder.map((name) => columnOf(table, name));
      for (let row = 1; row < table.rowCount; row++) {
        let order = 0;
        for (const values of keys) order ||= compare(values[row - 1] as Cell, values[row] as Cell);
        if (order > 0) expect.fail(`${textId} row ${row} comes before the row in front of it`);
      }
    }
  });

  test('gives every column values of its type', () => {
    const isOf: Record<string, (value: Cell) => boolean> = {
      string: (value) => typeof value === 'string',
      integer: (value) => typeof value === 'bigint',
      'date-time': (value) => typeof value === 'bigint' && value > 0n,
      number: (value) => Number.isFinite(value),
      date: (value) => Number.isInteger(value) && (value as number) > daysOfDate('2006-12-31'),
      'array of string': (value) =>
        Array.isArray(value) && value.every((v) => typeof v === 'string'),
    };
    for (const [textId, table] of tables)
      for (const [c, { name, dataType }] of table.dataset.columns.entries()) {
        for (const batch of table.batches) expect(batch.columns[c]?.type).toBe(dataType);
        const bad = columnOf(table, name).filter((v) => v !== null && !isOf[dataType]?.(v));
        expect(bad.slice(0, 3), `${textId}.${name}`).toEqual([]);
      }
  });

  test('never ends after its last trade date', () => {
    for (const [textId, table] of tables) {
      if (!table.dataset.columnByName.has('TradeDate')) continue;
      const last = columnOf(table, 'TradeDate').at(-1);
      expect(last, textId).toBeLessThanOrEqual(daysOfDate(AS_OF));
    }
  });
});
