/**
 * Ways to lay out a partition file, by size and by what reading it takes: `node bench/layout.ts`
 * prints one table for a day of ticks and one for a month of minute bars of many tickers. What was
 * decided by them is in docs/decisions/physical-layout.md.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Dataset } from '../src/catalog/dataset.ts';
import { openCatalog } from '../src/open-services.ts';
import { minuteBarsSql } from './data/bar-rows.ts';
import { type Listing, listings, tickCounts } from './data/listings.ts';
import { type DataSizes, FULL, SMALL } from './data/sizes.ts';
import { tickRowsSql } from './data/tick-rows.ts';
import { median, race, timed } from './measure.ts';
import { openRawEngine, readAll } from './raw-engine.ts';
import { machine } from './report.ts';

interface Layout {
  readonly name: string;
  readonly options: string;
}

interface Reading {
  readonly name: string;
  /** SQL of a turn; each turn reads other rows. */
  readonly sql: (file: string, turn: number) => string;
}

const TURNS = { warmUps: 2, runs: 15 };
const BAR_TICKERS = 800;
const BAR_DAYS = ['2024-07-01', '2024-07-02', '2024-07-03', '2024-07-05', '2024-07-08'];

function layout(rows: number, options = 'COMPRESSION zstd'): Layout {
  return { name: `${rows} rows, ${options}`, options: `${options}, ROW_GROUP_SIZE ${rows}` };
}

const LAYOUTS: readonly Layout[] = [
  ...[8192, 16_384, 30_720, 61_440, 122_880, 245_760].map((rows) => layout(rows)),
  layout(61_440, 'COMPRESSION snappy'),
  layout(61_440, 'COMPRESSION lz4_raw'),
  layout(61_440, 'COMPRESSION uncompressed'),
  layout(61_440, 'COMPRESSION zstd, COMPRESSION_LEVEL 1'),
  layout(61_440, 'COMPRESSION zstd, COMPRESSION_LEVEL 9'),
  layout(61_440, 'COMPRESSION zstd, PARQUET_VERSION v2'),
  layout(61_440, 'COMPRESSION zstd, WRITE_BLOOM_FILTER false'),
];

function tickReadings(all: readonly Listing[], sizes: DataSizes): Reading[] {
  const counts = tickCounts(sizes, 0);
  const rare = all.filter((_, i) => (counts[i] as number) < 1000);
  const from = (file: string) => `FROM read_parquet('${file}', file_row_number = true)`;
  const large = (turn: number) => all[turn % sizes.flagships] as Listing;
  const small = (turn: number) => rare[(turn * 37) % rare.length] as Listing;
  return [
    {
      name: 'rare ticker',
      sql: (file, turn) => `SELECT * ${from(file)} WHERE Ticker = '${small(turn).ticker}'`,
    },
    {
      name: 'rare ASID',
      sql: (file, turn) => `SELECT * ${from(file)} WHERE ASID = ${small(turn).asid}`,
    },
    {
      name: '10,000 rows',
      sql: (file, turn) =>
        `SELECT * ${from(file)} WHERE Ticker = '${large(turn).ticker}' LIMIT 10001`,
    },
    {
      name: '10,000 rows by row number',
      sql: (file, turn) => {
        const row = 100_000 + turn * 83_000;
        return `SELECT * ${from(file)} WHERE file_row_number >= ${row}
          AND file_row_number < ${row + 10_001}`;
      },
    },
    {
      name: 'all rows of a flagship',
      sql: (file, turn) => `SELECT * ${from(file)} WHERE Ticker = '${large(turn).ticker}'`,
    },
  ];
}

function barReadings(all: readonly Listing[]): Reading[] {
  const condition = (turn: number) => `Ticker = '${all[(turn * 37) % BAR_TICKERS]?.ticker}'`;
  return [
    {
      name: '1,000 rows',
      sql: (file, turn) =>
        `SELECT * FROM read_parquet('${file}') WHERE ${condition(turn)} LIMIT 1001`,
    },
    {
      name: 'one day',
      sql: (file, turn) => `SELECT * FROM read_parquet('${file}')
        WHERE TradeDate = '${BAR_DAYS[turn % BAR_DAYS.length]}' AND ${condition(turn)}`,
    },
    {
      name: '3 columns of all days',
      sql: (file, turn) => `SELECT BarDateTime, LastTradePrice, Volume
        FROM read_parquet('${file}') WHERE ${condition(turn)}`,
    },
    {
      name: '30,000 rows of a day',
      sql: (file, turn) => `SELECT * FROM read_parquet('${file}')
        WHERE TradeDate = '${BAR_DAYS[turn % BAR_DAYS.length]}' LIMIT 30001`,
    },
  ];
}

async function measure(
  raw: DuckDBConnection,
  folder: string,
  rowsSql: string,
  readings: readonly Reading[],
): Promise<Record<string, string>[]> {
  await raw.run(`CREATE OR REPLACE TABLE source AS ${rowsSql}`);
  const files = LAYOUTS.map((_, n) => join(folder, `layout-${n}.parquet`));
  const rows: Record<string, string>[] = [];
  for (const [n, { name, options }] of LAYOUTS.entries()) {
    const writeMs = await timed(() =>
      raw.run(`COPY source TO '${files[n]}' (FORMAT parquet, ${options})`),
    );
    const megabytes = statSync(files[n] as string).size / 1e6;
    rows.push({ layout: name, MB: megabytes.toFixed(1), 'write s': (writeMs / 1000).toFixed(1) });
  }
  for (const { name, sql } of readings) {
    const contestants = files.map((file, n) => [
      `${n}`,
      (turn: number) => readAll(raw, sql(file, turn)),
    ]);
    const times = await race(TURNS, Object.fromEntries(contestants));
    for (const [n, row] of rows.entries()) row[name] = median(times[`${n}`] ?? []).toFixed(1);
  }
  for (const file of files) rmSync(file);
  await raw.run('DROP TABLE source');
  return rows;
}

function markdown(rows: readonly Record<string, string>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, names.map(() => '---'), ...rows.map((row) => Object.values(row))];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

const { values } = parseArgs({ options: { small: { type: 'boolean' } } });
const sizes = values.small ? SMALL : FULL;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-layout-'));
const raw = await openRawEngine(join(folder, 'spill'));
const all = listings(sizes.tickers);
const bars = openCatalog(folder, null).byTextId('eq_taq_1min') as Dataset;
try {
  console.log(`${JSON.stringify(machine())}\n\nTicks, one day, medians in ms\n`);
  console.log(
    markdown(await measure(raw, folder, tickRowsSql(sizes, all, 0), tickReadings(all, sizes))),
  );
  const barsSql = minuteBarsSql(bars, all.slice(0, BAR_TICKERS), BAR_DAYS);
  console.log(`\nMinute bars of ${BAR_TICKERS} tickers, ${BAR_DAYS.length} days, medians in ms\n`);
  console.log(markdown(await measure(raw, folder, barsSql, barReadings(all))));
} finally {
  raw.closeSync();
  rmSync(folder, { recursive: true, force: true });
}
