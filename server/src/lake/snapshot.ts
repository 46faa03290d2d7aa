/** What is published of one dataset at one moment. Immutable: a query plans against one snapshot. */
import type { Partition, RowGroup } from '../engine/partition.ts';

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
  /** In natural order: the rows of all partitions, one after the other, are the dataset's rows. */
  readonly partitions: readonly Partition[];
  /**
   * The row groups of each of some partitions, in the order in which these are named. Rejects where
   * one was replaced so long ago that the index has forgotten it.
   */
  rowGroups(partitions: readonly Partition[]): Promise<readonly (readonly RowGroup[])[]>;
}
