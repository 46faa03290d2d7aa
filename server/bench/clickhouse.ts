/** ClickHouse, in process, as another engine to compare with: on the same files, and by itself. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DataSet } from './data/data-set.ts';
import { ENGINE_THREADS } from './raw-engine.ts';
import { type Selection, TIME_COLUMNS } from './selection.ts';

const BENCH = fileURLToPath(new URL('.', import.meta.url));
const SETTINGS = [
  `max_threads = ${ENGINE_THREADS}`,
  'engine_file_truncate_on_insert = 1',
  'input_format_parquet_preserve_order = 1',
  'schema_inference_make_columns_nullable = 0',
].join(', ');

/** The lake's Parquet files, or tables in ClickHouse's own format. */
export type ClickHouseSource = 'files' | 'tables';

export interface ClickHouse {
  /** Writes the rows to a file of the given format; `.gz` at its end compresses. */
  copy(rows: Selection, source: ClickHouseSource, target: string, format: string): Promise<void>;
  /** Runs the query and drops the rows. */
  read(rows: Selection, source: ClickHouseSource): Promise<void>;
  close(): Promise<void>;
}

function isInstalled(): boolean {
  if (existsSync(join(BENCH, 'node_modules/chdb'))) return true;
  process.stderr.write('Installing ClickHouse for the benchmarks alone (about 550 MB)…\n');
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--omit=peer'];
  const npm = process.env.npm_execpath;
  const { status } = npm
    ? spawnSync(process.execPath, [npm, ...words], { cwd: BENCH, stdio: 'ignore' })
    : spawnSync('npm', words, { cwd: BENCH, stdio: 'ignore', shell: true });
  return status === 0 && existsSync(join(BENCH, 'node_modules/chdb'));
}

type Table = Selection['table'];

const orderOf = (table: Table) => `TradeDate, Ticker, ${TIME_COLUMNS[table]}`;

/** Partition files list their times twice. */
const rowsOfFile = (table: Table, file: string) =>
  `SELECT * EXCEPT (${TIME_COLUMNS[table]}_utc_ns) FROM file('${file}', Parquet)`;

function selectSql({ table, file, conditions, limit }: Selection, source: ClickHouseSource) {
  const order = orderOf(table);
  return source === 'files'
    ? `${rowsOfFile(table, file)} WHERE ${conditions} LIMIT ${limit}`
    : `SELECT * FROM ${table} WHERE ${conditions} ORDER BY ${order} LIMIT ${limit}`;
}

async function runIn(child: ChildProcess, sql: string): Promise<void> {
  child.send(sql);
  const [{ error }] = (await once(child, 'message')) as [{ error: string | null }];
  if (error !== null) throw new Error(`${error} in ${sql}`);
}

async function fillTables(child: ChildProcess, { tickFiles, barFiles }: DataSet): Promise<void> {
  const files = { eq_taq: tickFiles, eq_taq_1min: barFiles };
  for (const table of Object.keys(files) as Table[]) {
    const [order, byKey] = [orderOf(table), files[table]];
    const [first] = byKey.values();
    // The chosen benchmarks read none of them.
    if (first === undefined) continue;
    await runIn(
      child,
      `CREATE OR REPLACE TABLE ${table} ENGINE = MergeTree ORDER BY (${order})
       AS ${rowsOfFile(table, first)} LIMIT 0 SETTINGS ${SETTINGS}`,
    );
    for (const file of byKey.values()) {
      await runIn(child, `INSERT INTO ${table} ${rowsOfFile(table, file)} SETTINGS ${SETTINGS}`);
    }
    await runIn(child, `OPTIMIZE TABLE ${table} FINAL`);
  }
}

/** Null where ClickHouse cannot be installed. */
export async function openClickHouse(data: DataSet): Promise<ClickHouse | null> {
  if (!isInstalled()) {
    process.stderr.write('ClickHouse cannot be installed here: not measured\n');
    return null;
  }
  const directory = `${data.home}-clickhouse`;
  mkdirSync(directory, { recursive: true });
  const child = fork(join(BENCH, 'clickhouse-process.ts'), [directory]);
  await once(child, 'message');
  const filled = join(directory, 'ticklake-filled');
  if (!existsSync(filled)) {
    process.stderr.write('Filling ClickHouse with the same rows, only this once…\n');
    await fillTables(child, data);
    writeFileSync(filled, '');
  }
  return {
    copy: (rows, source, target, format) =>
      runIn(
        child,
        `INSERT INTO FUNCTION file('${target}', '${format}') ${selectSql(rows, source)}
         SETTINGS ${SETTINGS}`,
      ),
    read: (rows, source) => runIn(child, `${selectSql(rows, source)} SETTINGS ${SETTINGS}`),
    close: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
