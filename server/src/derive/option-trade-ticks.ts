/** The trades among ticks of options, each with the quotes that stood then. */
import { LastQuotes, type StandingQuote } from '@ticklake/market/option-close.ts';
import { standingQuoteSources } from '@ticklake/market/option-rows.ts';
import type { Sources } from '@ticklake/market/row-sources.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type ComputationInput, plainComputation } from './computation.ts';
import { type InstrumentDay, instrumentPieces, tickColumnsOf } from './instrument-days.ts';
import { type ContractDay, contractEventColumns, contractsOf } from './option-contracts.ts';

const RULE_VERSION = 1;

const TICK_COLUMNS = contractEventColumns({
  texts: ['Action', 'Side', 'Exchange', 'ConditionCode'],
  numbers: ['Price', 'Quantity', 'UnderBidPrice', 'UnderAskPrice'],
});

/** Of trades and of their cancellations, which may be followed by a space and more. */
const TRADE = /^[TC](?= |$)/;

/** What ticks of options do not tell of the underlying. */
const UNTOLD = {
  ...{ UnderBidSize: null, UnderBidTime: null, UnderAskSize: null, UnderAskTime: null },
  ...{ UnderLastTradePrice: null, UnderLastTradeSize: null, UnderLastTradeTime: null },
};

interface Trade {
  /** Its place among the events. */
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
    const [, actions, sides, , conditions] = events.texts as [
      ...[Codes, Codes, Codes, Codes, Codes],
    ];
    const [, , prices, quantities] = events.numbers as readonly Doubles[] as [
      ...[Doubles, Doubles, Doubles, Doubles],
    ];
    const quotes = this.#quotesOf(contract);
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

  #quotesOf({ expirationDays, strike, callPut }: ContractDay): LastQuotes {
    const key = `${expirationDays} ${strike} ${callPut}`;
    const known = this.#quotes.get(key) ?? new LastQuotes();
    this.#quotes.set(key, known);
    return known;
  }
}

function tradeSources(
  zone: string,
  { date, ticker, events }: InstrumentDay,
  trades: readonly Trade[],
): Sources {
  const texts = (column: Codes) => trades.map(({ at }) => column.textAt(at));
  const numbers = (column: Doubles) => Float64Array.from(trades, ({ at }) => column.at(at));
  const [, , , exchanges, conditions] = events.texts as [...[Codes, Codes, Codes, Codes, Codes]];
  const [, , prices, quantities, underBids, underAsks] = events.numbers as readonly Doubles[] as [
    ...[Doubles, Doubles, Doubles, Doubles, Doubles, Doubles],
  ];
  return {
    TradeDate: date,
    EventDateTime: { zone, date, nanosOfDay: numbers(events.nanosOfDay) },
    Ticker: ticker,
    CallPut: trades.map(({ contract }) => contract.callPut),
    Strike: Float64Array.from(trades, ({ contract }) => contract.strike),
    ExpirationDate: trades.map(({ contract }) => contract.expirationDays),
    EventType: trades.map(({ type }) => type),
    Price: numbers(prices),
    Quantity: numbers(quantities),
    Exchange: texts(exchanges),
    ConditionCode: texts(conditions),
    ...standingQuoteSources(trades),
    UnderBidPrice: numbers(underBids),
    UnderAskPrice: numbers(underAsks),
    ...UNTOLD,
  };
}

async function* optionTrades(input: ComputationInput): AsyncIterable<ColumnBatch> {
  const { inputs, output, dates, read, warn } = input;
  const [ticks] = inputs;
  if (!ticks) return;
  const buffer = new RowBuffer(output);
  const batches = read(ticks, tickColumnsOf(ticks, TICK_COLUMNS), dates);
  let open: RootQuotes | null = null;
  for await (const piece of instrumentPieces(ticks, TICK_COLUMNS, batches)) {
    if (open?.root !== piece.ticker || open.date !== piece.date) open = new RootQuotes(piece);
    const { contracts, unknownCount } = contractsOf(piece);
    if (unknownCount > 0) warn(`ticks of ${piece.ticker} without their contract are left out`);
    const quotes = open;
    const trades = contracts.flatMap((contract) => [...quotes.tradesOf(piece, contract)]);
    trades.sort((a, b) => a.at - b.at);
    buffer.append(trades.length, tradeSources(output.timeZone, piece, trades));
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

/** In the order of the ticks, which is that of the feed. */
export const OPTION_TRADE_TICKS = plainComputation(RULE_VERSION, optionTrades);
