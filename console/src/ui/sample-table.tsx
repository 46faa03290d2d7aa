import {
  type CellFormat,
  decimalsOf,
  cellText as numberText,
  withEqualPrices,
} from '../format/cells';
import { Table, type TableColumn } from './table';

type Row = Readonly<Record<string, unknown>>;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** How the numbers of each column are written: prices with the same digits after the point. */
function formatsOf(names: readonly string[], rows: readonly Row[]): (CellFormat | null)[] {
  const own = names.map((name) =>
    decimalsOf(
      'number',
      rows.map((row) => cellText(row[name])),
    ),
  );
  return withEqualPrices(names, own).map((decimals, at) => {
    const isNumber = rows.some((row) => typeof row[names[at] as string] === 'number');
    return isNumber ? { decimals, hasSeparators: false } : null;
  });
}

/** A few rows with the values that the interface sends, in its own order of columns. */
export function SampleTable({ caption, rows }: { caption: string; rows: readonly Row[] }) {
  const names = Object.keys(rows[0] ?? {});
  const formats = formatsOf(names, rows);
  const columns = names.map(
    (name, column): TableColumn<readonly [number, Row]> => ({
      header: name,
      isNumeric: formats[column] !== null,
      cell: ([, row]) => numberText(cellText(row[name]), formats[column] ?? null),
    }),
  );
  return (
    <Table
      {...{ caption, columns }}
      rows={rows.map((row, at) => [at, row] as const)}
      rowKey={([at]) => at}
      empty="No rows"
      isDense
    />
  );
}
