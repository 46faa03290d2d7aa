/**
 * Combiners build the columns of bars. Each keeps its column's values of all open bars, each under
 * the bar's slot.
 */
import { type Quantity, QuantitySum, quantityOf } from '@ticklake/market/quantity.ts';
import { divideToEven } from '@ticklake/market/rounding.ts';
import { ApiError } from '../base/errors.ts';
import { DECIMAL_DIGITS_MAX } from '../catalog/column-types.ts';
import type { Dataset } from '../catalog/dataset.ts';
import {
  AVERAGE_DECIMALS_MAX,
  type BarRule,
  type BarRules,
  type OWN_RULES,
} from '../catalog/interval.ts';
import { type CellValue, type ColumnVector, cellAt, type NumberVector } from '../engine/columns.ts';
import { unitsReader } from '../engine/gathered-columns.ts';
import { problemAt } from '../request/request-problem.ts';
import type { BarLabel } from './bar-clock.ts';
import { Halves } from './subjects.ts';

/** No row of those that were looked at. */
const NO_ROW = -1;
const NANOS_PER_SECOND = 1_000_000_000;

/** Vectors of a batch by the name of their column. */
export type Vectors = (column: string) => ColumnVector;

export interface Combiner {
  /** Tells which vectors the next rows are in. */
  begin(vectors: Vectors): void;
  /** Adds the rows from `first` up to `end` to a bar. */
  add(slot: number, first: number, end: number): void;
  /** The value of a bar, whose slot is free from then on. */
  take(slot: number, label: BarLabel): CellValue;
}

type Chooser = (vector: ColumnVector, first: number, end: number, kept: CellValue) => number;

/** Keeps the row whose value `isBetter`; of equal ones, the first. */
function best(isBetter: (value: number, than: number) => boolean): Chooser {
  const bestNumber = (
    { values, nulls }: NumberVector,
    first: number,
    end: number,
    kept: CellValue,
  ) => {
    let chosen = NO_ROW;
    let least = (kept ?? Number.NaN) as number;
    for (let row = first; row < end; row++) {
      const value = values[row] as number;
      if ((nulls !== null && nulls[row] === 1) || Number.isNaN(value)) continue;
      // Nothing is better than NaN, which stands for nothing yet.
      if (!Number.isNaN(least) && !isBetter(value, least)) continue;
      chosen = row;
      least = value;
    }
    return chosen;
  };
  return (vector, first, end, kept) => {
    if (vector.type === 'number') return bestNumber(vector, first, end, kept);
    let chosen = NO_ROW;
    let least = kept;
    for (let row = first; row < end; row++) {
      const value = cellAt(vector, row);
      if (value === null || (least !== null && !isBetter(value as number, least as number)))
        continue;
      chosen = row;
      least = value;
    }
    return chosen;
  };
}

type Choosing = Exclude<(typeof OWN_RULES)[number], 'sum'>;

const CHOOSERS: Readonly<Record<Choosing, Chooser>> = {
  first: (vector, first, end, kept) => {
    if (kept !== null) return NO_ROW;
    for (let row = first; row < end; row++) if (cellAt(vector, row) !== null) return row;
    return NO_ROW;
  },
  last: (vector, first, end) => {
    for (let row = end - 1; row >= first; row--) if (cellAt(vector, row) !== null) return row;
    return NO_ROW;
  },
  high: best((value, than) => value > than),
  low: best((value, than) => value < than),
};

/** Keeps something of its column's rows for each open bar. */
abstract class Keeper<Kept> implements Combiner {
  protected readonly column: string;
  protected readonly kept: (Kept | null)[] = [];
  protected vector!: ColumnVector;

  constructor(column: string) {
    this.column = column;
  }

  begin(vectors: Vectors): void {
    this.vector = vectors(this.column);
  }

  abstract add(slot: number, first: number, end: number): void;

