/** A computation: how the rows of a dataset come from those of others. */
import { createHash } from 'node:crypto';
import { isQuantityColumn } from '@ticklake/market/quantity.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { RowBuffer } from '../engine/row-buffer.ts';

export interface ComputationInput {
  /** The dataset whose rows are computed. */
  readonly output: Dataset;
  readonly inputs: readonly [Dataset, ...Dataset[]];
  /** The dates to compute: those of one part of the first input, or all. */
  readonly dates: DateSpan;
  /** Rows of an input in natural order, of some dates by its date column, or all. */
  read(
    input: Dataset,
    columns: readonly string[],
    dates: DateSpan | null,
  ): AsyncIterable<ColumnBatch>;
  /** Tells the operator of rows that could not be computed; the same text counts once. */
  warn(text: string): void;
}

/** Rows that have yet to be computed. */
export interface PreparedRows {
  /** Digest of the reference data. Rows computed with another one are stale. */
  readonly referenceDigest: string;
  rows(): AsyncIterable<ColumnBatch>;
}

export interface Computation {
  /** One more with each change of what it computes: rows of an earlier one are stale. */
  readonly ruleVersion: number;
  /** Reads the reference data: what it has to know besides the rows of the first input. */
  prepare(input: ComputationInput): Promise<PreparedRows>;
}

/** A computation that needs nothing but the rows of the first input. */
export function plainComputation(
  ruleVersion: number,
  rows: (input: ComputationInput) => AsyncIterable<ColumnBatch>,
): Computation {
  return {
    ruleVersion,
    prepare: async (input) => ({ referenceDigest: '', rows: () => rows(input) }),
  };
}

function withoutBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

interface ReferencedComputation<Reference> {
  readonly ruleVersion: number;
  /** Reads the reference data. */
  readonly read: (input: ComputationInput) => Promise<Reference>;
  /** The JSON value that differs whenever the reference data does; undefined: there is none. */
  readonly digested: (reference: Reference) => unknown;
  readonly rows: (input: ComputationInput, reference: Reference) => AsyncIterable<ColumnBatch>;
}

/** A computation that needs reference data, too. */
export function referencedComputation<Reference>({
  ruleVersion,
  read,
  digested,
  rows,
}: ReferencedComputation<Reference>): Computation {
  return {
    ruleVersion,
    async prepare(input) {
      const reference = await read(input);
      const text = JSON.stringify(digested(reference), withoutBigInts);
      const referenceDigest =
        text === undefined ? '' : createHash('sha256').update(text).digest('hex');
      return { referenceDigest, rows: () => rows(input, reference) };
    },
  };
}

/** A buffer that takes sizes and volumes in units of the last digit of their columns. */
export function unitBuffer(output: Dataset): RowBuffer {
  const columns = output.columns.map((column) =>
    column.dataType === 'decimal' && isQuantityColumn(column.name)
      ? { ...column, scale: 0 }
      : column,
  );
  return new RowBuffer({ ...output, columns });
}

/** Batches of the rows that `append` makes of each item. */
export async function* bufferRows<T>(
  output: Dataset,
  items: AsyncIterable<T> | Iterable<T>,
  append: (buffer: RowBuffer, item: T) => void,
): AsyncIterable<ColumnBatch> {
  const buffer = unitBuffer(output);
  for await (const item of items) {
    append(buffer, item);
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}
