/** The analytics of option contracts at the end of a day, from their ticks. */
import { createHash } from 'node:crypto';
import { optionAnalytics } from '@ticklake/market/option-analytics.ts';
import {
  exerciseStyleOf,
  LastQuotes,
  optionSnapshot,
  type RootClose,
  stockCloseNanos,
  trailingDividendYield,
  underlyingMid,
} from '@ticklake/market/option-close.ts';
import { optionAnalyticsSources } from '@ticklake/market/option-rows.ts';
import { counted } from '../base/counted.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { type Codes, type Doubles, orZero } from '../engine/gathered-columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import type { Computation, ComputationInput } from './computation.ts';
import { type Dividends, readDividends } from './dividends.ts';
import {
  type InstrumentDay,
  instrumentPieces,
  placeOfDay,
  tickColumnsOf,
} from './instrument-days.ts';
import {
  type ContractDay,
  compareContracts,
  contractEventColumns,
  contractsOf,
} from './option-contracts.ts';

const RULE_VERSION = 2;

const TICK_COLUMNS = contractEventColumns({
  texts: ['Side', 'Action'],
  numbers: ['Price', 'Quantity', 'UnderBidPrice', 'UnderAskPrice'],
});

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

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

  /** Those with a quote on either side, in natural order. */
  quoted() {
    return [...this.#contracts.values()]
      .filter(({ quotes: { bid, ask } }) => bid !== null || ask !== null)
      .sort((a, b) => compareContracts(a.contract, b.contract));
  }

  #addQuotes({ events }: InstrumentDay, contract: ContractDay): void {
    const [, sides, actions] = events.texts as readonly [Codes, Codes, Codes];
    const [, , prices, quantities] = events.numbers as readonly Doubles[] as [
      ...[Doubles, Doubles, Doubles, Doubles],
    ];
    const { expirationDays, strike, callPut, places } = contract;
    const key = `${expirationDays} ${strike} ${callPut}`;
    const known = this.#contracts.get(key) ?? {
      contract: { ...contract, places: [] },
      quotes: new LastQuotes(),
    };
    this.#contracts.set(key, known);
    const close = stockCloseNanos(this.date);
    for (const at of places) {
      const nanosOfDay = events.nanosOfDay.at(at);
      if (nanosOfDay >= close) continue;
      known.quotes.take({
        nanosOfDay,
        action: actions.textAt(at) ?? '',
        side: sides.textAt(at),
        price: orZero(prices, at),
        quantity: orZero(quantities, at),
      });
    }
  }

  /** By the last tick of any contract. */
  #addUnderlying({ events }: InstrumentDay): void {
    const [bids, asks] = events.numbers.slice(-2) as [Doubles, Doubles];
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

async function* greeks(input: ComputationInput, dividends: Dividends): AsyncIterable<ColumnBatch> {
  const { inputs, output, dates, read, warn } = input;
  const [ticks] = inputs;
  if (!ticks) return;
  const rate = interestRateOf(output);
  const buffer = new RowBuffer(output);
  const batches = read(ticks, tickColumnsOf(ticks, TICK_COLUMNS), dates);
  for await (const day of rootsOf(instrumentPieces(ticks, TICK_COLUMNS, batches))) {
    const { date, root, underMid, unknownCount } = day;
    if (unknownCount > 0) {
      const place = placeOfDay(ticks, { date, ticker: root });
      warn(`${place}: left out: ${counted(unknownCount, 'tick')} without a contract`);
    }
    const dividendYield = trailingDividendYield(dividends.get(root) ?? [], date);
    appendRoot(buffer, day, { root, date, underMid, rate, dividendYield });
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

export const OPTION_GREEKS: Computation = {
  ruleVersion: RULE_VERSION,
  async prepare(input) {
    const dividends = await readDividends(input);
    const text = JSON.stringify([...dividends].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const mark = createHash('sha256').update(text).digest('hex');
    return { mark, rows: () => greeks(input, dividends) };
  },
};
