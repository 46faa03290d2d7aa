/** Futures ticks, open interest and bars. Dates are Chicago's, whatever the files' clock. */
import { type DataTimeZone, dayClock, localDays } from './day-clock.ts';
import { type Feed, type LeanRow, type Reading, rowsOfKind } from './feed.ts';
import type { MarketHours } from './market-hours.ts';
import { quotePrices, rowsOfPairs } from './pair-bars.ts';
import type { TradeBar } from './records.ts';
import type { LeanFile } from './scan-folder.ts';

const MARKET_ZONE = 'America/Chicago';
const DATA_ZONES: readonly DataTimeZone[] = ['UTC', 'America/New_York', 'America/Chicago'];

/** The kind of event 11, and the bit that all of them have. */
const OPEN_INTEREST_MASK = 43;

/** The clock of a futures file; null when the folder tells none, or one that no US market uses. */
export function futuresDataZone(hours: MarketHours, file: LeanFile): DataTimeZone | null {
  const name = hours.futuresTimeZone(file.market, file.symbol);
  return DATA_ZONES.find((zone) => zone === name) ?? null;
}

/** The columns of a moment in a file: its time, in a column of that name, and its trade date. */
function momentsOf(reading: Reading, file: LeanFile, timeColumn: string) {
  const zone = futuresDataZone(reading.hours, file);
  if (!zone) throw new Error(`${file.name} has no known time zone`);
  const toUtc = dayClock(zone, file.date);
  return (nanosOfDay: number): LeanRow => {
    const utc = toUtc(nanosOfDay);
    return { TradeDate: localDays(MARKET_ZONE, utc), [timeColumn]: utc };
  };
}

const tickRows = rowsOfKind('futures tick trades', (reading, file, contract) => {
  const momentOf = momentsOf(reading, file, 'EventDateTime');
  return (tick) => ({
    ...momentOf(tick.nanosOfDay),
    ...contract,
    EventType: 'TRADE',
    Price: tick.price,
    Quantity: tick.quantity,
  });
});

const minuteTradeRows = rowsOfKind('futures minute trades', (reading, file, contract) => {
  const momentOf = momentsOf(reading, file, 'BarDateTime');
  return (bar) => ({
    ...momentOf(bar.nanosOfDay),
    ...contract,
    OpenPrice: bar.open,
    HighPrice: bar.high,
    LowPrice: bar.low,
    ClosePrice: bar.close,
    TotalQuantity: bar.volume,
  });
});

const openInterestRows = rowsOfKind('futures open interest', (reading, file, contract) => {
  const momentOf = momentsOf(reading, file, 'EventDateTime');
  return ({ nanosOfDay, contracts }) => ({
    ...momentOf(nanosOfDay),
    ...contract,
    EventType: 'OPEN INTEREST',
    Quantity: contracts,
    TypeMask: OPEN_INTEREST_MASK,
  });
});

function tradePrices({ open, high, low, close }: TradeBar): LeanRow {
  return { OpenTradePrice: open, HighTradePrice: high, LowTradePrice: low, CloseTradePrice: close };
}

const MINUTE_KINDS = ['futures minute trades', 'futures minute quotes'] as const;

const minuteRows = rowsOfPairs(MINUTE_KINDS, (reading, pair, contract) => {
  const momentOf = momentsOf(reading, pair.file, 'BarDateTime');
  // Without the day's trades nothing is known of a minute's volume.
  const volumeWithoutTrades = pair.trade ? 0 : null;
  return ({ nanosOfDay, trade, quote }) => ({
    ...momentOf(nanosOfDay),
    ...contract,
    ...(trade && tradePrices(trade)),
    Volume: trade?.volume ?? volumeWithoutTrades,
    ...(quote && quotePrices(quote)),
  });
});

export const FUTURES_FEEDS: readonly Feed[] = [
  { dataset: 'fut_taq', kinds: ['futures open interest'], rows: openInterestRows },
  { dataset: 'fut_trades', kinds: ['futures tick trades'], rows: tickRows },
  { dataset: 'fut_trades_1min', kinds: ['futures minute trades'], rows: minuteTradeRows },
  { dataset: 'fut_taq_1min', kinds: MINUTE_KINDS, rows: minuteRows },
];
