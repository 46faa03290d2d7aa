/** Option contracts after their ticks: last quotes, trades, open interest. Pure. */
import { FIRM_NATIONAL_BEST, LastQuotes } from '@ticklake/market/option-close.ts';
import { isCounted } from '@ticklake/market/option-trade-bars.ts';
import type { Column } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, orNull, sizeReader, TextPool } from '../engine/gathered-columns.ts';
import {
  type CallPut,
  type ContractFilter,
  type ContractTerms,
  isCallPut,
  isWanted,
} from './option-contract.ts';

/** The dataset of ticks, by its text id. */
export const OPTION_TICKS = 'opt_tanq';

export const TICK_COLUMNS = [
  ...(['EventDateTime', 'Ticker', 'CallPut', 'Strike', 'ExpirationDate'] as const),
  ...(['Action', 'Side', 'Price', 'Quantity', 'ConditionCode'] as const),
  ...(['UnderBidPrice', 'UnderAskPrice'] as const),
] as const;

type TickColumn = (typeof TICK_COLUMNS)[number];

export interface LastTrade {
  readonly price: number;
  readonly quantity: number;
  /** Since `midnight` of the ticks. */
  readonly nanosOfDay: number;
}

/** A contract as its ticks leave it. */
export class ContractState {
  readonly terms: ContractTerms;
  readonly quotes = new LastQuotes();
  trade: LastTrade | null = null;
  /** Contracts. */
  openInterest: number | null = null;

  constructor(terms: ContractTerms) {
    this.terms = terms;
  }
}

/** The underlying's quotes at a tick of its options. */
export interface UnderlyingQuote {
  readonly bid: number | null;
  readonly ask: number | null;
  readonly nanosOfDay: number;
}

type Take = (state: ContractState, tick: TickBatch, row: number) => void;

function takeQuote({ quotes }: ContractState, tick: TickBatch, row: number): void {
  quotes.take({
    nanosOfDay: tick.nanosOfDay(row),
    action: FIRM_NATIONAL_BEST,
    side: tick.textOf(tick.sides, row),
    price: tick.price(row),
    quantity: tick.quantity(row),
  });
}

function takeTrade(state: ContractState, tick: TickBatch, row: number): void {
  const [price, quantity] = [tick.price(row), tick.quantity(row)];
  const condition = tick.textOf(tick.conditions, row) ?? '';
  if (!isCounted({ type: 'T', price, quantity, condition })) return;
  state.trade = { price, quantity, nanosOfDay: tick.nanosOfDay(row) };
}

function takeOpenInterest(state: ContractState, tick: TickBatch, row: number): void {
  state.openInterest = orNull(tick.quantity(row));
}

/** How a tick's action changes its contract; other actions change nothing. */
function takerOf(action: string | null): Take | null {
  if (action === FIRM_NATIONAL_BEST) return takeQuote;
  const [kind] = action?.split(' ') ?? [];
  if (kind === 'T') return takeTrade;
  return kind === 'OI' ? takeOpenInterest : null;
}

/** The columns of a batch, read row by row; those of texts as codes of the pool. */
function tickBatch(
  columns: readonly Column[],
  { rowCount, columns: vectors }: ColumnBatch,
  pool: TextPool,
  midnight: bigint,
) {
  const placeOf = (name: TickColumn) => columns.findIndex((column) => column.name === name);
  const vectorOf = (name: TickColumn) => vectors[placeOf(name)] as ColumnVector;
  const codesOf = (name: TickColumn) => {
    const codes = new Int32Array(rowCount);
    pool.writeCodes(vectorOf(name), codes, 0, 0, rowCount);
    return codes;
  };
  const times = vectorOf('EventDateTime').values as BigInt64Array;
  return {
    rowCount,
    price: doubleReader(vectorOf('Price')),
    quantity: sizeReader(vectorOf('Quantity'), columns[placeOf('Quantity')] as Column),
    strike: doubleReader(vectorOf('Strike')),
    expirationDays: doubleReader(vectorOf('ExpirationDate')),
    underBid: doubleReader(vectorOf('UnderBidPrice')),
    underAsk: doubleReader(vectorOf('UnderAskPrice')),
    roots: codesOf('Ticker'),
    rights: codesOf('CallPut'),
    actions: codesOf('Action'),
    sides: codesOf('Side'),
    conditions: codesOf('ConditionCode'),
    textOf: (codes: Int32Array, row: number) => pool.textOf(codes[row] as number),
    nanosOfDay: (row: number) => Number((times[row] as bigint) - midnight),
  };
}

