/**
 * Parts keep the columns that their dataset had when they were written. A later definition may have
 * more columns, and wider types: an older part has null in the former, and its values are converted
 * when they are read. Pure.
 */
import { type Column, type Dataset, type DataType, withColumns } from '../catalog/dataset.ts';
import type { CellValue } from './columns.ts';
import type { BoundValue, ColumnBounds, Part, StoredColumn } from './part.ts';

/** The columns that new parts of a dataset store. */
export function storedColumnsOf({
  columns,
  naturalOrder,
  timeZone,
}: Pick<Dataset, 'columns' | 'naturalOrder' | 'timeZone'>): StoredColumn[] {
  return columns.map(({ name, dataType, precision, scale, fractionDigits }) => ({
    name,
    dataType,
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    ...(naturalOrder.includes(name) ? { sortKey: naturalOrder.indexOf(name) } : {}),
    ...(dataType === 'date-time' ? { fractionDigits, timeZone } : {}),
  }));
}

/** Columns as a part stores them, as those of a dataset. */
export function columnsStored(stored: readonly StoredColumn[]): Column[] {
  return stored.map(({ name, dataType, precision, scale, fractionDigits }) => ({
    ...{ name, dataType, description: '', fractionDigits: fractionDigits === 9 ? 9 : 0 },
    ...(precision !== undefined && { precision }),
    ...(scale !== undefined && { scale }),
  }));
}

/** The dataset by whose definition a part was written, as far as its rows tell. */
export function datasetAsStored(dataset: Dataset, stored: readonly StoredColumn[]): Dataset {
  const columns = columnsStored(stored);
  const columnByName = new Map(columns.map((column) => [column.name, column]));
  const hasColumn = (name: string | null) => name !== null && columnByName.has(name);
  const naturalOrder = stored
    .filter(({ sortKey }) => sortKey !== undefined)
    .sort((a, b) => (a.sortKey as number) - (b.sortKey as number))
    .map(({ name }) => name);
  const timeZone = stored.find((column) => column.timeZone)?.timeZone as Dataset['timeZone'];
  return {
    ...{ ...dataset, columns, columnByName, naturalOrder, checks: [], sameDayColumns: [] },
    identifierColumns: dataset.identifierColumns.filter(hasColumn),
    universeColumns: dataset.universeColumns.filter(hasColumn),
    alsoStoredBy: hasColumn(dataset.alsoStoredBy) ? dataset.alsoStoredBy : null,
    ...(timeZone && { timeZone }),
  };
}

type Typed = Pick<Column, 'dataType' | 'precision' | 'scale'>;

function isSameType(one: Typed, other: Typed): boolean {
  const { dataType, precision, scale } = one;
  return dataType === other.dataType && precision === other.precision && scale === other.scale;
}

/** Digits of the longest integers of 64 bits. */
const INTEGER_DIGITS = 19;

const digitsBeforePoint = ({ precision = 0, scale = 0 }: Typed) => precision - scale;

type Fits = (from: Typed, to: Typed) => boolean;

/** To which other types a type widens, and when. */
const WIDENS: Readonly<Partial<Record<DataType, Readonly<Partial<Record<DataType, Fits>>>>>> = {
  integer: {
    number: () => true,
    decimal: (_, to) => digitsBeforePoint(to) >= INTEGER_DIGITS,
  },
  decimal: {
    decimal: (from, to) =>
      (to.scale ?? 0) >= (from.scale ?? 0) && digitsBeforePoint(to) >= digitsBeforePoint(from),
  },
  'array of integer': { 'array of number': () => true },
};

/** True if a stored column can be read as the dataset's current one. */
export function isReadableAs(from: Typed, to: Typed): boolean {
  return isSameType(from, to) || (WIDENS[from.dataType]?.[to.dataType]?.(from, to) ?? false);
}

const versions = new WeakMap<readonly Part[], WeakMap<Dataset, Dataset>>();

