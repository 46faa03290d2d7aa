/**
 * The values of one futures contract and trade date from its events: prices and volumes of its
 * trades, and the statistics that the exchange published on that date.
 */
import { type BarLayout, BarWriter, barLayout } from './bar-layout.ts';
import type { FuturesEvent } from './events.ts';
import { FUTURES_TRADE_BAR, FuturesBar, takeFuturesEvent } from './futures-bars.ts';
import type { Quantity } from './quantity.ts';
import {
  type BarTable,
  eventMoments,
  type NumberTable,
  type Sources,
  tableSources,
} from './row-sources.ts';

class FuturesDay {
  readonly bar = new FuturesBar();
  /** In the product's quoting units; NaN: none was published. */
  settlementPrice = Number.NaN;
  /** Contracts; NaN: it was not published. */
  openInterest: Quantity = Number.NaN;
}

/** The last of a kind stands: preliminary ones come before. */
const STATISTICS: Readonly<Record<string, (day: FuturesDay, event: FuturesEvent) => void>> = {
  'SETTLEMENT PRICE': (day, { price }) => {
    day.settlementPrice = price;
  },
  'OPEN INTEREST': (day, { quantity }) => {
    day.openInterest = quantity;
  },
};

/** `fut_daily`: the 11 columns of trade bars, and two statistics. */
export const FUTURES_DAY: BarLayout<FuturesDay> = barLayout(
  {
    ...Object.fromEntries(
      Object.entries(FUTURES_TRADE_BAR.measures).map(([name, measure]) => [
        name,
        (day: FuturesDay) => measure(day.bar),
      ]),
    ),
    SettlementPrice: (day) => day.settlementPrice,
    OpenInterest: (day) => day.openInterest,
  },
  ({ bar, settlementPrice, openInterest }) =>
    bar.tradeCount > 0 || !Number.isNaN(settlementPrice) || !Number.isNaN(Number(openInterest)),
);

/** One row; none where there was neither a trade nor a statistic. Events come in feed order. */
export function futuresDayTable(events: Iterable<FuturesEvent>): NumberTable {
  const writer = new BarWriter(FUTURES_DAY);
  const day = new FuturesDay();
  for (const event of events) {
    takeFuturesEvent(day.bar, event, event.nanosOfDay);
    STATISTICS[event.type]?.(day, event);
  }
  writer.write(day, 0);
  return writer.table();
}

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
    Quantity: events.map(({ quantity }) => quantity),
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
