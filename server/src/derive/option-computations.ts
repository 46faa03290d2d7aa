/** Trades of options, their bars, and analytics at the end of a day, from their ticks. */
import type { OptionTradeEvent } from '@ticklake/market/events.ts';
import { optionAnalytics } from '@ticklake/market/option-analytics.ts';
import {
  type DividendEvent,
  exerciseStyleOf,
  LastQuotes,
  optionSnapshot,
  type RootClose,
  type StandingQuote,
  stockCloseNanos,
  trailingDividendYield,
  underlyingMid,
} from '@ticklake/market/option-close.ts';
import {
  type OptionContractDay,
  optionAnalyticsSources,
  optionBarSources,
  standingQuoteSources,
} from '@ticklake/market/option-rows.ts';
import { optionMinuteBars } from '@ticklake/market/option-trade-bars.ts';
import type { Sources } from '@ticklake/market/row-sources.ts';
import { counted } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import {
  type Codes,
  type Doubles,
  orNull,
  orZero,
  quantityOrZero,
} from '../engine/gathered-columns.ts';
import type { RowBuffer } from '../engine/row-buffer.ts';
import { addDays } from '../request/literals.ts';
import {
  bufferRows,
  type ComputationInput,
  plainComputation,
  referencedComputation,
} from './computation.ts';
import {
  type EventColumns,
  type InstrumentDay,
  instrumentDays,
  instrumentPieces,
  placeOfDay,
} from './instrument-days.ts';
import { referenceRows } from './reference-rows.ts';

/** Columns of events, with those of their contracts. */
function contractEventColumns({ texts, numbers }: EventColumns): EventColumns {
  return {
    texts: ['CallPut', ...texts],
    numbers: ['Strike', 'ExpirationDate', ...numbers],
  };
}

interface ContractDay extends OptionContractDay {
  /** Tells the contracts of a root apart. */
  readonly key: string;
  readonly expirationDays: number;
  /** The places of its events among those of the root. */
  readonly places: readonly number[];
}

interface Gathered extends ContractDay {
  readonly places: number[];
}

/** By expiration, strike and right, as rows of contracts are ordered. */
function compareContracts(a: ContractDay, b: ContractDay): number {
  if (a.expirationDays !== b.expirationDays) return a.expirationDays - b.expirationDays;
  if (a.strike !== b.strike) return a.strike - b.strike;
  return a.callPut < b.callPut ? -1 : 1;
}

interface RootDay {
  readonly contracts: readonly ContractDay[];
  /** How many events do not say which contract they are of. */
  readonly unknownCount: number;
}

/** The contracts of a root's day, whose events have the columns of `contractEventColumns`. */
function contractsOf({ date, ticker, events }: InstrumentDay): RootDay {
  const rights = events.codes('CallPut');
  const [strikes, expirations] = [events.doubles('Strike'), events.doubles('ExpirationDate')];
  const contracts = new Map<string, Gathered>();
  let unknownCount = 0;
  for (let place = 0; place < events.length; place++) {
    const callPut = rights.textAt(place);
    const [strike, expirationDays] = [strikes.at(place), expirations.at(place)];
    if ((callPut !== 'C' && callPut !== 'P') || Number.isNaN(strike + expirationDays)) {
      unknownCount++;
      continue;
    }
    const key = `${expirationDays} ${strike} ${callPut}`;
    const known = contracts.get(key);
    if (known) known.places.push(place);
    else {
      const expiration = dateOfDays(expirationDays);
      const terms = { date, root: ticker, callPut, strike, expiration } as const;
      contracts.set(key, { ...terms, key, expirationDays, places: [place] });
    }
  }
  return { contracts: [...contracts.values()].sort(compareContracts), unknownCount };
}

const TICKS_RULE_VERSION = 1;
const BARS_RULE_VERSION = 2;

const TICK_COLUMNS = contractEventColumns({
  texts: ['Action', 'Side', 'Exchange', 'ConditionCode'],
  numbers: ['Price', 'Quantity', 'UnderBidPrice', 'UnderAskPrice'],
});