  take(slot: number, label: BarLabel): CellValue {
    const kept = this.kept[slot] ?? null;
    this.kept[slot] = null;
    return kept === null ? null : this.cellOf(kept, label);
  }

  protected abstract cellOf(kept: Kept, label: BarLabel): CellValue;
}

class Choice extends Keeper<CellValue> {
  /** The row whose value was kept of those added last; `NO_ROW`: an earlier one stays. */
  chosen = NO_ROW;
  readonly #choose: Chooser;

  constructor(column: string, kind: Choosing) {
    super(column);
    this.#choose = CHOOSERS[kind];
  }

  add(slot: number, first: number, end: number): void {
    this.chosen = this.#choose(this.vector, first, end, this.kept[slot] ?? null);
    if (this.chosen !== NO_ROW) this.kept[slot] = cellAt(this.vector, this.chosen);
  }

  protected cellOf(kept: CellValue): CellValue {
    return kept;
  }
}

class Sum extends Keeper<bigint> {
  readonly #decimalDigits: number;
  #halves: Halves | null = null;

  constructor(column: string, decimalDigits: number) {
    super(column);
    this.#decimalDigits = decimalDigits;
  }

  override begin(vectors: Vectors): void {
    super.begin(vectors);
    this.#halves = this.vector.type === 'integer' ? new Halves(this.vector.values) : null;
  }

  add(slot: number, first: number, end: number): void {
    const kept = this.kept[slot] ?? null;
    const more = this.#sumOf(first, end);
    this.kept[slot] = kept === null || more === null ? (kept ?? more) : kept + more;
  }

  protected cellOf(sum: bigint): CellValue {
    const end = this.#halves ? 2n ** 63n : 10n ** BigInt(this.#decimalDigits);
    if (-end < sum && sum < end) return sum;
    const msg = `A bar's sum of ${this.column} is too large: ask for shorter bars, or leave the column out`;
    throw new ApiError('invalid', [
      problemAt(['query', 'columns'], 'out_of_range', msg, this.column),
    ]);
  }

  #sumOf(first: number, end: number): bigint | null {
    const { vector } = this;
    if (this.#halves && 'nulls' in vector) return this.#halves.sum(first, end, vector.nulls);
    let sum: bigint | null = null;
    for (let row = first; row < end; row++) {
      const value = cellAt(vector, row) as bigint | null;
      if (value !== null) sum = (sum ?? 0n) + value;
    }
    return sum;
  }
}

/** Weights as whole numbers: those of decimals in units of their last digit, which all share. */
function weightReader(vector: ColumnVector): (row: number) => Quantity | null {
  if (vector.type === 'integer') {
    const { values, nulls } = vector;
    const halves = new Halves(values);
    return (row) => {
      if (nulls?.[row] === 1) return null;
      const near = halves.near(row);
      return Number.isSafeInteger(near) ? near : (values[row] as bigint);
    };
  }
  const unitsAt = unitsReader(vector);
  return (row) => {
    const units = unitsAt(row);
    return units === null ? null : quantityOf(units);
  };
}

class WeightedAverage extends Keeper<ExactAverage> {
  readonly #weightColumn: string;
  readonly #decimals: number;
  #weightAt!: (row: number) => Quantity | null;

  constructor(column: string, weightColumn: string, decimals: number) {
    super(column);
    this.#weightColumn = weightColumn;
    this.#decimals = decimals;
  }

  override begin(vectors: Vectors): void {
    super.begin(vectors);
    this.#weightAt = weightReader(vectors(this.#weightColumn));
  }

  add(slot: number, first: number, end: number): void {
    const average = this.kept[slot] ?? new ExactAverage();
    this.kept[slot] = average;
    const { values, nulls } = this.vector as NumberVector;
    for (let row = first; row < end; row++) {
      const value = values[row] as number;
      if (nulls?.[row] === 1 || !Number.isFinite(value)) continue;
      const weight = this.#weightAt(row);
      if (weight !== null) average.add(value, weight);
    }
  }

