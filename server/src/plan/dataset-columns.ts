import type { Column, Dataset, PathShape } from '../catalog/dataset.ts';

/** A column that the catalogue or an earlier check guarantees. */
export function columnOf(dataset: Dataset, name: string): Column {
  const column = dataset.columnByName.get(name);
  if (!column) throw new Error(`dataset ${dataset.datasetId} has no column ${name}`);
  return column;
}

export function columnsOf(dataset: Dataset, names: readonly string[]): Column[] {
  return names.map((name) => columnOf(dataset, name));
}

/** The date of tick paths and of the look-back period; the catalogue sees to it that they have one. */
export function dateColumnOf(dataset: Dataset): Column {
  return columnOf(dataset, dataset.dateColumn ?? '');
}

/** The columns that the parameters of the dataset's path are matched with, each or one of each. */
export function pathColumnsOf(dataset: Dataset): Column[] {
  const columns: Readonly<Record<PathShape, () => Column[]>> = {
    tick: () => [dateColumnOf(dataset), ...columnsOf(dataset, dataset.identifierColumns)],
    identifier: () => columnsOf(dataset, dataset.identifierColumns),
    query: () => [],
  };
  return columns[dataset.pathShape]();
}

/** One way to write a dataset's path. */
export interface PathForm {
  /** The column that the identifier is matched with; null where the path takes none. */
  readonly identifierColumn: Column | null;
  /** All columns that the path gives. */
  readonly columns: readonly Column[];
}

/** One for each column that an identifier of the path may be matched with, else a single one. */
export function pathFormsOf(dataset: Dataset): PathForm[] {
  const identifiers = columnsOf(dataset, dataset.identifierColumns);
  const columns = pathColumnsOf(dataset);
  if (columns.length === 0) return [{ identifierColumn: null, columns }];
  return identifiers.map((identifierColumn) => ({
    identifierColumn,
    columns: columns.filter(
      (column) => column === identifierColumn || !identifiers.includes(column),
    ),
  }));
}

/** The columns that an identifier is compared with: the integer ids if it is all digits. */
export function columnsOfIdentifier(columns: readonly Column[], identifier: string): Column[] {
  const isInteger = (column: Column) => column.dataType === 'integer';
  const isNumber = /^\d+$/.test(identifier) && columns.some(isInteger);
  return columns.filter((column) => isInteger(column) === isNumber);
}
