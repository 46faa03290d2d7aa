/** SQL for the rows of a partition in the order in which they are written. */
import type { Dataset } from '../../catalog/dataset.ts';
import type { RemovedRows } from '../engine.ts';
import type { DateSpan } from '../query-plan.ts';
import { spanTaken, staysSql } from './removed-rows-sql.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { keysWithinPartition, partitionCondition } from './stage-order.ts';
import { columnList, ROW_ORDER, rowOrderKey, type StageTable } from './stage-table.ts';
import { storedSql } from './utc-columns.ts';

/** Rows of a partition file, of which all stay but for some. */
export interface ExistingRows {
  /** As SQL, with `file_row_number`; see `partitionSql`. */
  readonly source: string;
  readonly removed: RemovedRows | undefined;
}

export interface PartitionTarget {
  readonly key: string;
  readonly targetFile: string;
  /** Its rows come first among equal keys; null when there is none. */
  readonly existing: ExistingRows | null;
  /** The table lies in natural order. */
  readonly isSorted: boolean;
}

/** The dataset's columns of a partition file, as the stage's table has them. */
function storedColumnList(dataset: Dataset): string {
  const columns = dataset.columns.map((column) => {
    const stored = storedSql(column);
    return column.dataType === 'date-time'
      ? `make_timestamp_ns(${stored}) AS ${quoteName(column.name)}`
      : stored;
  });
  return columns.join(', ');
}

/** Of rows that lie in order: those that stay come before and behind them, so that there is nothing to sort. */
function selectAround(
  dataset: Dataset,
  source: string,
  staged: string,
  { start, end }: DateSpan,
): string {
  const date = quoteName(dataset.dateColumn ?? '');
  const columns = storedColumnList(dataset);
  return `SELECT ${columns} FROM ${source} WHERE ${date} < ${quoteText(start)}
    UNION ALL ${staged}
    UNION ALL SELECT ${columns} FROM ${source} WHERE ${date} > ${quoteText(end)} OR ${date} IS NULL`;
}

/** The rows of the partition in the order in which they are written. */
export async function selectPartition(
  table: StageTable,
  dataset: Dataset,
  target: PartitionTarget,
): Promise<string> {
  const columns = columnList(dataset);
  const condition = partitionCondition(dataset, target.key);
  const keys = keysWithinPartition(dataset).map((name) => `${quoteName(name)} ASC NULLS LAST`);
  const staged = `SELECT ${columns} FROM ${table.name} WHERE ${condition}`;
  if (target.existing === null) {
    if (target.isSorted) return staged;
    return `${staged} ORDER BY ${[...keys, `${await rowOrderKey(table)} ASC`].join(', ')}`;
  }
  const { source, removed } = target.existing;
  const isByDate = target.isSorted && dataset.naturalOrder[0] === dataset.dateColumn;
  const dates = isByDate && (await spanTaken(table, dataset, target.key, source, removed));
  if (dates) return selectAround(dataset, source, staged, dates);
  const stays = removed ? ` WHERE ${staysSql(table, dataset, target.key, removed)}` : '';
  const existing = `${source}${stays}`;
  return `SELECT ${columns} FROM (
      SELECT ${storedColumnList(dataset)}, 0 AS feed, file_row_number AS row_order FROM ${existing}
      UNION ALL
      SELECT ${columns}, 1 AS feed, ${ROW_ORDER} AS row_order FROM ${table.name} WHERE ${condition}
    ) ORDER BY ${[...keys, 'feed ASC', 'row_order ASC'].join(', ')}`;
}
