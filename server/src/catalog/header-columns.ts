/** From the names in a file's header to the dataset's columns. Pure. */

import { UsageError } from '../base/errors.ts';
import type { Column, Dataset } from './dataset.ts';

/** Columns that a file cannot leave out: without them its rows have no place among the others. */
function neededColumns({ naturalOrder, partitioning, dateColumn }: Dataset): string[] {
  const names = [...naturalOrder, partitioning.column, dateColumn];
  return [...new Set(names)].filter((name) => name !== null);
}

function listed(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name.slice(0, 80))).join(', ');
}

/**
 * The columns that the header names, in the file's order. Throws a `UsageError` that names unknown,
 * repeated and missing ones.
 */
export function columnsOfHeader(dataset: Dataset, names: readonly string[]): Column[] {
  const legal = dataset.columns.map((column) => column.name).join(', ');
  const unknown = names.filter((name) => !dataset.columnByName.has(name));
  if (unknown.length > 0) {
    throw new UsageError(
      `${dataset.textId} has no column ${listed(unknown)}; its columns are ${legal}`,
    );
  }
  const repeated = names.filter((name, i) => names.indexOf(name) < i);
  if (repeated.length > 0) {
    throw new UsageError(`column ${listed([...new Set(repeated)])} appears more than once`);
  }
  const missing = neededColumns(dataset).filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.length > 1 ? 'missing columns' : 'missing column'} ${listed(missing)}; ` +
        `${dataset.textId} needs ${neededColumns(dataset).join(', ')}`,
    );
  }
  return names.map((name) => dataset.columnByName.get(name) as Column);
}
