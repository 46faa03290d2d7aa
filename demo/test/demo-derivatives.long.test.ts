import type { FuturesEvent } from '@ticklake/market/events.ts';
import {
  FUTURES_MINUTE_BAR,
  FUTURES_TRADE_BAR,
  futuresMinuteBars,
} from '@ticklake/market/futures-bars.ts';
import { rowCells } from '@ticklake/market/row-sources.ts';
import { daysOfDate } from 'ticklake/engine/columns.ts';
import { localOfUtcNanos } from 'ticklake/time/market-time.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { AS_OF, generateTables, type Row, rowsWhere, type Table } from './generated-market.ts';

const SIZE = { dailyDays: 160, minuteDays: 3, tickDays: 2, quoteBarDays: 2, activity: 0.3 };
const NANOS_PER_DAY = 86_400_000_000_000n;
const NANOS_PER_MINUTE = 60_000_000_000n;
const LAST_DAY = daysOfDate(AS_OF);

let tables: ReadonlyMap<string, Table>;
beforeAll(() => {
  tables = generateTables(3, AS_OF, SIZE);
});

function rows(textId: string, where: Row = {}): Row[] {
  return rowsWhere(tables.get(textId) as Table, where);
}

function key(row: Row, ...columns: string[]): string {
  return columns.map((name) => String(row[name])).join(' ');
}

function contractKey(row: Row): string {
  const expiration = row.ExpirationDate ?? row.Expiration;
  return `${row.Ticker ?? row.OptionTicker} ${expiration} ${row.Strike} ${row.CallPut}`;
}

describe('options of the demo market', () => {
  test('trade on two chains whose contracts are all in the contract master', () => {
    const master = new Map(rows('opt_contr_sec_master').map((row) => [contractKey(row), row]));
    const events = rows('opt_tanq');
    expect(new Set(events.map((row) => row.Ticker))).toEqual(new Set(['AVQX', 'BZOQ']));
    for (const row of events) {
      const contract = master.get(contractKey(row));
      expect(contract?.FirstTradeDate).toBeLessThanOrEqual(row.TradeDate as number);
      expect(contract?.LastTradeDate).toBeGreaterThanOrEqual(row.TradeDate as number);
    }
    for (const row of master.values()) {
      expect(row.OsiSymbol).toMatch(/^.{6}\d{6}[CP]\d{8}$/);
      expect(Number((row.OsiSymbol as string).slice(13)) / 1000).toBe(row.Strike);
    }
  });

  test('begin each day with their open interest', () => {
    const first = new Map<string, Row>();
    for (const row of rows('opt_tanq')) {
      const contract = `${row.TradeDate} ${contractKey(row)}`;
      if (!first.has(contract)) first.set(contract, row);
    }
    for (const row of first.values()) expect(row.Action).toBe('OI');
  });

  test('have the same trades in both tick datasets, inside the market that stood', () => {
    const columns = ['TradeDate', 'Ticker', 'EventDateTime', 'Strike', 'CallPut', 'Price'];
    const trades = rows('opt_trades');
    const fromTanq = rows('opt_tanq').filter(({ Action }) => Action === 'T' || Action === 'C');
    expect(trades.map((row) => key(row, ...columns))).toEqual(
      fromTanq.map((row) => key(row, ...columns)),
    );
    expect(trades.length).toBeGreaterThan(50);
    for (const row of trades) {
      expect(row.Price).toBeGreaterThanOrEqual(row.BidPrice as number);
      expect(row.Price).toBeLessThanOrEqual(row.AskPrice as number);
      expect(row.UnderBidTime as bigint).toBeLessThanOrEqual(row.EventDateTime as bigint);
    }
  });

  test('see underlying prices that stand in the quotes of the underlying', () => {
    const quoted = new Set(
      rows('eq_taq', { EventType: 'QUOTE BID NB' }).map((row) =>
        key(row, 'Ticker', 'TradeDate', 'Price'),
      ),
    );
    for (const row of rows('opt_trades'))
      expect(quoted).toContain(key(row, 'Ticker', 'TradeDate', 'UnderBidPrice'));
  });

  test('have minute bars that count the trades of the ticks', () => {
    const leftOut = new Set(['A', 'B', 'C', 'F', 'G', 'N', 'O', 'T']);
    const volumes = new Map<string, bigint>();
    for (const row of rows('opt_trades', { EventType: 'T' })) {
      if (leftOut.has(row.ConditionCode as string)) continue;
      const time = row.EventDateTime as bigint;
      const bar = `${time - (time % NANOS_PER_MINUTE)} ${contractKey(row)}`;
      volumes.set(bar, (volumes.get(bar) ?? 0n) + (row.Quantity as bigint));
    }
    const firstTickDay = rows('opt_trades')[0]?.TradeDate as number;
    const bars = rows('opt_trades_1min').filter((row) => (row.TradeDate as number) >= firstTickDay);
    expect(
      new Map(bars.map((row) => [`${row.BarDateTime} ${contractKey(row)}`, row.Volume])),
    ).toEqual(volumes);
  });

  test('have analytics of the last national best quotes', () => {
    const last = new Map<string, unknown>();
    for (const row of rows('opt_tanq', { Action: 'FQ NB' }))
      last.set(`${row.TradeDate} ${contractKey(row)} ${row.Side}`, row.Price);
    const analytics = rows('opt_greeks_daily');
    for (const row of analytics) {
      const contract = `${row.TradeDate} ${contractKey(row)}`;
      expect(row.LastBidPrice).toBe(last.get(`${contract} B`));
      expect(row.LastAskPrice).toBe(last.get(`${contract} A`));
    }
    const converged = analytics.filter((row) => row.ImpliedVolConvergence === 'Converged');
    expect(converged.length).toBeGreaterThan(analytics.length * 0.7);
    for (const row of converged)
      expect(row.MidTheoPrice).toBeCloseTo(row.LastMidPrice as number, 4);
  });

  test('settle specially where a demerger left two deliverables', () => {
    const settlements = rows('occ_eq_spec_settl', { TradeDate: LAST_DAY });
    expect(settlements).toMatchObject([
      { OptionTicker: 'BZOQ1', UnderTicker: 'BZOQ', ComponentNumber: 1n, TotalComponents: 2n },
      { OptionTicker: 'BZOQ1', UnderTicker: 'BZSQ', ComponentNumber: 2n, TotalComponents: 2n },
    ]);
    expect(settlements.reduce((sum, row) => sum + (row.StrikePercent as number), 0)).toBe(100);
    const roots = rows('opt_sec_master').map((row) => row.OptionTicker);
    const listed = rows('occ_list_opt_daily', { TradeDate: LAST_DAY }).map(
      (row) => row.OptionTicker,
    );
    expect(listed).toEqual([...roots].sort());
  });
});

