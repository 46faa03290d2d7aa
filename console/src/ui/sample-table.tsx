import { Table, type TableColumn } from './table';

type Row = Readonly<Record<string, unknown>>;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A few rows as the interface sends them, in its own order of columns. */
export function SampleTable({ caption, rows }: { caption: string; rows: readonly Row[] }) {
  const [first = {}] = rows;
  const columns: readonly TableColumn<readonly [number, Row]>[] = Object.keys(first).map(
    (name) => ({
      key: name,
      header: name,
      isNumeric: typeof first[name] === 'number',
      cell: ([, row]) => cellText(row[name]),
    }),
  );
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows.map((row, at) => [at, row] as const)}
      rowKey={([at]) => at}
      empty="No rows"
      isDense
    />
  );
}
