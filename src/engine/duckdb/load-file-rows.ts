/**
 * From rows of text to typed rows in the stage's table. A row with a value that does not fit goes
 * in with a negative number, is reported, and is taken out again: so the good rows, which are
 * nearly all, are read, checked and stored in one pass.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { type BadValue, SHOWN_BAD_VALUES } from '../engine.ts';
import { acceptedByColumn, castSql, valueSql } from './load-file-values.ts';
import { quoteName } from './sql-text.ts';
import { ROW_ORDER, type StageTable } from './stage-table.ts';

const SHOWN_CHARACTERS = 200;

/** A query that yields `line BIGINT` (from 1) and the texts `text0`, `text1`... of `columns`. */
export interface TextRows {
  readonly sql: string;
  readonly columns: readonly Column[];
  readonly displayName: string;
}

export interface BadRows {
  readonly badRowCount: number;
  /** In line order, at most as many as asked for. */
  readonly badValues: readonly BadValue[];
}

function typedRowsSql({ sql, columns }: TextRows, dataset: Dataset, condition: string): string {
  const texts = columns.map((_, c) => `text${c}`);
  const casts = columns.map((column, c) => `${castSql(column, `text${c}`)} AS cast${c}`);
  const values = columns.map(
    (column, c) => `${valueSql(column, dataset.timeZone, `text${c}`, `cast${c}`)} AS value${c}`,
  );
  return `SELECT ${['line', ...texts, ...values].join(', ')} FROM (
      SELECT ${['line', ...texts, ...casts].join(', ')} FROM (${sql}) WHERE ${condition})`;
}

/** A row without the value by which partitions are told apart has no place to go to. */
function goodSql(column: Column, c: number, dataset: Dataset): string {
  const isNeeded = column.name === dataset.partitioning.column;
  return isNeeded ? `value${c} IS NOT NULL` : `(value${c} IS NOT NULL OR text${c} IS NULL)`;
}

async function selectBadValues(
  connection: DuckDBConnection,
  dataset: Dataset,
  rows: TextRows,
  lines: readonly string[],
): Promise<BadValue[]> {
  const { columns, displayName: file } = rows;
  const goods = columns.map((column, c) => goodSql(column, c, dataset));
  const texts = columns.map((_, c) => `text${c}`);
  const reader = await connection.runAndReadAll(
    `SELECT line, [${goods.join(', ')}], [${texts.join(', ')}]
     FROM (${typedRowsSql(rows, dataset, `line IN (${lines.join(', ')})`)}) ORDER BY line`,
  );
  return reader.getRowsJS().flatMap(([line, isGood, text]) =>
    columns.flatMap((column, c) => {
      if ((isGood as boolean[])[c]) return [];
      const value = (text as (string | null)[])[c] ?? null;
      return {
        file,
        line: Number(line),
        column: column.name,
        value: (value ?? '').slice(0, SHOWN_CHARACTERS),
        reason: acceptedByColumn(column, value),
      };
    }),
  );
}

/**
 * Appends the good rows, numbered `firstRowOrder + line`, and reports the bad ones, of which at
 * most `shownCount` values are described.
 */
export async function insertTextRows(
  table: StageTable,
  dataset: Dataset,
  rows: TextRows,
  shownCount: number,
): Promise<BadRows & { rowCount: number }> {
  const { connection, name } = table;
  const { columns } = rows;
  const names = [...columns.map((column) => quoteName(column.name)), ROW_ORDER];
  const values = columns.map((_, c) => `value${c}`);
  const isGood = columns.map((column, c) => goodSql(column, c, dataset)).join(' AND ');
  const inserted = await connection.run(
    `INSERT INTO ${name} (${names.join(', ')})
     SELECT ${values.join(', ')},
       CASE WHEN ${isGood} THEN line + ${table.nextRowOrder} ELSE -line END
     FROM (${typedRowsSql(rows, dataset, 'true')})`,
  );
  const reader = await connection.runAndReadAll(
    `SELECT -${ROW_ORDER}, count(*) OVER () FROM ${name} WHERE ${ROW_ORDER} < 0
     ORDER BY ${ROW_ORDER} DESC LIMIT ${SHOWN_BAD_VALUES}`,
  );
  const bad = reader.getRows();
  const badRowCount = Number(bad[0]?.[1] ?? 0);
  const rowCount = inserted.rowsChanged - badRowCount;
  if (badRowCount === 0) return { rowCount, badRowCount, badValues: [] };
  await connection.run(`DELETE FROM ${name} WHERE ${ROW_ORDER} < 0`);
  const lines = bad.slice(0, shownCount).map(([line]) => `${line}`);
  const badValues =
    lines.length === 0 ? [] : await selectBadValues(connection, dataset, rows, lines);
  return { rowCount, badRowCount, badValues: badValues.slice(0, shownCount) };
}
