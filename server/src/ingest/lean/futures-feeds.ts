/** Futures ticks, open interest and bars, whose dates are those of Chicago whatever clock their files use. */
import { futuresContract } from './contracts.ts';
import { type DataTimeZone, dayClock, localDays } from './day-clock.ts';
import { countingBadName, type Feed, type LeanRow, type Reading } from './feed.ts';
import { KIND_READERS, kindRecords } from './kind-readers.ts';
import type { MarketHours } from './market-hours.ts';
import { pairFiles, readPair } from './pair-bars.ts';
import { quotePrices } from './quote-prices.ts';
import type { TradeBar } from './records.ts';
import { filesOf, type LeanFile } from './scan-folder.ts';

const MARKET_ZONE = 'America/Chicago';
const DATA_ZONES: readonly DataTimeZone[] = ['UTC', 'America/New_York', 'America/Chicago'];

/** The kind of event 11, and the bit that all of them have. */
const OPEN_INTEREST_MASK = 43;

/** The clock of a futures file; null when the folder tells none, or one that no US market uses. */
export function futuresDataZone(hours: MarketHours, file: LeanFile): DataTimeZone | null {
  const name = hours.futuresTimeZone(file.market, file.symbol);
  return DATA_ZONES.find((zone) => zone === name) ?? null;
}

/** The time and the trade date of a moment in a file, under the time column's name. */
type Moment = (nanosOfDay: number) => { readonly utc: bigint; readonly TradeDate: number };

function momentsOf(reading: Reading, file: LeanFile): Moment {
  const zone = futuresDataZone(reading.hours, file);
  if (!zone) throw new Error(`${file.name} has no known time zone`);
  const toUtc = dayClock(zone, file.date);
  return (nanosOfDay) => {
    const utc = toUtc(nanosOfDay);
    return { utc, TradeDate: localDays(MARKET_ZONE, utc) };
  };
}

async function* tickRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for await (const { file, contract, records } of kindRecords(reading, 'futures tick trades')) {
    const momentOf = momentsOf(reading, file);
    yield records
      .filter((tick) => !(tick.isSuspicious && reading.dropSuspicious))
      .map((tick) => {
        const { utc, TradeDate } = momentOf(tick.nanosOfDay);
        return {
          TradeDate,
          EventDateTime: utc,
          ...contract,
          EventType: 'TRADE',
          Price: tick.price,
          Quantity: tick.quantity,
        };
      });
  }
}

async function* minuteTradeRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for await (const { file, contract, records } of kindRecords(reading, 'futures minute trades')) {
    const momentOf = momentsOf(reading, file);
    yield records.map((bar) => {
      const { utc, TradeDate } = momentOf(bar.nanosOfDay);
      return {
        TradeDate,
        BarDateTime: utc,
        ...contract,
        OpenPrice: bar.open,
        HighPrice: bar.high,
        LowPrice: bar.low,
        ClosePrice: bar.close,
        TotalQuantity: bar.volume,
      };
    });
  }
}

async function* openInterestRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for await (const { file, contract, records } of kindRecords(reading, 'futures open interest')) {
    const momentOf = momentsOf(reading, file);
    yield records.map(({ nanosOfDay, contracts }) => {
      const { utc, TradeDate } = momentOf(nanosOfDay);
      return {
        TradeDate,
        EventDateTime: utc,
        ...contract,
        EventType: 'OPEN INTEREST',
        Quantity: contracts,
        TypeMask: OPEN_INTEREST_MASK,
      };
    });
  }
}

function tradePrices({ open, high, low, close }: TradeBar): LeanRow {
  return { OpenTradePrice: open, HighTradePrice: high, LowTradePrice: low, CloseTradePrice: close };
}

const BAR_PARSERS = {
  trade: KIND_READERS['futures minute trades'].parse,
  quote: KIND_READERS['futures minute quotes'].parse,
};

async function* minuteRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  const trades = filesOf(reading.folder, 'futures minute trades');
  const quotes = filesOf(reading.folder, 'futures minute quotes');
  for (const pair of pairFiles(trades, quotes)) {
    const momentOf = momentsOf(reading, pair.file);
    for await (const { source, bars } of readPair(pair, BAR_PARSERS, reading.badRows)) {
      const contract = countingBadName(source, reading.badRows, () =>
        futuresContract(pair.file, source),
      );
      if (!contract) continue;
      // Without the day's trades nothing is known of a minute's volume.
      const volumeWithoutTrades = pair.trade ? 0 : null;
      yield bars.map(({ nanosOfDay, trade, quote }) => {
        const { utc, TradeDate } = momentOf(nanosOfDay);
        return {
          TradeDate,
          BarDateTime: utc,
          ...contract,
          ...(trade && tradePrices(trade)),
          Volume: trade?.volume ?? volumeWithoutTrades,
          ...(quote && quotePrices(quote)),
        };
      });
    }
  }
}

export const FUTURES_FEEDS: readonly Feed[] = [
  { dataset: 'fut_taq', kinds: ['futures open interest'], rows: openInterestRows },
  { dataset: 'fut_trades', kinds: ['futures tick trades'], rows: tickRows },
  { dataset: 'fut_trades_1min', kinds: ['futures minute trades'], rows: minuteTradeRows },
  {
    dataset: 'fut_taq_1min',
    kinds: ['futures minute trades', 'futures minute quotes'],
    rows: minuteRows,
  },
];
