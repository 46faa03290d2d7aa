/** Ticks as the tables of docs/rules have them. */
import {
  type QuoteCondition,
  quoteMask,
  type TradeCondition,
  tradeMask,
} from '@ticklake/market/conditions.ts';
import type {
  EquityDay,
  EquityEvent,
  EquityEventType,
  FuturesEvent,
  OptionTradeEvent,
} from '@ticklake/market/events.ts';
import type { NumberTable } from '@ticklake/market/row-sources.ts';
import { columnValues } from '@ticklake/market/row-sources.ts';
import { docsTable } from '../docs-table.ts';

type Cells<N extends string> = Readonly<Record<N, string>>;

/** The rows of a table by its header, which is named in full. */
export function namedRows<N extends string>(file: string, ...header: N[]): Cells<N>[] {
  return docsTable(file, ...header).map(
    (cells) => Object.fromEntries(header.map((name, i) => [name, cells[i]])) as Cells<N>,
  );
}

export function nanosOfDay(time: string): number {
  const [hours, minutes, seconds] = time.split(':').map(Number) as [number, number, number];
  return (hours * 3600 + minutes * 60) * 1e9 + Math.round(seconds * 1e9);
}

function maskOf(type: string, conditions: string): number {
  const names = conditions.split(', ');
  return type.startsWith('QUOTE')
    ? quoteMask(...(names as QuoteCondition[]))
    : tradeMask(...(names as TradeCondition[]));
}

export function equityDayOf(file: string): EquityDay {
  const header = ['Time', 'EventType', 'Price', 'Quantity', 'Exchange', 'Conditions'] as const;
  const events = namedRows(file, ...header).map(
    (row): EquityEvent => ({
      nanosOfDay: nanosOfDay(row.Time),
      type: row.EventType as EquityEventType,
      price: Number(row.Price),
      quantity: Number(row.Quantity),
      exchange: row.Exchange,
      conditions: maskOf(row.EventType, row.Conditions),
    }),
  );
  return { events, isHalfDay: false, averagePrice: null };
}

export function futuresEventsOf(file: string): FuturesEvent[] {
  const header = ['Time', 'EventType', 'Price', 'Quantity', 'Orders', 'Flags', 'TypeMask'] as const;
  return namedRows(file, ...header).map((row) => ({
    nanosOfDay: nanosOfDay(row.Time),
    type: row.EventType,
    price: Number(row.Price),
    quantity: Number(row.Quantity),
    orders: Number(row.Orders),
    flags: Number(row.Flags),
    typeMask: Number(row.TypeMask),
  }));
}

export function optionTradesOf(file: string): OptionTradeEvent[] {
  const header = [
    ...(['Time', 'EventType', 'Price', 'Quantity', 'ConditionCode'] as const),
    ...(['UnderBidPrice', 'UnderAskPrice'] as const),
  ];
  return namedRows(file, ...header).map((row) => ({
    nanosOfDay: nanosOfDay(row.Time),
    type: row.EventType as OptionTradeEvent['type'],
    price: Number(row.Price),
    quantity: Number(row.Quantity),
    exchange: 'CBOE',
    condition: row.ConditionCode,
    underBid: Number(row.UnderBidPrice),
    underAsk: Number(row.UnderAskPrice),
  }));
}

/** A computed cell as the documents write it. */
export function cellText(table: NumberTable, column: string, row: number): string {
  const value = columnValues(table, column)[row] as number;
  return Number.isNaN(value) ? 'null' : `${value}`;
}
