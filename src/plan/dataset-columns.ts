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

/** The date of tick paths and of the look-back period. */
export function tradeDateOf(dataset: Dataset): Column {
  return columnOf(dataset, 'TradeDate');
}

/** The columns that the parameters of the dataset's path are matched with, each or one of each. */
export function pathColumnsOf(dataset: Dataset): Column[] {
  const columns: Readonly<Record<PathShape, () => Column[]>> = {
    tick: () => [tradeDateOf(dataset), ...columnsOf(dataset, dataset.identifierColumns)],
    identifier: () => columnsOf(dataset, dataset.identifierColumns),
    query: () => [],
  };
  return columns[dataset.pathShape]();
}

/** Of the columns, those that an identifier is matched with: the integer ids if it is all digits. */
export function columnsOfIdentifier(columns: readonly Column[], identifier: string): Column[] {
  const isInteger = (column: Column) => column.dataType === 'integer';
  const isNumber = /^\d+$/.test(identifier) && columns.some(isInteger);
  return columns.filter((column) => isInteger(column) === isNumber);
}
