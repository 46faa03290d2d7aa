/** Statements with bound values, on a connection or on any connection of a pool. */
import type pg from 'pg';

export type Row = Record<string, unknown>;
type Scalar = string | number | boolean | Uint8Array | null;
export type Value = Scalar | readonly Scalar[];

export interface Queries {
  /**
   * The rows that a statement gives. `sql` is a text of the program's own, with `$1` and so on for `values`;
   * each connection prepares it once, so it names its columns: `*` may become others.
   */
  all<R = Row>(sql: string, ...values: Value[]): Promise<R[]>;
  /** The first row; undefined where there is none. */
  get<R = Row>(sql: string, ...values: Value[]): Promise<R | undefined>;
  /** The number of rows that a statement has changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
}

const names = new Map<string, string>();

/** The name by which connections know a prepared statement. */
function nameOf(sql: string): string {
  const known = names.get(sql) ?? `t${names.size}`;
  names.set(sql, known);
  return known;
}

/** Arrays for `unnest` and `ANY` stay arrays; bytes are the one kind of value with a class. */
function boundValue(value: Value): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

export function execute(
  client: Pick<pg.ClientBase, 'query'>,
  sql: string,
  values: readonly Value[],
): Promise<pg.QueryResult> {
  return client.query({ name: nameOf(sql), text: sql, values: values.map(boundValue) });
}

/** Queries by a way to execute one. */
export function queriesBy(
  run: (sql: string, values: readonly Value[]) => Promise<pg.QueryResult>,
): Queries {
  return {
    all: async (sql, ...values) => (await run(sql, values)).rows,
    get: async (sql, ...values) => (await run(sql, values)).rows[0],
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
  };
}

/** The list of a `SELECT` that gives columns the names that records have. */
export function selected(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([field, column]) => `${column} AS "${field}"`)
    .join(', ');
}

/** Lists of as many values as there are rows, as one table: `$1` and so on, of these types. */
export function unnested(types: readonly string[]): string {
  return `unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})`;
}

/** A list of values for each column, of rows. */
export function columnsOf(rows: readonly (readonly Scalar[])[], width: number): Value[] {
  return Array.from({ length: width }, (_, at) => rows.map((row) => row[at] as Scalar));
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

/** Whether there is a row. */
export async function isThere(
  queries: Pick<Queries, 'get'>,
  sql: string,
  ...values: Value[]
): Promise<boolean> {
  return (await queries.get(sql, ...values)) !== undefined;
}

/** The number in the column `count` of the one row of a `SELECT`. */
export async function countOf(
  queries: Pick<Queries, 'get'>,
  sql: string,
  ...values: Value[]
): Promise<number> {
  return (await queries.get<{ count: number }>(sql, ...values))?.count ?? 0;
}

/** Whether a text can stand in a record: none with a zero character can, nor be asked for. */
export function canStand(text: string): boolean {
  return !text.includes('\0');
}
