/** Files of few rows in many row groups, engines over them, and what an engine answers as rows. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Column, DataType } from '../../src/catalog/dataset.ts';
import { editFooter } from '../../src/engine/duckdb/parquet/footer.ts';
import { openDuckDBReader, type SortedWalkOptions } from '../../src/engine/duckdb/reader.ts';
import { withUtcColumns } from '../../src/engine/duckdb/utc-columns.ts';
import type { EngineReader } from '../../src/engine/engine.ts';
import type { Part } from '../../src/engine/part.ts';
import type { QueryPlan } from '../../src/engine/query-plan.ts';
import { planOfPath } from '../plan-of-path.ts';

/** The least that the format's writer allows. */
const ROW_GROUP_ROWS = 2048;
const FILE_ROWS = [7000, 5000, 1, 2048, 9000];

const TYPES: Record<string, DataType> = {
  n: 'integer',
  day: 'date',
  ticker: 'string',
  asid: 'integer',
  price: 'number',
  size: 'integer',
  time: 'date-time',
  tags: 'array of string',
};

export const COLUMNS: readonly Column[] = Object.entries(TYPES).map(([name, dataType]) => ({
  ...(planOfPath('us-equity/eq-daily-ohlc').dataset.columns[0] as Column),
  name,
  dataType,
}));

export function columnNamed(name: string): Column {
  return COLUMNS.find((column) => column.name === name) as Column;
}

/** Few distinct values, so that most keys are equal, and nulls among them. */
const ROWS_SQL = `SELECT range::BIGINT AS n,
    DATE '2026-01-01' + (range // 1500)::INT AS day,
    CASE WHEN h % 11 = 0 THEN NULL ELSE 'T' || (range // 700) % 9 END AS ticker,
    (1000 + h % 400)::BIGINT AS asid,
    CASE WHEN h % 7 = 0 THEN NULL WHEN h % 5 = 0 THEN '-0.0'::DOUBLE
      ELSE (h % 13)::DOUBLE END AS price,
    (h % 3)::BIGINT AS size,
    make_timestamp_ns(1767225600000000000 + (range // 2) * 1000000007) AS time,
    CASE WHEN h % 17 = 0 THEN NULL ELSE ['a' || h % 4, 'b' || h % 3] END AS tags
  FROM (SELECT range, (hash(range) >> 8) AS h FROM range($1::BIGINT, $2::BIGINT))`;

export interface WalkLake {
  readonly parts: readonly Part[];
  /** Absolute path of the file of a part. */
  fileOf(number: number): string;
  readonly spillDirectory: string;
  openEngine(walks?: Partial<SortedWalkOptions>): Promise<EngineReader>;
  close(): void;
}

export async function writeWalkLake(fileRows: readonly number[] = FILE_ROWS): Promise<WalkLake> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-walk-'));
  const directory = join(home, 'lake');
  const spillDirectory = join(directory, '.spill');
  mkdirSync(directory);
  const instance = await DuckDBInstance.create();
  const writer = await instance.connect();
  const parts: Part[] = [];
  let start = 0;
  for (const [number, rowCount] of fileRows.entries()) {
    const location = `${number}.parquet`;
    const file = join(directory, location);
    await writer.run(
      `COPY (${ROWS_SQL.replace('$1', `${start}`).replace('$2', `${start + rowCount}`)})
       TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, DICTIONARY_SIZE_LIMIT 0)`,
    );
    editFooter(file, withUtcColumns);
    const counts = { rowCount, byteCount: 0 };
    parts.push({ id: number, key: `${number}`, location, digest: '', ...counts });
    start += rowCount;
  }
  writer.closeSync();
  instance.closeSync();
  const lake = { directory, spillDirectory, memoryLimitMegabytes: 512, threadCount: 2 };
  return {
    parts,
    fileOf: (number) => join(directory, `${number}.parquet`),
    spillDirectory,
    openEngine: (changes = {}) => {
      const walks = {
        diskBytesMax: 1e9,
        diskBytesPerHolderMax: 1e9,
        rowsMax: 1e6,
        idleMs: 60_000,
        ...changes,
      };
      return openDuckDBReader({ ...lake, idleConnectionsMax: 4, workerCellsMin: 16_384, walks });
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A plan that finds every row of the lake, changed. */
export function planOver(lake: WalkLake, changes: Partial<QueryPlan> = {}): QueryPlan {
  return {
    ...planOfPath('us-equity/eq-daily-ohlc'),
    parts: lake.parts,
    predicates: [],
    grants: [{ window: null, universe: null }],
    columns: COLUMNS,
    sort: [],
    offset: 0,
    limit: 1000,
    ...changes,
  };
}

/** Rows as text that tells every value from every other; -0 is 0, as it is in answers. */
export async function readRows(
  engine: EngineReader,
  plan: QueryPlan,
  signal: AbortSignal = new AbortController().signal,
): Promise<string[]> {
  const rows: string[] = [];
  for await (const { rowCount, columns } of engine.scan(plan, signal)) {
    for (let r = 0; r < rowCount; r++) {
      const cells = columns.map((vector) => {
        const isNull = 'nulls' in vector && vector.nulls !== null && vector.nulls[r] === 1;
        const value = isNull ? null : vector.values[r];
        return Array.isArray(value) ? value.join('+') : `${value}`;
      });
      rows.push(cells.join('|'));
    }
  }
  return rows;
}
