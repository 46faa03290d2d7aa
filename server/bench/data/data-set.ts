/**
 * The data that every benchmark reads: generated once with plain SQL, then loaded into a lake by
 * the product's own ingest, and kept in a folder for later runs.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import { makeDemoAccount } from '@ticklake/demo/prepare-demo.ts';
import { nextTradingDay } from '@ticklake/market/calendar.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { type OpenServices, openServices } from '../../src/open-services.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openRawEngine } from '../raw-engine.ts';
import { dailyBarsSql, minuteBarsSql } from './bar-rows.ts';
import { buildOnce } from './build-once.ts';
import { layoutMark } from './layout-mark.ts';
import { type Listing, listings, tickCounts } from './listings.ts';
import { DATA_VERSION, type DataSizes } from './sizes.ts';
import { tickRowsSql } from './tick-rows.ts';

/** One ticker on one day of ticks. */
export interface TickPage {
  readonly date: string;
  readonly ticker: string;
  readonly rowCount: number;
  /** The partition's file. */
  readonly file: string;
}

export interface DataSet {
  readonly sizes: DataSizes;
  /** A `TICKLAKE_HOME` with a lake and a demo account. */
  readonly home: string;
  /** Scratch folder of this run, in the same file system; the run removes it at its end. */
  readonly scratch: string;
  readonly listings: readonly Listing[];
  /** Listings of the daily bars. */
  readonly dailyListings: readonly Listing[];
  /** Each flagship on each day; days take turns. */
  readonly flagshipPages: readonly TickPage[];
  /** Tickers with 200 to 999 ticks, on all days; days take turns. */
  readonly rarePages: readonly TickPage[];
  /** Published partition files by key: the days of ticks, the months of minute bars. */
  readonly tickFiles: ReadonlyMap<string, string>;
  readonly barFiles: ReadonlyMap<string, string>;
  /** The years of daily bars. */
  readonly dailyFiles: ReadonlyMap<string, string>;
}

export interface Load {
  readonly dataset: string;
  readonly what: string;
  sql(dataset: Dataset, all: readonly Listing[]): string;
}

export function tradingDays(firstDate: string, count: number): string[] {
  const days: string[] = [];
  for (let day = nextTradingDay(firstDate); days.length < count; day = nextTradingDay(day)) {
    days.push(day);
  }
  return days;
}

/** The trading days whose date begins with the prefix: a year or a month. */
function tradingDaysOf(prefix: string): string[] {
  const before = `${Number(prefix.slice(0, 4)) - 1}-12-15`;
  return tradingDays(before, 280).filter((day) => day.startsWith(prefix));
}

function loads(sizes: DataSizes): Load[] {
  const ticks = sizes.tickDays.map((date, day) => ({
    dataset: 'eq_taq',
    what: `ticks of ${date}`,
    sql: (_: Dataset, all: readonly Listing[]) => tickRowsSql(sizes, all, day),
  }));
  const bars = sizes.barMonths.map((month) => ({
    dataset: 'eq_taq_1min',
    what: `minute bars of ${month}`,
    sql: (dataset: Dataset, all: readonly Listing[]) =>
      minuteBarsSql(dataset, all.slice(0, sizes.barTickers), tradingDaysOf(month)),
  }));
  const daily = sizes.dailyYears.map((year) => ({
    dataset: 'eq_daily_ohlc',
    what: `daily bars of ${year}`,
    sql: (dataset: Dataset) =>
      dailyBarsSql(dataset, listings(sizes.dailyTickers), tradingDaysOf(`${year}`)),
  }));
  return [...ticks, ...bars, ...daily];
}

function datasetOf({ catalog }: OpenServices, textId: string): Dataset {
  const dataset = catalog.byTextId(textId);
  if (!dataset) throw new Error(`no dataset ${textId}`);
  return dataset;
}

