/**
 * From rows of text to typed rows in the stage's table. Good rows, which are nearly all, are read,
 * checked and stored in one pass. Bad ones are looked for only where some are missing after it.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import type { BadField, BlockReport } from '../engine.ts';
import { type RowRule, rowRule } from './load-file-rules.ts';
import { acceptedByColumn, castSql, valueSql } from './load-file-values.ts';
import { quoteName } from './sql-text.ts';
import type { StageTable } from './stage-table.ts';

const SHOWN_CHARACTERS = 200;

/** A query that yields `number BIGINT`, which grows, and the texts `text0`... of `columns`. */
export interface TextRows {
  readonly sql: string;
  readonly columns: readonly Column[];
  readonly recordCount: number;
}

function typedRowsSql({ sql, columns }: TextRows, dataset: Dataset): string {
  const texts = columns.map((_, c) => `text${c}`);
  const casts = columns.map((column, c) => `${castSql(column, `text${c}`)} AS cast${c}`);
  const values = columns.map(
    (column, c) => `${valueSql(column, dataset.timeZone, `text${c}`, `cast${c}`)} AS value${c}`,
  );
  return `SELECT ${['number', ...texts, ...values].join(', ')} FROM (
      SELECT ${['number', ...texts, ...casts].join(', ')} FROM (${sql}))`;
}

interface ColumnCheck {
  /** SQL: the text is one of the column's type. */
  readonly fits: string;
  readonly rule: RowRule | null;
}

/** A row without the value by which partitions are told apart has no place to go to. */
function checksOf(columns: readonly Column[], dataset: Dataset): ColumnCheck[] {
  return columns.map((column, c) => {
    const isNeeded = column.name === dataset.partitioning.column;
    const fits = isNeeded ? `value${c} IS NOT NULL` : `(value${c} IS NOT NULL OR text${c} IS NULL)`;
    return { fits, rule: rowRule(dataset, columns, c) };
  });
}

function goodSql({ fits, rule }: ColumnCheck): string {
  return rule ? `(${fits} AND (${rule.holds}) IS NOT FALSE)` : fits;
}

async function selectBadFields(
  connection: DuckDBConnection,
  dataset: Dataset,
  rows: TextRows,
  rowCount: number,
): Promise<BadField[]> {
  const { columns } = rows;
  const checks = checksOf(columns, dataset);
  const goods = checks.map(goodSql);
  const fits = checks.map((check) => check.fits);
  const texts = columns.map((_, c) => `text${c}`);
  const reader = await connection.runAndReadAll(
    `SELECT number, [${goods.join(', ')}], [${fits.join(', ')}], [${texts.join(', ')}]
     FROM (${typedRowsSql(rows, dataset)}) WHERE NOT (${goods.join(' AND ')})
     ORDER BY number LIMIT ${rowCount}`,
  );
  return reader.getRowsJS().flatMap(([number, isGood, isFit, rowTexts]) =>
    columns.flatMap((column, c) => {
      if ((isGood as boolean[])[c]) return [];
      const texts = rowTexts as (string | null)[];
      const value = texts[c] ?? null;
      const rule = (isFit as boolean[])[c] ? checks[c]?.rule : null;
      return {
        recordNumber: Number(number),
        column: column.name,
        value: (value ?? '').slice(0, SHOWN_CHARACTERS),
        reason: rule?.accepts(texts) ?? acceptedByColumn(column, dataset.timeZone, value),
      };
    }),
  );
}

/** Appends the good rows and reports the bad ones; at most `shownCount` values are described. */
export async function insertTextRows(
  { connection, name }: StageTable,
  dataset: Dataset,
  rows: TextRows,
  shownCount: number,
): Promise<BlockReport> {
  const { columns, recordCount } = rows;
  const names = columns.map((column) => quoteName(column.name));
  const values = columns.map((_, c) => `value${c}`);
  const isGood = checksOf(columns, dataset).map(goodSql).join(' AND ');
  const { rowsChanged: rowCount } = await connection.run(
    `INSERT INTO ${name} (${names.join(', ')}) SELECT ${values.join(', ')}
     FROM (${typedRowsSql(rows, dataset)}) WHERE ${isGood}`,
  );
  const badRowCount = recordCount - rowCount;
  const badFields =
    badRowCount > 0 && shownCount > 0
      ? await selectBadFields(connection, dataset, rows, shownCount)
      : [];
  return { rowCount, badRowCount, badFields: badFields.slice(0, shownCount) };
}