describe('futures of the demo market', () => {
  function nanosOfDay(row: Row, column: string): number {
    return Number(localOfUtcNanos('America/Chicago', row[column] as bigint) % NANOS_PER_DAY);
  }

  test('cover three products with several contracts, on the Sunday evening too', () => {
    const contracts = Map.groupBy(rows('fut_taq'), (row) => row.BaseSymbol);
    expect(contracts.size).toBe(3);
    for (const list of contracts.values())
      expect(new Set(list.map((row) => row.Ticker)).size).toBeGreaterThanOrEqual(3);
    const sunday = rows('fut_taq', { TradeDate: LAST_DAY - 1 });
    expect(sunday.length).toBeGreaterThan(0);
    for (const row of sunday)
      expect(nanosOfDay(row, 'EventDateTime')).toBeGreaterThanOrEqual(17 * 3600e9);
  });

  test('have minute bars that are those of the ticks', () => {
    const byContract = Map.groupBy(rows('fut_taq', { TradeDate: LAST_DAY }), (row) => row.Ticker);
    for (const [ticker, list] of byContract) {
      const events: FuturesEvent[] = list.map((row) => ({
        nanosOfDay: nanosOfDay(row, 'EventDateTime'),
        type: row.EventType as string,
        price: row.Price as number,
        quantity: Number(row.Quantity),
        orders: Number(row.Orders),
        flags: Number(row.Flags),
        typeMask: Number(row.TypeMask),
      }));
      const layouts = [FUTURES_MINUTE_BAR, FUTURES_TRADE_BAR];
      futuresMinuteBars(events, layouts).forEach((bars, i) => {
        const textId = i === 0 ? 'fut_taq_1min' : 'fut_trades_1min';
        const published = rows(textId, { TradeDate: LAST_DAY, Ticker: ticker ?? null });
        expect(published).toHaveLength(bars.rowCount);
        published.forEach((row, at) => {
          const values = bars.columns.map((name) =>
            row[name] === null ? null : Number(row[name]),
          );
          expect(values).toEqual(rowCells(bars, at));
        });
      });
    }
  });

  test('have daily values that are those of the ticks', () => {
    const byContract = Map.groupBy(rows('fut_taq', { TradeDate: LAST_DAY }), (row) => row.Ticker);
    expect(rows('fut_daily', { TradeDate: LAST_DAY })).toHaveLength(byContract.size);
    for (const [ticker, list] of byContract) {
      const trades = list.filter(
        ({ EventType, Quantity, Flags }) =>
          String(EventType).startsWith('TRADE') && Quantity !== 0n && Flags !== 8n,
      );
      const lastOf = (type: string) => list.findLast(({ EventType }) => EventType === type);
      expect(rows('fut_daily', { TradeDate: LAST_DAY, Ticker: ticker ?? null })).toMatchObject([
        {
          OpenPrice: trades[0]?.Price,
          ClosePrice: trades.at(-1)?.Price,
          TotalTrades: BigInt(trades.length),
          SettlementPrice: lastOf('SETTLEMENT PRICE')?.Price ?? null,
          OpenInterest: lastOf('OPEN INTEREST')?.Quantity,
        },
      ]);
    }
  });

  test('quote at the top of the ten levels of depth', () => {
    const top = (row: Row, price: string, size: string, side: unknown) =>
      `${row.Ticker} ${row.EventDateTime} ${side} ${row[price]} ${row[size]}`;
    const depth = rows('fut_mult_depth', { TradeDate: LAST_DAY });
    const best = new Set(depth.map((row) => top(row, 'L1Price', 'L1Size', row.Side)));
    const quotes = rows('fut_taq', { TradeDate: LAST_DAY, Flags: 0n }).filter((row) =>
      (row.EventType as string).startsWith('QUOTE'),
    );
    expect(quotes.length).toBeGreaterThan(100);
    for (const row of quotes) {
      const side = row.EventType === 'QUOTE BID' ? 'B' : 'S';
      expect(best).toContain(top(row, 'Price', 'Quantity', side));
    }
    for (const row of depth) {
      const prices = Array.from({ length: 10 }, (_, i) => row[`L${i + 1}Price`] as number);
      const sorted = [...prices].sort((a, b) => (row.Side === 'B' ? b - a : a - b));
      expect(prices).toEqual(sorted);
    }
  });
});
