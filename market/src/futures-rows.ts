/** The rows of futures datasets: the columns of ticks and bars of one contract and date. */
import type { FuturesEvent } from './events.ts';
import type { BarTable, NumberTable } from './number-table.ts';
import { eventMoments, type Sources, tableSources } from './row-sources.ts';

const CHICAGO = 'America/Chicago';

/** A contract on a trade date. */
export interface FuturesContractDay {
  readonly date: string;
  readonly ticker: string;
  /** The product's root symbol; null: unknown. */
  readonly root: string | null;
  readonly securityId: number;
}

function keySources({ date, ticker, root }: Omit<FuturesContractDay, 'securityId'>): Sources {
  return { TradeDate: date, Ticker: ticker, BaseSymbol: root };
}

/** The columns that all rows of events share: which contract, and when. */
export function futuresEventKeys(
  contract: FuturesContractDay,
  events: readonly { readonly nanosOfDay: number }[],
): Sources {
  return {
    ...keySources(contract),
    SecurityID: contract.securityId,
    EventDateTime: eventMoments(CHICAGO, contract.date, events),
  };
}

/** One row for each event. */
export function futuresTickSources(
  contract: FuturesContractDay,
  events: readonly FuturesEvent[],
): Sources {
  return {
    ...futuresEventKeys(contract, events),
    EventType: events.map(({ type }) => type),
    Price: Float64Array.from(events, ({ price }) => price),
    Quantity: Float64Array.from(events, ({ quantity }) => quantity),
    Orders: Float64Array.from(events, ({ orders }) => orders),
    Flags: Float64Array.from(events, ({ flags }) => flags),
    TypeMask: Float64Array.from(events, ({ typeMask }) => typeMask),
  };
}

/** One row for each minute bar. */
export function futuresBarSources(
  contract: Omit<FuturesContractDay, 'securityId'>,
  table: BarTable,
): Sources {
  return {
    ...keySources(contract),
    BarDateTime: { zone: CHICAGO, date: contract.date, nanosOfDay: table.startNanos },
    ...tableSources(table),
  };
}

/** The values of the day, one row or none. */
export function futuresDaySources(
  contract: Omit<FuturesContractDay, 'securityId'>,
  table: NumberTable,
): Sources {
  return { ...keySources(contract), ...tableSources(table) };
}
