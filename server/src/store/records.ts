/** Records of a table: their fields and columns said once, and the statements that follow. */
import {
  countOf,
  insertedId,
  type Queries,
  type Row,
  type RowFields,
  selected,
  type Value,
} from './queries.ts';
import { tableNamed } from './schema.ts';

interface Shape<R, S> {
  /** A table of the schema, which says the columns and the key. */
  readonly table: string;
  /** More than the table, where records are read with something of another one. */
  readonly from?: string;
  /** Fields of columns that are not called like them, or not in the table. */
  readonly fields?: Readonly<Record<string, keyof S & string>>;
  /** How the fields that are kept as JSON are read. */
  readonly json?: { readonly [F in keyof S]?: (text: string) => unknown };
  /** Makes a record of its fields; missing: they are the record. */
  readonly made?: (fields: S) => R;
}

/** `createdAtMs` of `created_at`; `accountId` of `identity_id`. */
function fieldOf(column: string): string {
  if (column === 'identity_id') return 'accountId';
  const name = column.endsWith('_at') ? `${column}_ms` : column;
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The records `R` of a table, kept as the fields `S`. */
export class Records<R, S = R> {
  readonly #shape: Shape<R, S>;
  readonly #jsonFields: readonly (readonly [string, (text: string) => unknown])[];
  readonly #columns: Readonly<Record<string, string>>;
  readonly table: string;
  /** The first column of the primary key. */
  readonly key: string;
  readonly select: string;

  constructor(shape: Shape<R, S>) {
    const { table, from = table, fields = {} } = shape;
    const { columns, key } = tableNamed(table);
    const names = [...new Set([...Object.keys(columns), ...Object.keys(fields)])];
    this.#shape = shape;
    this.#jsonFields = Object.entries(shape.json ?? {});
    this.#columns = Object.fromEntries(names.map((name) => [fields[name] ?? fieldOf(name), name]));
    this.table = table;
    this.key = key[0] ?? '';
    this.select = `SELECT ${selected(this.#columns)} FROM ${from}`;
  }

  /** The list of a `SELECT` from a table of this name, without some columns. */
  list(table: string, without: readonly string[]): string {
    const shown = Object.entries(this.#columns).filter(([, column]) => !without.includes(column));
    return selected(Object.fromEntries(shown.map(([field, name]) => [field, `${table}.${name}`])));
  }

  /** Makes a record of a row of `select`. */
  of(row: Row): R {
    const fields = { ...row };
    for (const [field, read] of this.#jsonFields) {
      if (typeof row[field] === 'string') fields[field] = read(row[field]);
    }
    const { made } = this.#shape;
    return made ? made(fields as S) : (fields as R);
  }

  /** Columns and their values; undefined ones are left out. */
  rowOf(fields: Partial<S>): RowFields {
    const row: Record<string, Value> = {};
    const { json = {} } = this.#shape;
    for (const field in this.#columns) {
      const value = fields[field as keyof S];
      if (value === undefined) continue;
      const isJson = field in json && value !== null;
      row[this.#columns[field] as string] = isJson ? JSON.stringify(value) : (value as Value);
    }
    return row as RowFields;
  }
}

/** Reads tables. Their writing is for the subclasses that a transaction has. */
export class TableReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }
}

export abstract class RecordReader<R, S = R> extends TableReader {
  protected abstract readonly records: Records<R, S>;

  /** By its key. */
  find(key: number | string): Promise<R | null> {
    return this.first(`WHERE ${this.records.key} = $1`, key);
  }

  /** `rest`: the statement behind `SELECT … FROM …`. */
  protected async first(rest: string, ...values: Value[]): Promise<R | null> {
    const row = await this.queries.get<Row>(`${this.records.select} ${rest}`, ...values);
    return row ? this.records.of(row) : null;
  }

  protected async all(rest: string, ...values: Value[]): Promise<R[]> {
    const rows = await this.queries.all<Row>(`${this.records.select} ${rest}`, ...values);
    return rows.map((row) => this.records.of(row));
  }

  protected count(condition: string, ...values: Value[]): Promise<number> {
    const sql = `SELECT count(*) AS count FROM ${this.records.table} WHERE ${condition}`;
    return countOf(this.queries, sql, ...values);
  }

  /** Returns the key, which no other record has had where the store counts. */
  protected insert(fields: Partial<S>, more = ''): Promise<number> {
    const { table, key } = this.records;
    const row = this.records.rowOf(fields);
    const columns = Object.keys(row);
    const places = columns.map((_, at) => `$${at + 1}`);
    const sql = `INSERT INTO ${table} (${columns}) VALUES (${places}) ${more} RETURNING ${key} AS id`;
    return insertedId(this.queries, sql, ...Object.values(row));
  }

  /** Inserts a record in place of the one with the same key. */
  protected async replace(fields: S): Promise<void> {
    const columns = Object.keys(this.records.rowOf(fields));
    const set = columns.map((column) => `${column} = excluded.${column}`);
    await this.insert(fields, `ON CONFLICT (${this.records.key}) DO UPDATE SET ${set}`);
  }

  protected async change(key: number | string, changes: Partial<S>): Promise<void> {
    const row = this.records.rowOf(changes);
    const columns = Object.keys(row);
    if (columns.length === 0) return;
    const { table, key: keyColumn } = this.records;
    const set = columns.map((column, at) => `${column} = $${at + 2}`);
    const sql = `UPDATE ${table} SET ${set} WHERE ${keyColumn} = $1`;
    const changedCount = await this.queries.run(sql, key, ...Object.values(row));
    if (changedCount === 0) throw new Error(`no ${table} ${key}`);
  }

  protected async remove(condition: string, ...values: Value[]): Promise<void> {
    await this.queries.run(`DELETE FROM ${this.records.table} WHERE ${condition}`, ...values);
  }
}