type TickBatch = ReturnType<typeof tickBatch>;

/** A number that tells root, right and expiration apart: fewer than 2^31 roots, days below 2^20. */
function seriesKey(rootCode: number, callPut: CallPut, expirationDays: number): number {
  return (rootCode * 2 + (callPut === 'C' ? 0 : 1)) * 1_048_576 + expirationDays;
}

/** Made once, as it is needed for each tick. */
const noStates = () => new Map<number, ContractState | null>();

/** Memory is that of the contracts, however many ticks they have. */
export class ChainTicks {
  /** UTC nanoseconds that times count from. */
  readonly midnight: bigint;
  underlying: UnderlyingQuote | null = null;
  readonly #columns: readonly Column[];
  readonly #filter: ContractFilter;
  readonly #pool = new TextPool();
  readonly #takers: (Take | null)[] = [];
  /** By series, then by strike; null: nobody wants it. */
  readonly #states = new Map<number, Map<number, ContractState | null>>();

  constructor(columns: readonly Column[], filter: ContractFilter, midnight: bigint) {
    this.#columns = columns;
    this.#filter = filter;
    this.midnight = midnight;
  }

  /** Ticks that follow those before, of each root in the order of the feed. */
  take(batch: ColumnBatch): void {
    const tick = tickBatch(this.#columns, batch, this.#pool, this.midnight);
    const { actions, roots } = tick;
    for (let row = 0; row < tick.rowCount; row++) {
      const take = this.#takerOf(actions[row] as number);
      const state = this.#stateOf(tick, row);
      if (take && state) take(state, tick, row);
      if (roots[row] !== roots[row + 1]) this.#takeUnderlying(tick, row);
    }
  }

  /** Wanted contracts that have a tick. */
  contracts(): ContractState[] {
    const states = [...this.#states.values()].flatMap((byStrike) => [...byStrike.values()]);
    return states.filter((state) => state !== null);
  }

  #takerOf(actionCode: number): Take | null {
    const known = this.#takers[actionCode];
    if (known !== undefined) return known;
    const taker = takerOf(this.#pool.textOf(actionCode));
    this.#takers[actionCode] = taker;
    return taker;
  }

  #stateOf(tick: TickBatch, row: number): ContractState | null {
    const callPut = tick.textOf(tick.rights, row);
    const [days, strike] = [tick.expirationDays(row), tick.strike(row)];
    if (!isCallPut(callPut) || Number.isNaN(days + strike)) return null;
    const series = seriesKey(tick.roots[row] as number, callPut, days);
    const byStrike = this.#states.getOrInsertComputed(series, noStates);
    const known = byStrike.get(strike);
    if (known !== undefined) return known;
    const root = tick.textOf(tick.roots, row) ?? '';
    const terms = { root, callPut, strike, expiration: dateOfDays(days) };
    const state = isWanted(this.#filter, terms) ? new ContractState(terms) : null;
    byStrike.set(strike, state);
    return state;
  }

  /** By the last tick up to the row that tells of it, if that is later than what is known. */
  #takeUnderlying(tick: TickBatch, end: number): void {
    const { roots } = tick;
    for (let row = end; row >= 0 && roots[row] === roots[end]; row--) {
      const [bid, ask] = [tick.underBid(row), tick.underAsk(row)];
      if (Number.isNaN(bid) && Number.isNaN(ask)) continue;
      const nanosOfDay = tick.nanosOfDay(row);
      if (this.underlying && this.underlying.nanosOfDay > nanosOfDay) return;
      this.underlying = { bid: orNull(bid), ask: orNull(ask), nanosOfDay };
      return;
    }
  }
}
