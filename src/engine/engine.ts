/**
 * The engine behind the service. A query engine runs plans; a stage turns loaded rows into sorted,
 * immutable partition files. Each engine lives in a folder of its own and nothing outside names it.
 */
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../plan/query-plan.ts';
import type { ColumnBatch } from './columns.ts';

export interface QueryEngine {
  /**
   * Runs a plan and yields its rows: at most `plan.limit + 1` of them, so that the caller knows
   * whether a next page exists. Columns come in the order of `plan.columns`. Aborting the signal
   * stops the engine's work and rejects with the signal's reason.
   */
  run(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch>;
  close(): Promise<void>;
}

/** A value as bounds hold it: date as `YYYY-MM-DD`, integer and date-time (UTC ns) as bigint. */
export type BoundValue = string | number | bigint;

export interface ColumnBounds {
  /** Least and greatest value that is not null; both null where every value is null. */
  readonly min: BoundValue | null;
  readonly max: BoundValue | null;
}

export interface RowGroup {
  readonly rowCount: number;
  /** Stored bytes of all its columns. */
  readonly byteCount: number;
  /** For each indexed column (sort keys and identifiers). */
  readonly bounds: Readonly<Record<string, ColumnBounds>>;
}

export interface PartitionFile {
  readonly rowCount: number;
  readonly byteCount: number;
  readonly rowGroups: readonly RowGroup[];
}

/** The columns whose bounds the index keeps: sort keys, identifiers, universe, date. */
export function indexedColumns(dataset: Dataset): string[] {
  return [
    ...new Set([
      ...dataset.naturalOrder,
      ...dataset.identifierColumns,
      ...dataset.universeColumns,
      ...(dataset.dateColumn === null ? [] : [dataset.dateColumn]),
    ]),
  ].filter((name) => dataset.columnByName.get(name)?.dataType !== 'array of string');
}
