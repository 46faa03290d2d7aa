/**
 * Rows that wait in Parquet files for the rest of a stage, as many in each, in the order in which
 * they came. Memory does not hold a day of minute bars of 62 columns, and to spill their table and
 * read it back takes the engine longer than to pack it. It does that beside whoever makes the next
 * rows; where these come in natural order, the files are joined in the end.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dataset } from '../../../catalog/dataset.ts';
import { joinParquet } from '../parquet/assembly.ts';
import { quoteText } from '../sql-text.ts';
import { copySql, ROW_GROUP_ROWS } from './lake-file.ts';
import { type RowsAround, writtenColumnList } from './partition-rows.ts';
import { columnList, ROW_ORDER, type StageTable } from './stage-table.ts';

const BYTES_PER_CELL = 8;
/**
 * One table is packed and one is filled; the engine packs with as much memory. A row group alone,
 * as of quote bars, is packed in a seventh less time than two, which it would have to cut apart.
 */
const MEMORY_PART = 1 / 8;

/** So many rows of the dataset are packed at once. */
function rowsPerFileOf({ columns }: Dataset, memoryBytes: number): number {
  const rowCount = (memoryBytes * MEMORY_PART) / BYTES_PER_CELL / columns.length;
  return Math.max(1, Math.floor(rowCount / ROW_GROUP_ROWS)) * ROW_GROUP_ROWS;
}

export class PackedRows {
  readonly rowsPerFile: number;
  readonly #directory: string;
  readonly #files: string[] = [];
  #packing: Promise<unknown> = Promise.resolve();
  /** Asks for the result of the packing. */
  #ask = () => {};

  /** `directory`: where the files lie, a folder that is made when there are any. */
  constructor(dataset: Dataset, directory: string, memoryBytes: number) {
    this.rowsPerFile = rowsPerFileOf(dataset, memoryBytes);
    this.#directory = directory;
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  /**
   * Begins to pack a table of `rowsPerFile` rows once those before it are packed; `run` runs the
   * work, and a failure is met by `settled`.
   */
  async add(table: StageTable, run: (work: () => Promise<unknown>) => Promise<unknown>) {
    await this.settled();
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const file = join(this.#directory, `${this.#files.length}.parquet`);
    const { connection, dataset } = table;
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    this.#ask = ask;
    this.#packing = run(async () => {
      // Packed by the engine's own threads: a thread that waits for the result spins and takes a
      // core from whoever makes the next rows.
      const packing = await connection.start(copySql(dataset, rowsOf(table), file));
      await asked;
      await packing.getResult();
    }).finally(() => connection.closeSync());
    this.#packing.catch(() => undefined);
    this.#files.push(file);
  }

  /** Resolves when all that was added is packed. */
  async settled(): Promise<void> {
    this.#ask();
    await this.#packing;
  }

  /** The packed rows with those of the table behind them, to be read as one table. */
  before(table: StageTable): StageTable {
    if (this.isEmpty) return table;
    const columns = columnList(table.dataset);
    const files = `[${this.#files.map(quoteText).join(', ')}]`;
    const [perFile, count] = [this.rowsPerFile, this.#files.length * this.rowsPerFile];
    const name = `(SELECT ${columns}, file_index * ${perFile} + file_row_number AS ${ROW_ORDER}
        FROM read_parquet(${files}, file_row_number = true)
      UNION ALL SELECT ${columns}, ${count} + ${ROW_ORDER} AS ${ROW_ORDER} FROM ${table.name})`;
    return { ...table, name, packed: { files, loose: table } };
  }

  /** Writes all rows to a file: those packed, those of the table behind them, and those around. */
  async join(
    table: StageTable,
    file: string,
    { before, after }: RowsAround,
    signal: AbortSignal,
  ): Promise<void> {
    const pack = async (name: string, rows: string | null) => {
      if (rows === null) return [];
      const packed = join(this.#directory, `${name}.parquet`);
      const { rowsChanged } = await table.connection.run(copySql(table.dataset, rows, packed));
      return rowsChanged > 0 ? [packed] : [];
    };
    // Files are joined only if their columns have equal types.
    const typed = (rows: string | null) => rows && `${rowsOf(table)} WHERE false UNION ALL ${rows}`;
    const files = [
      ...(await pack('before', typed(before))),
      ...this.#files,
      ...(await pack('loose', rowsOf(table))),
      ...(await pack('after', typed(after))),
    ];
    // Among the packed files until it is whole, so that it counts as they do.
    const joined = join(this.#directory, 'joined.parquet');
    await writeFile(joined, (await joinParquet(files, true)).lentChunks(), { signal });
    await rename(joined, file);
  }

  async remove(): Promise<void> {
    await this.settled().catch(() => undefined);
    rmSync(this.#directory, { recursive: true, force: true });
    this.#files.length = 0;
  }
}

function rowsOf({ dataset, name }: StageTable): string {
  return `SELECT ${writtenColumnList(dataset)} FROM ${name}`;
}
