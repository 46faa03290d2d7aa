/** The oracle: the rows of the market that a request selects, as the contract says. */
import { type Cell, MARKET, type Row } from './market.ts';

type Scalar = string | number | null;

/** Like the cell: times on the market's clock sort as texts. */
const valueFor = (cell: Scalar, text: string) => (typeof cell === 'number' ? Number(text) : text);

/** Below zero, zero or above; not a number where one of them is missing. */
function compare(a: Scalar | undefined, b: Scalar): number {
  if (a == null || b == null) return Number.NaN;
  return a === b ? 0 : a < b ? -1 : 1;
}

const listOf = (text: string) =>
  (text.match(/"[^"]*"|[^,]+/g) ?? []).map((item) => item.replaceAll('"', ''));

const patternOf = (text: string, flags: string) =>
  new RegExp(`^${text.replace(/[.?+^$()|[\]{}\\]/g, '\\$&').replaceAll('*', '.*')}$`, flags);

const OPERATORS: Readonly<Record<string, (cell: Scalar, text: string) => boolean>> = {
  eq: (cell, text) => compare(cell, valueFor(cell, text)) === 0,
  gt: (cell, text) => compare(cell, valueFor(cell, text)) > 0,
  ge: (cell, text) => compare(cell, valueFor(cell, text)) >= 0,
  lt: (cell, text) => compare(cell, valueFor(cell, text)) < 0,
  le: (cell, text) => compare(cell, valueFor(cell, text)) <= 0,
  in: (cell, text) => listOf(text).some((item) => cell === valueFor(cell, item)),
  like: (cell, text) => cell !== null && patternOf(text, '').test(`${cell}`),
  ilike: (cell, text) => cell !== null && patternOf(text, 'i').test(`${cell}`),
};

const passes = (cell: Cell, operator: string, text: string) =>
  [cell].flat().some((each) => OPERATORS[operator]?.(each as Scalar, text));

/** By columns that have no nulls. */
function inOrder(rows: readonly Row[], sort: string): Row[] {
  const fields = sort.split(',').map((field) => field.replace(/^[+ ]/, ''));
  return rows.toSorted((a, b) => {
    const signs = fields.map((field) => {
      const name = field.replace('-', '');
      return compare(a[name] as Scalar, b[name] as Scalar) * (field.startsWith('-') ? -1 : 1);
    });
    return signs.find((sign) => sign !== 0) ?? 0;
  });
}

export interface Selection {
  readonly rows: readonly Row[];
  readonly nextOffset: number | null;
}

/** The page of a path with its query: all rows, unless it has a limit. */
export function select(path: string): Selection {
  const { pathname, searchParams: query } = new URL(path, 'http://market.invalid');
  const dataset = MARKET.find((each) => pathname.startsWith(each.path)) ?? MARKET[0]!;
  const [, date, ticker] = pathname.slice(dataset.path.length).split('/');
  const named = [...query].map(([name, text]) => [...`${name}.eq`.split('.', 2), text] as const);
  const filters = named.filter(([column]) => column! in dataset.columns);
  let rows = dataset.rows.filter(
    (row) =>
      (!date || (row.TradeDate === date && row.Ticker === ticker)) &&
      // The first days of the market are older than five years.
      (query.has('period') || !(`${row.TradeDate}` < '2020')) &&
      filters.every(([column, operator, text]) => passes(row[column!]!, operator!, text!)),
  );
  const [sort, columns] = [query.get('sort'), query.get('columns')?.split(',')];
  if (sort) rows = inOrder(rows, sort);
  const offset = Number(query.get('offset'));
  const end = offset + Number(query.get('limit') ?? rows.length);
  const page = rows.slice(offset, end);
  return {
    rows: columns
      ? page.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]!])))
      : page,
    nextOffset: end < rows.length ? end : null,
  };
}
