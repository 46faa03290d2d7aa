/** Trades of options among their ticks, and the bars of these trades. */
import type { OptionTradeEvent } from '@ticklake/market/events.ts';
import { LastQuotes, type StandingQuote } from '@ticklake/market/option-close.ts';
import { optionBarSources, standingQuoteSources } from '@ticklake/market/option-rows.ts';
import { optionMinuteBars } from '@ticklake/market/option-trade-bars.ts';
import type { Sources } from '@ticklake/market/row-sources.ts';
import { counted } from '../base/printable.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import { bufferRows, type ComputationInput, plainComputation } from './computation.ts';
import {
  type InstrumentDay,
  instrumentDays,
  instrumentPieces,
  placeOfDay,
} from './instrument-days.ts';
import { type ContractDay, contractEventColumns, contractsOf } from './option-contracts.ts';

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
    const quotes = this.#quotes.get(contract.key) ?? new LastQuotes();
    this.#quotes.set(contract.key, quotes);
    for (const at of contract.places) {
      const action = actions.textAt(at) ?? '';
      const [type] = TRADE.exec(action) ?? [];
      if (type) yield { at, type, contract, bid: quotes.bid, ask: quotes.ask };
      quotes.take({
        nanosOfDay: events.nanosOfDay.at(at),
        action,
        side: sides.textAt(at),
        price: orZero(prices, at),
        quantity: orZero(quantities, at),
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
    Quantity: numbers(events.doubles('Quantity')),
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

function orNull(values: Doubles, at: number): number | null {
  const value = values.at(at);
  return Number.isNaN(value) ? null : value;
}

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
      quantity: orZero(quantities, at),
      exchange: exchanges.textAt(at) ?? '',
      condition: conditions.textAt(at) ?? '',
      underBid: orNull(underBids, at),
      underAsk: orNull(underAsks, at),
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
