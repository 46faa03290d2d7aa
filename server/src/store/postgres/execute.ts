/** How connections to PostgreSQL run statements. */
import type pg from 'pg';
import type { Queries, RowFields, Value } from '../queries.ts';

const names = new Map<string, string>();

/** The name by which connections know a prepared statement. */
function nameOf(sql: string): string {
  const known = names.get(sql) ?? `t${names.size}`;
  names.set(sql, known);
  return known;
}

export function execute(
  client: Pick<pg.ClientBase, 'query'>,
  sql: string,
  values: readonly Value[],
): Promise<pg.QueryResult> {
  return client.query({ name: nameOf(sql), text: sql, values: [...values] });
}

const LONE_SURROGATE = /\\ud[89a-f]/;

/** Rows as one value. PostgreSQL takes no half of a character. */
function rowsText(rows: readonly RowFields[]): string {
  const text = JSON.stringify(rows);
  if (!LONE_SURROGATE.test(text)) return text;
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** Queries by a way to execute one. */
export function queriesBy(
  run: (sql: string, values: readonly Value[]) => Promise<pg.QueryResult>,
): Queries {
  return {
    all: async (sql, ...values) => (await run(sql, values)).rows,
    get: async (sql, ...values) => (await run(sql, values)).rows[0],
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
    runEach: async (sql, rows, ...values) =>
      (await run(sql, [rowsText(rows), ...values])).rowCount ?? 0,
  };
}
