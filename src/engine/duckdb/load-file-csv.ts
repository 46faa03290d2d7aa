/**
 * Loads CSV text into a stage's table. The text is cut into records here and not by the engine's
 * own reader, so that every byte obeys one strict grammar and every row knows its line. Records go
 * to the engine in blocks, each a short-lived file: while one is loaded the next one is cut, and
 * memory and disk stay bounded whatever the file's size.
 */
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Column } from '../../catalog/dataset.ts';
import { type CsvBlock, csvBlocks } from '../../ingest/csv-blocks.ts';
import { MAX_RECORD_BYTES } from '../../ingest/csv-scanner.ts';
import { columnsOfHeader } from '../../ingest/header.ts';
import { type BadValue, type CsvSource, type LoadReport, SHOWN_BAD_VALUES } from '../engine.ts';
import type { LoadTarget } from './load-file.ts';
import { insertTextRows } from './load-file-rows.ts';
import { quoteText } from './sql-text.ts';

const READ_BUFFER_BYTES = 8_388_608;
/** What a load leaves free on the disk, however much a packed file unpacks to. */
const FREE_BYTES_LEFT = 536_870_912;

async function checkFreeSpace(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < FREE_BYTES_LEFT) {
    throw new Error(`less than ${FREE_BYTES_LEFT} bytes are free on the disk of ${directory}`);
  }
}

function readBlockSql(file: string, columns: readonly Column[], hasLineFeeds: boolean): string {
  const types = columns.map((_, c) => `'text${c}': 'VARCHAR'`);
  return `SELECT * FROM read_csv(${quoteText(file)},
    columns = {${["'line': 'BIGINT'", ...types].join(', ')}},
    auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
    nullstr = '', allow_quoted_nulls = false, strict_mode = true, null_padding = false,
    max_line_size = ${2 * MAX_RECORD_BYTES}, buffer_size = ${READ_BUFFER_BYTES},
    parallel = ${!hasLineFeeds})`;
}

class CsvLoad {
  columns: readonly Column[] = [];
  rowCount = 0;
  badRowCount = 0;
  badValues: BadValue[] = [];
  lastLine = 0;
  readonly #target: LoadTarget;
  readonly #displayName: string;

  constructor(target: LoadTarget, displayName: string) {
    this.#target = target;
    this.#displayName = displayName;
  }

  async load(block: CsvBlock): Promise<void> {
    const shownCount = SHOWN_BAD_VALUES - this.badValues.length;
    const { rowCount, badRowCount, badValues } =
      block.recordCount === 0
        ? { rowCount: 0, badRowCount: 0, badValues: [] }
        : await this.#insert(block, shownCount);
    this.rowCount += rowCount;
    this.badRowCount += badRowCount + block.badRecordCount;
    this.lastLine = Math.max(this.lastLine, block.lastLine);
    const records = block.badRecords.map(({ line, value, reason }) => {
      return { file: this.#displayName, line, column: null, value, reason };
    });
    const found = [...records, ...badValues].sort((a, b) => a.line - b.line);
    this.badValues.push(...found.slice(0, shownCount));
  }

  async #insert(block: CsvBlock, shownCount: number) {
    const { table, dataset, directory } = this.#target;
    const { columns } = this;
    // A name for each block: what the engine knows of one it must not take for the next.
    const file = join(directory, `block-${table.nextRowOrder + block.lastLine}.csv`);
    await checkFreeSpace(directory);
    await writeFile(file, block.parts, { flag: 'wx', mode: 0o600 });
    try {
      const sql = readBlockSql(file, columns, block.hasLineFeeds);
      const rows = { sql, columns, displayName: this.#displayName };
      return await insertTextRows(table, dataset, rows, shownCount);
    } finally {
      await rm(file, { force: true });
    }
  }
}

export async function loadCsv(
  target: LoadTarget,
  source: CsvSource,
  signal: AbortSignal,
): Promise<LoadReport> {
  const load = new CsvLoad(target, source.displayName);
  let loading: Promise<void> = Promise.resolve();
  const blocks = csvBlocks(source.open(), (names) => {
    load.columns = columnsOfHeader(target.dataset, names);
  });
  try {
    for await (const block of blocks) {
      await loading;
      signal.throwIfAborted();
      loading = load.load(block);
      // Awaited before the next block; until then a failure is not an unhandled one.
      loading.catch(() => {});
    }
  } finally {
    await loading;
  }
  target.table.nextRowOrder += load.lastLine + 1;
  const { rowCount, badRowCount, badValues } = load;
  return { rowCount, badRowCount, badValues };
}
