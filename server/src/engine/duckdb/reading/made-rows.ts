/**
 * Rows that are made elsewhere, in tables of the engine for as long as queries read them. Large
 * ones spill to disk.
 */
import { BIGINT } from '@duckdb/node-api';
import type { Column } from '../../../catalog/dataset.ts';
import type { ColumnBatch } from '../../columns.ts';
import type { QueryPlan } from '../../query-plan.ts';
import { BatchAppender } from '../loading/stage-append.ts';
import { ROW_ORDER, readType } from '../loading/stage-table.ts';
import { CUT_ROW_GROUP_ROWS } from '../parquet/cuts.ts';
import { storedSql } from '../utc-columns.ts';
import { type CompiledQuery, compiled, integerSql, namesSql } from './compile-query.ts';
import { ParameterList } from './operator-sql.ts';
import type { QueryConnections } from './query-connections.ts';

/** A table with the column names of `storedSql`; `ROW_ORDER` numbers the rows from 0. */
export interface MadeTable {
  /** As SQL text. */
  readonly name: string;
  readonly rowCount: number;
  drop(): Promise<void>;
}

/** The first rows of a table, in the order in which they came. */
export function compileFirstRows(
  columns: readonly Column[],
  { name, rowCount }: MadeTable,
  limit: number,
): CompiledQuery {
  const parameters = new ParameterList();
  const isCut = rowCount > limit;
  return compiled(
    [
      `SELECT ${namesSql(columns)} FROM ${name}`,
      isCut ? `WHERE ${ROW_ORDER} < ${integerSql(limit, parameters)}` : '',
      // Threads would else decide where row groups end.
      Math.min(rowCount, limit) > CUT_ROW_GROUP_ROWS ? `ORDER BY ${ROW_ORDER}` : '',
    ],
    parameters,
  );
}

/** All rows of a table, or those of the plan's page, in the order of its sort. */
export function compileSortedRows(
  plan: QueryPlan,
  { name }: MadeTable,
  which: 'all' | 'page',
): CompiledQuery {
  const parameters = new ParameterList();
  const keys = plan.sort.map(
    ({ column, descending }) => `${storedSql(column)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  return compiled(
    [
      `SELECT ${namesSql(plan.columns)} FROM ${name}`,
      `ORDER BY ${[...keys, ROW_ORDER].join(', ')}`,
      which === 'all' ? '' : `LIMIT ${integerSql(plan.limit + 1, parameters)}`,
      which === 'all' ? '' : `OFFSET ${integerSql(plan.offset, parameters)}`,
    ],
    parameters,
  );
}

export class MadeTables {
  readonly #connections: QueryConnections;
  #count = 0;

  constructor(connections: QueryConnections) {
    this.#connections = connections;
  }

  /**
   * To be dropped when no query reads it any more. None is left where the rows or the engine fail.
   */
  async of(
    columns: readonly Column[],
    rows: AsyncIterable<ColumnBatch>,
    signal: AbortSignal,
  ): Promise<MadeTable> {
    const name = `made_${this.#count++}`;
    const fields = columns.map((column) => `${storedSql(column)} ${readType(column)}`);
    const drop = () => this.#execute(`DROP TABLE IF EXISTS ${name}`);
    try {
      await this.#execute(`CREATE TABLE ${name} (${fields.join(', ')})`);
      return { name, rowCount: await this.#fill(name, columns, rows, signal), drop };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  async #fill(
    name: string,
    columns: readonly Column[],
    rows: AsyncIterable<ColumnBatch>,
    signal: AbortSignal,
  ): Promise<number> {
    return await this.#connections.run(async (connection) => {
      const appender = new BatchAppender(await connection.createAppender(name), columns, BIGINT);
      let rowCount = 0;
      try {
        for await (const batch of rows) {
          signal.throwIfAborted();
          appender.append(batch);
          rowCount += batch.rowCount;
          batch.release?.();
        }
      } finally {
        appender.close();
      }
      return rowCount;
    }, signal);
  }

  async #execute(sql: string): Promise<void> {
    const never = new AbortController().signal;
    await this.#connections.run((connection) => connection.run(sql), never);
  }
}
