/** Statements with bound values, in the SQL that every kind of store understands or translates. */

export type Row = Record<string, unknown>;
type Scalar = string | number | boolean | null;
export type RowFields = Readonly<Record<string, Scalar>>;
export type Value = Scalar | readonly Scalar[];

export interface Queries {
  /**
   * The rows of a statement. `sql` is a text of the program's own, with `$1` and so on for
   * `values`; it is prepared once. Columns whose names begin with `is` or `has` are booleans.
   */
  all<R = Row>(sql: string, ...values: Value[]): Promise<R[]>;
  /** The first row; undefined if there is none. */
  get<R = Row>(sql: string, ...values: Value[]): Promise<R | undefined>;
  /** The number of rows that a statement has changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Runs a statement for the rows of the table that `rowsIn` names in it; further values begin with
   * `$2`. What it does for one row must not depend on the others: a store may run it for one after
   * the other.
   */
  runEach(sql: string, rows: readonly RowFields[], ...values: Value[]): Promise<number>;
}

/** The list of a `SELECT` that gives columns the names of a record's fields. */
export function selected(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([field, column]) => `${column} AS "${field}"`)
    .join(', ');
}

export type ColumnType = 'bigint' | 'text' | 'boolean' | 'double precision';

/** The table of the rows that `runEach` is given: objects with these fields. */
export function rowsIn(name: string, columns: Readonly<Record<string, ColumnType>>): string {
  const list = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  return `json_to_recordset($1::json) AS ${name} (${list.join(', ')})`;
}

/** The id that an `INSERT … RETURNING … AS id` gives its row. */
export async function insertedId(
  queries: Queries,
  sql: string,
  ...values: Value[]
): Promise<number> {
  const row = await queries.get<{ id: number }>(sql, ...values);
  if (!row) throw new Error('nothing was inserted');
  return row.id;
}

export async function isThere(
  queries: Pick<Queries, 'get'>,
  sql: string,
  ...values: Value[]
): Promise<boolean> {
  return (await queries.get(sql, ...values)) !== undefined;
}

/** The number in the column `count` of the one row of a `SELECT`; 0 if there is no row. */
export async function countOf(
  queries: Pick<Queries, 'get'>,
  sql: string,
  ...values: Value[]
): Promise<number> {
  return (await queries.get<{ count: number }>(sql, ...values))?.count ?? 0;
}

/** Texts with a zero character are in no record: not every store takes one, even to look for it. */
export function canStand(text: string): boolean {
  return !text.includes('\0');
}

/** Free text as every store takes it. */
export function storable<T extends string | null>(text: T): T {
  return (text?.replaceAll('\0', '\uFFFD') ?? null) as T;
}