/** Actions of trades and of their cancellations, which may be followed by a space and more. */
const TRADE = /^[TC](?= |$)/;

/** Columns about the underlying that ticks of options do not have. */
const UNKNOWN_COLUMNS = {
  UnderBidSize: null,
  UnderBidTime: null,
  UnderAskSize: null,
  UnderAskTime: null,
  UnderLastTradePrice: null,
  UnderLastTradeSize: null,
  UnderLastTradeTime: null,
};

interface Trade {
  /** Position among the events. */
  readonly at: number;
  readonly type: string;
  readonly contract: ContractDay;
  readonly bid: StandingQuote | null;
  readonly ask: StandingQuote | null;
}

/** The quotes of a root's contracts on a date, as they stand after the ticks that it was given. */
class RootQuotes {
  readonly root: string;
  readonly date: string;
  readonly #quotes = new Map<string, LastQuotes>();

  constructor({ ticker, date }: InstrumentDay) {
    this.root = ticker;
    this.date = date;
  }

  /** The trades among further ticks of one contract. */
  *tradesOf({ events }: InstrumentDay, contract: ContractDay): Iterable<Trade> {
    const [actions, sides] = [events.codes('Action'), events.codes('Side')];
    const conditions = events.codes('ConditionCode');
    const [prices, quantities] = [events.doubles('Price'), events.doubles('Quantity')];
    const quotes = this.#quotes.getOrInsertComputed(contract.key, () => new LastQuotes());
    for (const at of contract.places) {
      const action = actions.textAt(at) ?? '';
      const [type] = TRADE.exec(action) ?? [];
      if (type) yield { at, type, contract, bid: quotes.bid, ask: quotes.ask };
      quotes.take({
        nanosOfDay: events.nanosOfDay.at(at),
        action,
        side: sides.textAt(at),
        price: orZero(prices, at),
        quantity: quantityOrZero(quantities, at),
        condition: conditions.textAt(at),
      });
    }
  }
}

function tradeSources(
  zone: string,
  { date, ticker, events }: InstrumentDay,
  trades: readonly Trade[],
): Sources {
  const texts = (column: Codes) => trades.map(({ at }) => column.textAt(at));
  const numbers = (column: Doubles) => Float64Array.from(trades, ({ at }) => column.at(at));
  return {
    TradeDate: date,
    EventDateTime: { zone, date, nanosOfDay: numbers(events.nanosOfDay) },
    Ticker: ticker,
    CallPut: trades.map(({ contract }) => contract.callPut),
    Strike: Float64Array.from(trades, ({ contract }) => contract.strike),
    ExpirationDate: trades.map(({ contract }) => contract.expirationDays),
    EventType: trades.map(({ type }) => type),
    Price: numbers(events.doubles('Price')),
    Quantity: trades.map(({ at }) => orNull(events.doubles('Quantity').quantityAt(at))),
    Exchange: texts(events.codes('Exchange')),
    ConditionCode: texts(events.codes('ConditionCode')),
    ...standingQuoteSources(trades),
    UnderBidPrice: numbers(events.doubles('UnderBidPrice')),
    UnderAskPrice: numbers(events.doubles('UnderAskPrice')),
    ...UNKNOWN_COLUMNS,
  };
}

function optionTradeTicks(input: ComputationInput): AsyncIterable<ColumnBatch> {
  const { output, warn } = input;
  let open: RootQuotes | null = null;
  return bufferRows(output, instrumentPieces(input, TICK_COLUMNS), (buffer, piece) => {
    if (open?.root !== piece.ticker || open.date !== piece.date) open = new RootQuotes(piece);
    const { contracts, unknownCount } = contractsOf(piece);
    if (unknownCount > 0) warn(`ticks of ${piece.ticker} without their contract are left out`);
    const quotes = open;
    const trades = contracts.flatMap((contract) => [...quotes.tradesOf(piece, contract)]);
    trades.sort((a, b) => a.at - b.at);
    buffer.append(trades.length, tradeSources(output.timeZone, piece, trades));
  });
}