/** The column with the widest type of those that parts store; as it is where that is its own. */
function columnAsStored(column: Column, stored: readonly (readonly StoredColumn[])[]): Column {
  const types = stored.flatMap((columns) => columns.find(({ name }) => name === column.name) ?? []);
  const widest = types.find((one) => types.every((other) => isReadableAs(other, one)));
  if (!widest || isSameType(widest, column)) return column;
  const { precision: _, scale: __, ...others } = column;
  const { dataType, precision, scale } = widest;
  const digits = precision === undefined || scale === undefined ? {} : { precision, scale };
  return { ...others, dataType, ...digits };
}

/**
 * The dataset as the version with these parts has it: a column that the definition has made a
 * decimal since keeps the type that it had.
 */
export function datasetOfParts(dataset: Dataset, parts: readonly Part[]): Dataset {
  if (!dataset.columns.some(({ dataType }) => dataType === 'decimal')) return dataset;
  const ofParts = versions.getOrInsertComputed(parts, () => new WeakMap());
  return ofParts.getOrInsertComputed(dataset, () => {
    const stored = [
      ...new Set(parts.flatMap(({ storedColumns }) => (storedColumns ? [storedColumns] : []))),
    ];
    const columns = dataset.columns.map((column) =>
      column.dataType === 'decimal' ? columnAsStored(column, stored) : column,
    );
    const isSame = columns.every((column, c) => column === dataset.columns[c]);
    return isSame ? dataset : withColumns(dataset, columns);
  });
}

/** A value, which is not null, of a stored column as one of the column that it is read as. */
export function readAs<Value extends CellValue | BoundValue>(
  from: Typed,
  to: Typed,
  value: Value,
): Value {
  if (isSameType(from, to)) return value;
  if (Array.isArray(value)) return value.map(Number) as unknown as Value;
  if (to.dataType === 'number') return Number(value) as Value;
  return ((value as bigint) * 10n ** BigInt((to.scale ?? 0) - (from.scale ?? 0))) as Value;
}

/** A column of a part that differs from the dataset's current definition. */
export interface Reading {
  readonly column: Column;
  /** Null: the part does not have the column. */
  readonly stored: StoredColumn | null;
}

const NO_READINGS: readonly Reading[] = [];

/** Parts share these lists: there is one for each published definition. */
const known = new WeakMap<readonly StoredColumn[], WeakMap<Dataset, readonly Reading[]>>();

/** The dataset's columns that a part lacks or stores as another type; mostly none. */
export function readingsOf(
  { storedColumns }: Pick<Part, 'storedColumns'>,
  dataset: Dataset,
): readonly Reading[] {
  if (storedColumns === undefined) return NO_READINGS;
  // Asked for each part of each plan: without functions that are made for nothing.
  let byDataset = known.get(storedColumns);
  if (!byDataset) {
    byDataset = new WeakMap();
    known.set(storedColumns, byDataset);
  }
  let readings = byDataset.get(dataset);
  if (!readings) {
    const byName = new Map(storedColumns.map((stored) => [stored.name, stored]));
    readings = dataset.columns.flatMap((column) => {
      const stored = byName.get(column.name) ?? null;
      return stored && isSameType(stored, column) ? [] : [{ column, stored }];
    });
    byDataset.set(dataset, readings);
  }
  return readings;
}

const ALL_NULL: ColumnBounds = { min: null, max: null };

function boundsAs({ min, max }: ColumnBounds, stored: StoredColumn, column: Column): ColumnBounds {
  if (min === null || max === null) return ALL_NULL;
  return { min: readAs(stored, column, min), max: readAs(stored, column, max) };
}

/**
 * Bounds of a row group as values of the dataset's columns. A column that the part lacks is null in
 * every row; one without bounds, which the index did not keep then, may hold anything.
 */
export function boundsRead(
  bounds: Readonly<Record<string, ColumnBounds>>,
  readings: readonly Reading[],
): Readonly<Record<string, ColumnBounds>> {
  if (readings.length === 0) return bounds;
  const read = { ...bounds };
  for (const { column, stored } of readings) {
    const known = bounds[column.name];
    if (stored === null) read[column.name] = ALL_NULL;
    else if (known) read[column.name] = boundsAs(known, stored, column);
  }
  return read;
}
