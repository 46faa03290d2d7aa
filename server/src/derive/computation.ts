/** What a computation is: how the rows of a dataset come from those of others. */
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { DateSpan } from '../engine/query-plan.ts';

export interface ComputationInput {
  /** The dataset whose rows are computed. */
  readonly output: Dataset;
  readonly inputs: readonly Dataset[];
  /** The dates that are computed: those of one part of the first input; all where it is one whole. */
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
  /**
   * A text that differs whenever what was read of the inputs after the first does: rows that were computed
   * with another one are stale.
   */
  readonly mark: string;
  rows(): AsyncIterable<ColumnBatch>;
}

export interface Computation {
  /** One more with each change of what it computes: rows of an earlier one are stale. */
  readonly ruleVersion: number;
  /** Reads what it has to know besides the rows of the first input. */
  prepare(input: ComputationInput): Promise<PreparedRows>;
}

/** A computation that needs nothing but the rows of the first input. */
export function plainComputation(
  ruleVersion: number,
  rows: (input: ComputationInput) => AsyncIterable<ColumnBatch>,
): Computation {
  return {
    ruleVersion,
    prepare: async (input) => ({ mark: '', rows: () => rows(input) }),
  };
}