  protected cellOf(average: ExactAverage): CellValue {
    return average.value(this.#decimals);
  }
}

/** The value of the row that another column has its value from. */
class Companion extends Keeper<CellValue> {
  readonly #leader: Choice;

  constructor(column: string, leader: Choice) {
    super(column);
    this.#leader = leader;
  }

  add(slot: number): void {
    const row = this.#leader.chosen;
    if (row !== NO_ROW) this.kept[slot] = cellAt(this.vector, row);
  }

  protected cellOf(kept: CellValue): CellValue {
    return kept;
  }
}

/** For seconds from the start of a bar: kept as the moment that they lead to. */
class Offset extends Keeper<bigint> {
  readonly #timeColumn: string;
  readonly #leader: Choice;
  #times!: ColumnVector;

  constructor(column: string, timeColumn: string, leader: Choice) {
    super(column);
    this.#timeColumn = timeColumn;
    this.#leader = leader;
  }

  override begin(vectors: Vectors): void {
    super.begin(vectors);
    this.#times = vectors(this.#timeColumn);
  }

  add(slot: number): void {
    const row = this.#leader.chosen;
    if (row === NO_ROW) return;
    const seconds = cellAt(this.vector, row) as number | null;
    const start = cellAt(this.#times, row) as bigint;
    this.kept[slot] =
      seconds === null ? null : start + BigInt(Math.round(seconds * NANOS_PER_SECOND));
  }

  protected cellOf(moment: bigint, { timeNanos }: BarLabel): CellValue {
    return Number(moment - timeNanos) / NANOS_PER_SECOND;
  }
}

/** Combiners of `columns`, after those that they depend on. */
export function combinersOf(
  { columns: rules, time, averageDecimals }: BarRules,
  columns: readonly string[],
  dataset: Pick<Dataset, 'columnByName'> | null = null,
): ReadonlyMap<string, Combiner> {
  const combiners = new Map<string, Combiner>();
  const choiceOf = (column: string): Choice => {
    const known = combiners.get(column);
    if (known instanceof Choice) return known;
    const rule = rules.get(column) as { readonly kind: Choosing };
    const choice = new Choice(column, rule.kind);
    combiners.set(column, choice);
    return choice;
  };
  const combinerOf = (column: string, rule: BarRule): Combiner => {
    switch (rule.kind) {
      case 'sum':
        return new Sum(column, dataset?.columnByName.get(column)?.precision ?? DECIMAL_DIGITS_MAX);
      case 'weighted':
        return new WeightedAverage(column, rule.other, averageDecimals);
      case 'beside':
        return new Companion(column, choiceOf(rule.other));
      case 'offset':
        return new Offset(column, time ?? '', choiceOf(rule.other));
      default:
        return choiceOf(column);
    }
  };
  for (const column of columns) {
    const rule = rules.get(column);
    if (rule) combiners.set(column, combinerOf(column, rule));
  }
  return combiners;
}

const VALUE_DECIMALS = AVERAGE_DECIMALS_MAX;
const VALUE_SCALE = 10 ** VALUE_DECIMALS;

export class ExactAverage {
  /** Sum of value times weight in units of `VALUE_DECIMALS`. */
  readonly #worth = new QuantitySum();
  readonly #weight = new QuantitySum();

  /** `value` is finite. */
  add(value: number, weight: Quantity): void {
    this.#weight.add(weight);
    this.#worth.addProduct(Math.round(value * VALUE_SCALE), weight);
  }

  /** To so many decimals, ties to the even digit; null: nothing has a weight. */
  value(decimals: number): number | null {
    const weight = BigInt(this.#weight.value);
    if (weight <= 0n) return null;
    const unitsPerResultUnit = BigInt(10 ** (VALUE_DECIMALS - decimals));
    const units = divideToEven(BigInt(this.#worth.value), weight * unitsPerResultUnit);
    return Number(units) / 10 ** decimals;
  }
}