const TRADE_COLUMNS = contractEventColumns({
  texts: ['EventType', 'ConditionCode', 'Exchange'],
  numbers: ['Price', 'Quantity', 'UnderBidPrice', 'UnderAskPrice'],
});

function* optionTrades(
  { events }: InstrumentDay,
  { places }: ContractDay,
): Iterable<OptionTradeEvent> {
  const types = events.codes('EventType');
  const [conditions, exchanges] = [events.codes('ConditionCode'), events.codes('Exchange')];
  const [prices, quantities] = [events.doubles('Price'), events.doubles('Quantity')];
  const [underBids, underAsks] = [events.doubles('UnderBidPrice'), events.doubles('UnderAskPrice')];
  for (const at of places) {
    yield {
      nanosOfDay: events.nanosOfDay.at(at),
      type: types.textAt(at) === 'T' ? 'T' : 'C',
      price: orZero(prices, at),
      quantity: quantityOrZero(quantities, at),
      exchange: exchanges.textAt(at) ?? '',
      condition: conditions.textAt(at) ?? '',
      underBid: orNull(underBids.at(at)),
      underAsk: orNull(underAsks.at(at)),
    };
  }
}

function optionTradeBars(input: ComputationInput): AsyncIterable<ColumnBatch> {
  const { inputs, output, warn } = input;
  return bufferRows(output, instrumentDays(input, TRADE_COLUMNS), (buffer, root) => {
    const { contracts, unknownCount } = contractsOf(root);
    if (unknownCount > 0) {
      const place = placeOfDay(inputs[0], root);
      warn(`${place}: left out: ${counted(unknownCount, 'trade')} without a contract`);
    }
    for (const contract of contracts) {
      const table = optionMinuteBars(optionTrades(root, contract));
      buffer.append(table.rowCount, optionBarSources(contract, table));
    }
  });
}

/** Each trade with the quotes that stood then, in the order of the feed. */
export const OPTION_TRADE_TICKS = plainComputation(TICKS_RULE_VERSION, optionTradeTicks);
export const OPTION_TRADE_BARS = plainComputation(BARS_RULE_VERSION, optionTradeBars);

const GREEKS_RULE_VERSION = 2;

const QUOTE_COLUMNS = contractEventColumns({
  texts: ['Side', 'Action'],
  numbers: ['Price', 'Quantity', 'UnderBidPrice', 'UnderAskPrice'],
});

/** The state of a root's contracts on a date, as of the last tick before stock trading ends. */
class RootTicks {
  readonly root: string;
  readonly date: string;
  readonly #contracts = new Map<string, { contract: ContractDay; quotes: LastQuotes }>();
  underMid: number | null = null;
  unknownCount = 0;

  constructor({ ticker, date }: InstrumentDay) {
    this.root = ticker;
    this.date = date;
  }

  add(piece: InstrumentDay): void {
    const { contracts, unknownCount } = contractsOf(piece);
    this.unknownCount += unknownCount;
    for (const contract of contracts) this.#addQuotes(piece, contract);
    this.#addUnderlying(piece);
  }

  /** Contracts with a quote on either side, in natural order. */
  quoted() {
    return [...this.#contracts.values()]
      .filter(({ quotes: { bid, ask } }) => bid !== null || ask !== null)
      .sort((a, b) => compareContracts(a.contract, b.contract));
  }

  #addQuotes({ events }: InstrumentDay, contract: ContractDay): void {
    const [sides, actions] = [events.codes('Side'), events.codes('Action')];
    const [prices, quantities] = [events.doubles('Price'), events.doubles('Quantity')];
    const known = this.#contracts.getOrInsertComputed(contract.key, () => ({
      contract: { ...contract, places: [] },
      quotes: new LastQuotes(),
    }));
    const close = stockCloseNanos(this.date);
    for (const at of contract.places) {
      const nanosOfDay = events.nanosOfDay.at(at);
      if (nanosOfDay >= close) continue;
      known.quotes.take({
        nanosOfDay,
        action: actions.textAt(at) ?? '',
        side: sides.textAt(at),
        price: orZero(prices, at),
        quantity: quantityOrZero(quantities, at),
      });
    }
  }

  /** Takes the underlying's quotes from the last tick of any contract. */
  #addUnderlying({ events }: InstrumentDay): void {
    const [bids, asks] = [events.doubles('UnderBidPrice'), events.doubles('UnderAskPrice')];
    const close = stockCloseNanos(this.date);
    let last = events.length - 1;
    while (last >= 0 && events.nanosOfDay.at(last) >= close) last--;
    if (last < 0) return;
    this.underMid = underlyingMid(orNull(bids.at(last)), orNull(asks.at(last)));
  }
}