/** Generates rows and publishes them; `file` is where they lie meanwhile. */
export async function load(
  services: OpenServices,
  raw: DuckDBConnection,
  { dataset: textId, what, sql }: Load,
  all: readonly Listing[],
  file: string,
): Promise<void> {
  // Prices and days are made up, and not as checks ask for them.
  const dataset = { ...datasetOf(services, textId), checks: [] };
  const start = performance.now();
  await raw.run(`COPY (${sql(dataset, all)}) TO '${file}' (FORMAT parquet)`);
  const generatedAt = performance.now();
  const report = await ingestFiles({
    lake: services.lake,
    dataset,
    files: [file],
    mode: 'replace',
    maxBadRows: 0,
    vendor: 'Bench',
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  rmSync(file);
  if (!report.isPublished) throw new Error(`${textId} was refused`);
  const seconds = [generatedAt - start, performance.now() - generatedAt].map((ms) =>
    (ms / 1000).toFixed(1),
  );
  process.stderr.write(
    `  ${what}: ${report.rowCount} rows, generated in ${seconds[0]} s, published in ${seconds[1]} s\n`,
  );
}

export function openBenchServices(home: string): Promise<OpenServices> {
  return openServices({ ...readConfig({ TICKLAKE_LOG_LEVEL: 'silent' }), home }, systemClock);
}

/** `reads`: text ids of the datasets that are wanted; null: all of them. */
async function build(
  home: string,
  sizes: DataSizes,
  all: readonly Listing[],
  reads: readonly string[] | null,
): Promise<void> {
  process.stderr.write(`Generating the data set in ${home}, only this once…\n`);
  const services = await openBenchServices(home);
  const raw = await openRawEngine(join(home, 'spill'));
  try {
    const wanted = loads(sizes).filter(({ dataset }) => reads?.includes(dataset) ?? true);
    for (const each of wanted) {
      await load(services, raw, each, all, join(home, 'source.parquet'));
    }
    await makeDemoAccount(services);
  } finally {
    raw.closeSync();
    await services.close();
  }
}

function pagesOf(
  sizes: DataSizes,
  all: readonly Listing[],
  fileOf: ReadonlyMap<string, string>,
  isWanted: (rowCount: number) => boolean,
): TickPage[] {
  const byDay = sizes.tickDays.map((date, day) => {
    const counts = tickCounts(sizes, day);
    return all
      .map(({ ticker }, i) => ({ date, ticker, rowCount: counts[i] as number }))
      .filter(({ rowCount }) => isWanted(rowCount))
      .map((page) => ({ ...page, file: fileOf.get(date) as string }));
  });
  const longest = Math.max(...byDay.map((pages) => pages.length));
  return Array.from({ length: longest }, (_, n) => byDay.flatMap((pages) => pages[n] ?? [])).flat();
}

/** Paths of the files of partitions. */
async function fileByKey(services: OpenServices, textId: string): Promise<Map<string, string>> {
  const { datasetId } = datasetOf(services, textId);
  const { lake } = services;
  const parts = (await lake.snapshot(datasetId))?.parts ?? [];
  return new Map(parts.map(({ key, location }) => [key, join(lake.directory, location)]));
}

/**
 * Opens the data set in the folder, after generating it if it is not there yet. If only some of its
 * datasets are read, and the whole is not there, it is one of these alone.
 */
export async function prepareDataSet(
  folder: string,
  sizes: DataSizes,
  reads: readonly string[] | null,
): Promise<DataSet> {
  const all = listings(sizes.tickers);
  const whole = join(folder, `${sizes.name}-v${DATA_VERSION}-${await layoutMark()}`);
  const isPart = reads !== null && !existsSync(whole);
  const home = isPart ? [whole, 'only', ...reads.toSorted()].join('-') : whole;
  await buildOnce(home, (building) => build(building, sizes, all, isPart ? reads : null));
  const scratch = mkdtempSync(join(folder, 'scratch-'));
  const services = await openBenchServices(home);
  try {
    const tickFiles = await fileByKey(services, 'eq_taq');
    return {
      sizes,
      home,
      scratch,
      listings: all,
      dailyListings: listings(sizes.dailyTickers),
      flagshipPages: pagesOf(sizes, all, tickFiles, (count) => count > 500_000),
      rarePages: pagesOf(sizes, all, tickFiles, (count) => count >= 200 && count < 1000),
      tickFiles,
      barFiles: await fileByKey(services, 'eq_taq_1min'),
      dailyFiles: await fileByKey(services, 'eq_daily_ohlc'),
    };
  } finally {
    await services.close();
  }
}

export function demoKey(home: string): string {
  return readFileSync(demoKeyFile(home), 'utf8').trim();
}
