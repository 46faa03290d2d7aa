/** Columns of which a condition says the only value: they are not read, but known. */
import type { Column, DataType } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, daysOfDate, type StringVector } from './columns.ts';
import type { BoundValue } from './part.ts';
import type { QueryPlan } from './query-plan.ts';

type Repeat = (value: BoundValue, rowCount: number) => ColumnVector;

function repeatInteger(type: 'integer' | 'date-time'): Repeat {
  return (value, rowCount) => {
    const values = new BigInt64Array(rowCount).fill(value as bigint);
    return { type, values, nulls: null };
  };
}

function repeatText(value: BoundValue, rowCount: number): ColumnVector {
  const text = value as string;
  const values = new Array<string>(rowCount).fill(text);
  const writeCodes: StringVector['writeCodes'] = (codes, target, at, first, end) => {
    target.fill(codes.codeOf(text), at, at + end - first);
  };
  return { type: 'string', values, writeCodes };
}

/**
 * Repeats a value for a number of rows. Other types have to be read: equal values of `number` are
 * not always the same one, since there are two zeros.
 */
const REPEAT: Partial<Record<DataType, Repeat>> = {
  string: repeatText,
  integer: repeatInteger('integer'),
  'date-time': repeatInteger('date-time'),
  date: (value, rowCount) => {
    const values = new Int32Array(rowCount).fill(daysOfDate(value as string));
    return { type: 'date', values, nulls: null };
  },
};

export class OnlyValues {
  /** The plan's other columns, which have to be read. */
  readonly stored: readonly Column[];
  /** Makes a column that is not read; null for one that is. */
  readonly #repeats: readonly (((rowCount: number) => ColumnVector) | null)[];
  /** Columns of the longest batch so far, which serve shorter ones as well. */
  #known: readonly (ColumnVector | null)[] = [];
  #knownRows = 0;

  constructor(plan: QueryPlan) {
    this.#repeats = plan.columns.map(({ name, dataType }) => {
      const named = plan.predicates.find(
        ({ column, operator }) => column.name === name && operator === 'eq',
      );
      const repeat = REPEAT[dataType];
      if (!named || !('value' in named) || !repeat) return null;
      return (rowCount) => repeat(named.value, rowCount);
    });
    this.stored = plan.columns.filter((_, c) => this.#repeats[c] === null);
  }

  /** A batch of the stored columns -> one of all columns. */
  complete(batch: ColumnBatch): ColumnBatch {
    const { rowCount, columns } = batch;
    if (this.stored.length === this.#repeats.length) return batch;
    if (rowCount > this.#knownRows) {
      this.#knownRows = rowCount;
      this.#known = this.#repeats.map((repeat) => repeat?.(rowCount) ?? null);
    }
    const stored = columns.values();
    const all = this.#known.map((known) => known ?? (stored.next().value as ColumnVector));
    return { ...batch, columns: all };
  }
}