async function* rootsOf(pieces: AsyncIterable<InstrumentDay>): AsyncIterable<RootTicks> {
  let open: RootTicks | null = null;
  for await (const piece of pieces) {
    if (open && (open.root !== piece.ticker || open.date !== piece.date)) {
      yield open;
      open = null;
    }
    open ??= new RootTicks(piece);
    open.add(piece);
  }
  if (open) yield open;
}

function appendRoot(buffer: RowBuffer, ticks: RootTicks, close: RootClose): void {
  const style = exerciseStyleOf(close.root);
  for (const { contract, quotes } of ticks.quoted()) {
    const values = optionAnalytics(optionSnapshot(close, contract, quotes));
    buffer.append(1, optionAnalyticsSources(contract, style, values));
  }
}

/** Throws where the definition does not state it, which its checks see to. */
function interestRateOf({ textId, derivation }: Dataset): number {
  const rate = derivation?.parameters?.interest_rate;
  if (rate === undefined) throw new Error(`${textId} states no interest rate`);
  return rate;
}

function greeks(input: ComputationInput, dividends: Dividends): AsyncIterable<ColumnBatch> {
  const { inputs, output, warn } = input;
  const rate = interestRateOf(output);
  const days = rootsOf(instrumentPieces(input, QUOTE_COLUMNS));
  return bufferRows(output, days, (buffer, day) => {
    const { date, root, underMid, unknownCount } = day;
    if (unknownCount > 0) {
      const place = placeOfDay(inputs[0], { date, ticker: root });
      warn(`${place}: left out: ${counted(unknownCount, 'tick')} without a contract`);
    }
    const dividendYield = trailingDividendYield(dividends.get(root) ?? [], date);
    appendRoot(buffer, day, { root, date, underMid, rate, dividendYield });
  });
}

const DIVIDEND_COLUMNS = {
  Ticker: 'text',
  EffectiveDate: 'number',
  AdjustmentFactor: 'number',
  AdjustmentReason: 'text',
} as const;
const CASH_DIVIDEND = 'CashDiv';
const YEAR_DAYS = 366;

/** Cash dividends by the roots of options: symbols without punctuation, such as BRKB for BRK.B. */
type Dividends = ReadonlyMap<string, readonly DividendEvent[]>;

/** The cash dividends of the year up to the last of the dates, from adjustment factors. */
async function readDividends(input: ComputationInput): Promise<Dividends> {
  const { inputs, dates } = input;
  const dividends = new Map<string, DividendEvent[]>();
  const first = addDays(dates.start, -YEAR_DAYS);
  for await (const rows of referenceRows(input, inputs[1], DIVIDEND_COLUMNS, null)) {
    for (const { Ticker, EffectiveDate, AdjustmentFactor: factor, AdjustmentReason } of rows) {
      if (Ticker === null || EffectiveDate === null || factor === null) continue;
      if (AdjustmentReason !== CASH_DIVIDEND) continue;
      const effectiveDate = dateOfDays(EffectiveDate);
      if (effectiveDate < first || effectiveDate > dates.end) continue;
      const root = Ticker.replaceAll(/[^A-Z0-9]/g, '');
      dividends.getOrInsertComputed(root, () => []).push({ effectiveDate, factor });
    }
  }
  return dividends;
}

export const OPTION_GREEKS = referencedComputation({
  ruleVersion: GREEKS_RULE_VERSION,
  read: readDividends,
  digested: (dividends) => [...dividends].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  rows: greeks,
});
