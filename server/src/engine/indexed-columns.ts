/** Which columns of a dataset the index and the engines treat apart. Pure. */
import { isArray } from '../catalog/column-types.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';

/** The columns whose bounds the index keeps: sort keys, identifiers, universe, date. */
export function indexedColumns(dataset: Dataset): string[] {
  return [
    ...new Set([
      ...dataset.naturalOrder,
      ...dataset.identifierColumns,
      ...dataset.universeColumns,
      ...(dataset.dateColumn === null ? [] : [dataset.dateColumn]),
    ]),
  ].filter((name) => {
    const column = dataset.columnByName.get(name);
    return column !== undefined && !isArray(column.dataType);
  });
}

/** The text columns whose values requests and access rules name. */
export function identifierTextColumns(dataset: Dataset): ReadonlySet<string> {
  const names = [...dataset.identifierColumns, ...dataset.universeColumns];
  return new Set(names.filter((name) => dataset.columnByName.get(name)?.dataType === 'string'));
}

/** The identifiers of a row: columns of the path, else of access rules. */
export function namingColumns(dataset: Dataset): readonly string[] {
  const { identifierColumns, universeColumns } = dataset;
  return identifierColumns.length > 0 ? identifierColumns : universeColumns;
}

/** The column whose values tell rows of one thing from those of another; null: there is none. */
export function identifierColumn(dataset: Dataset): Column | null {
  const columns = namingColumns(dataset).flatMap((name) => dataset.columnByName.get(name) ?? []);
  const single = columns.filter(({ dataType }) => !isArray(dataType));
  // Rows of one root are of many contracts.
  return single.find(({ name }) => name !== dataset.rootColumn) ?? single[0] ?? null;
}
