/** The published version of one dataset at one moment. Immutable: a query plans against one snapshot. */
import type { Part, RowGroup } from '../engine/part.ts';

export interface DatasetSnapshot {
  readonly datasetId: string;
  /** 1 for the first publication, one more for each later one. */
  readonly version: number;
  /** UTC, whole seconds, `Z`. */
  readonly publishedAt: string;
  readonly vendor: string;
  readonly rowCount: number;
  readonly byteCount: number;
  /** First and last value of the dataset's date column, or null without rows or date column. */
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** In natural order: the rows of all parts, one after the other, are the dataset's rows. */
  readonly parts: readonly Part[];
  /**
   * The row groups of each of some parts, in the order in which these are named. Rejects where
   * one was replaced so long ago that the index has forgotten it.
   */
  rowGroups(parts: readonly Part[]): Promise<readonly (readonly RowGroup[])[]>;
  /** The row groups of their identifier orders likewise; null for a part that has none. */
  identifierOrders(parts: readonly Part[]): Promise<readonly (readonly RowGroup[] | null)[]>;
}
