/** How many rows and identifiers a plan finds of each day. */
import type { Column, Dataset } from '../catalog/dataset.ts';

export interface DayCount {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly rowCount: number;
  /** Different values of the identifier; null where rows have none. */
  readonly identifierCount: number | null;
}

/** The column of a dataset's date; throws where it has none. */
export function countedDate({ datasetId, dateColumn, columnByName }: Dataset): Column {
  const column = columnByName.get(dateColumn ?? '');
  if (!column) throw new Error(`dataset ${datasetId} has no date`);
  return column;
}

/** The column whose values are counted; null: rows are about nothing that can be counted. */
export function countedIdentifier(dataset: Dataset): Column | null {
  const { identifierColumns, universeColumns, columnByName } = dataset;
  const [name = ''] = [...identifierColumns, ...universeColumns];
  const column = columnByName.get(name);
  return column?.dataType === 'string' || column?.dataType === 'integer' ? column : null;
}
