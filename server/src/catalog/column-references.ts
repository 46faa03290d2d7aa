/** Checks the columns that a field of a definition file names. */
import type { ValuePath } from '../schema/read-value.ts';
import type { DataType } from './dataset.ts';

export type Report = (path: ValuePath, message: string) => void;

/** Data type of each named column; undefined where the file's own type is not legal. */
export type ColumnTypes = ReadonlyMap<string, DataType | undefined>;

export function checkReference(
  path: ValuePath,
  name: string,
  legalTypes: readonly DataType[],
  types: ColumnTypes,
  report: Report,
): void {
  if (!types.has(name)) {
    report(path, `names an unknown column: ${name}; columns: ${[...types.keys()].join(', ')}`);
    return;
  }
  const type = types.get(name);
  if (type !== undefined && !legalTypes.includes(type)) {
    report(path, `must name a column of type ${legalTypes.join(', ')}; ${name} is ${type}`);
  }
}
