/**
 * Tells if published rows can be read by their dataset's definition. Columns may be added, left out
 * and widened; everything else that went into stored rows has to stay as it was. Pure.
 */
import { typeText } from '../catalog/column-types.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { StoredColumn } from '../engine/part.ts';
import { unitOfKey } from '../engine/partition-key.ts';
import { isReadableAs } from '../engine/stored-columns.ts';
import type { StoredLayout } from '../store/lake-index.ts';

/**
 * A line of the comparison: what is published, and what the definition says; null: nothing of it.
 */
interface Line {
  readonly published: string | null;
  readonly defined: string | null;
  readonly isConflict: boolean;
}

const shownColumn = (column: StoredColumn | Column) =>
  `${column.name} ${typeText(column)}${column.fractionDigits && column.dataType === 'date-time' ? ', fraction_digits 9' : ''}`;

function isTimeReadable(stored: StoredColumn, column: Column): boolean {
  return (stored.fractionDigits ?? 0) <= column.fractionDigits;
}

function columnLines({ columns }: Dataset, stored: readonly StoredColumn[]): Line[] {
  const storedByName = new Map(stored.map((column) => [column.name, column]));
  const names = new Set(columns.map(({ name }) => name));
  return [
    ...columns.map((column): Line => {
      const before = storedByName.get(column.name);
      const isReadable =
        !before || (isReadableAs(before, column) && isTimeReadable(before, column));
      const published = before ? shownColumn(before) : null;
      return { published, defined: shownColumn(column), isConflict: !isReadable };
    }),
    ...stored
      .filter(({ name }) => !names.has(name))
      .map((column) => ({ published: shownColumn(column), defined: null, isConflict: false })),
  ];
}

function fieldLine(name: string, published: string, defined: string): Line {
  const isConflict = published !== defined;
  return { published: `${name} ${published}`, defined: `${name} ${defined}`, isConflict };
}

function linesOf(dataset: Dataset, { storedColumns, key }: StoredLayout): Line[] {
  const sorted = storedColumns.filter(({ sortKey }) => sortKey !== undefined);
  const order = sorted.toSorted((a, b) => (a.sortKey ?? 0) - (b.sortKey ?? 0));
  const zone = storedColumns.find(({ timeZone }) => timeZone !== undefined)?.timeZone;
  return [
    ...columnLines(dataset, storedColumns),
    fieldLine(
      'natural_order',
      order.map(({ name }) => name).join(', '),
      dataset.naturalOrder.join(', '),
    ),
    fieldLine('partition', unitOfKey(key) ?? key, dataset.partitioning.unit),
    ...(zone === undefined ? [] : [fieldLine('time_zone', zone, dataset.timeZone)]),
  ];
}

function sideBySide(lines: readonly Line[]): string[] {
  const [title, absent] = [{ published: 'published', defined: 'definition' }, '-'];
  const width = Math.max(...[title, ...lines].map(({ published }) => (published ?? absent).length));
  const row = (mark: string, published: string, defined: string) =>
    `  ${mark} ${published.padEnd(width)}  ${defined}`;
  return [
    row(' ', title.published, title.defined),
    ...lines.map(({ published, defined, isConflict }) =>
      row(isConflict ? '!' : ' ', published ?? absent, defined ?? absent),
    ),
  ];
}

/** The lines that tell how a definition does not fit what is published; none where it fits. */
export function definitionConflicts(
  datasets: readonly Dataset[],
  layouts: readonly StoredLayout[],
): string[] {
  const byId = new Map(datasets.map((dataset) => [dataset.datasetId, dataset]));
  return layouts.flatMap((layout) => {
    const dataset = byId.get(layout.datasetId);
    if (!dataset) return [];
    const lines = linesOf(dataset, layout);
    if (!lines.some(({ isConflict }) => isConflict)) return [];
    const parts =
      layout.partCount === 1
        ? '1 part of it that is kept'
        : `${layout.partCount} parts of it that are kept`;
    return [
      `the definition of ${dataset.textId} (${dataset.datasetId}) does not fit ${parts}; what is marked cannot be read:`,
      ...sideBySide(lines),
      '  Restore the definition, or give the new one another id and load the rows anew.',
    ];
  });
}
