/**
 * Loading ticks of one day as CSV, with all checks, beside the engine alone, which reads, sorts and
 * writes the same file to the same layout; and many files of one row.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { systemClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import type { TextOpener } from '../../src/ingest/load-sources.ts';
import { openLake } from '../../src/open-home.ts';
import { openCatalog } from '../../src/open-services.ts';
import { zipBytes } from '../../test/import-lean/zip-file.ts';
import { type Cost, costOf, costText, medianCost } from '../cost.ts';
import type { Bench, Benchmark, Finding } from '../finding.ts';
import { race } from '../measure.ts';

const ROWS = { full: 5_000_000, small: 50_000 } as const;
const SMALL_FILES = { full: 20_000, small: 100 } as const;
const TURNS = { full: { warmUps: 1, runs: 5 }, small: { warmUps: 0, runs: 1 } } as const;
/** Default memory of the engine's loads, given to the engine beside them as well. */
const MEMORY_MEGABYTES = 768;
const FILE_COLUMNS = `{'TradeDate': 'DATE', 'EventDateTime': 'TIMESTAMP_NS', 'EventType': 'VARCHAR',
  'Ticker': 'VARCHAR', 'ASID': 'BIGINT', 'Price': 'DOUBLE', 'Quantity': 'BIGINT',
  'Exchange': 'VARCHAR', 'ConditionCode': 'BIGINT'}`;

/** Loads into the lake of a home; resolves with the number of rows. */
export async function loadInto(
  home: string,
  dataset: Dataset,
  files: readonly string[],
  opener?: TextOpener,
): Promise<number> {
  const lake = await openLake({ home }, systemClock);
  try {
    const { isPublished, rowCount } = await ingestFiles({
      lake,
      dataset,
      files,
      mode: 'replace',
      maxBadRows: 0,
      opener,
      vendor: 'Bench',
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    if (!isPublished) throw new Error('nothing was published');
    return rowCount;
  } finally {
    await lake.close();
  }
}

/** Loads into a lake of its own; resolves with the number of rows. */
export async function load(
  scratch: string,
  dataset: Dataset,
  files: readonly string[],
  opener?: TextOpener,
): Promise<number> {
  const home = mkdtempSync(join(scratch, 'home-'));
  try {
    return await loadInto(home, dataset, files, opener);
  } finally {
    rmSync(home, { recursive: true });
  }
}

function tickDataset(home: string): Dataset {
  return openCatalog(home, null).byTextId('eq_taq') as Dataset;
}

/** DuckDB by itself, with the memory and the threads of a stage. */
async function openEngine(spillDirectory: string): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${MEMORY_MEGABYTES}MB`,
    threads: `${availableParallelism()}`,
    temp_directory: spillDirectory,
  });
  return await instance.connect();
}

/** A CSV file of the first ticks of a day in the order of a feed, its times with their offset. */
async function writeTicks({ data, raw }: Bench): Promise<string> {
  const file = join(data.scratch, 'ticks.csv');
  const [day] = [...data.tickFiles.values()];
  await raw.run(
    `COPY (SELECT * EXCLUDE (EventDateTime_utc_ns) REPLACE (
        strftime(make_timestamp_ns(EventDateTime_utc_ns - 14400000000000),
          '%Y-%m-%dT%H:%M:%S.%n') || '-04:00' AS EventDateTime)
      FROM read_parquet('${day}') ORDER BY EventDateTime_utc_ns LIMIT ${ROWS[data.sizes.name]})
     TO '${file}' (FORMAT csv, HEADER true)`,
  );
  return file;
}

function engineLoadSql(file: string, target: string): string {
  return `COPY (SELECT * FROM read_csv('${file}', columns = ${FILE_COLUMNS}, header = true,
      auto_detect = false, delim = ',', quote = '"', escape = '"', new_line = '\\n')
    ORDER BY TradeDate, Ticker, EventDateTime)
    TO '${target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 61440)`;
}

const LOAD_CSV: Benchmark = {
  name: 'load-csv',
  run: async (bench) => {
    const { data } = bench;
    const file = await writeTicks(bench);
    const dataset = tickDataset(data.home);
    const engine = await openEngine(join(data.scratch, 'load-spill'));
    const engineSql = engineLoadSql(file, join(data.scratch, 'by-engine.parquet'));
    const { warmUps } = TURNS[data.sizes.name];
    const costs = { load: [] as Cost[], engine: [] as Cost[] };
    const rowCounts = new Set<number>();
    await race(TURNS[data.sizes.name], {
      load: async () => {
        const work = async () => rowCounts.add(await load(data.scratch, dataset, [file]));
        costs.load.push(await costOf(work));
      },
      engine: async () => {
        costs.engine.push(await costOf(() => engine.run(engineSql)));
      },
    });
    engine.closeSync();
    rmSync(file);
    const [rowCount] = rowCounts;
    if (rowCounts.size > 1 || rowCount !== ROWS[data.sizes.name]) {
      throw new Error(`${[...rowCounts].join(', ')} rows were loaded`);
    }
    const loaded = medianCost(costs.load.slice(warmUps));
    const compared = medianCost(costs.engine.slice(warmUps));
    return [
      {
        work: `loading ${rowCount / 1e6} million CSV ticks`,
        measured: `ingest ${costText(loaded)}`,
        compared: `engine ${costText(compared)}`,
        figure: loaded.seconds / compared.seconds,
        unit: '',
        target: { is: 'at most', value: 1.6 },
        details: {
          loadSeconds: loaded.seconds,
          loadCpuSeconds: loaded.cpuSeconds,
          engineSeconds: compared.seconds,
          engineCpuSeconds: compared.cpuSeconds,
          cpuRatio: loaded.cpuSeconds / compared.cpuSeconds,
          rowCount,
        },
      },
    ];
  },
};

/** Texts of files of one row, by their names. */
function oneRowFiles(count: number): Record<string, string> {
  const header =
    'TradeDate,EventDateTime,EventType,Ticker,ASID,Price,Quantity,Exchange,ConditionCode';
  const texts = Array.from({ length: count }, (_, i) => {
    const row = `2024-03-12,2024-03-12T09:30:00.000000001,TRADE,S${i},${i},1.25,100,NYSE,1`;
    return [`S${i}.csv`, `${header}\n${row}\n`];
  });
  return Object.fromEntries(texts);
}

const LOAD_FILES: Benchmark = {
  name: 'load-files',
  run: async ({ data }) => {
    const count = SMALL_FILES[data.sizes.name];
    const texts = oneRowFiles(count);
    const folder = join(data.scratch, 'files');
    mkdirSync(folder);
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const zip = join(data.scratch, 'files.zip');
    writeFileSync(zip, zipBytes(texts));
    const dataset = tickDataset(data.home);
    const sources = { folder, 'zip file': zip };
    const findings: Finding[] = [];
    for (const [kind, path] of Object.entries(sources)) {
      const cost = await costOf(async () => {
        const rowCount = await load(data.scratch, dataset, [path]);
        if (rowCount !== count) throw new Error(`${rowCount} rows were loaded`);
      });
      rmSync(path, { recursive: true });
      findings.push({
        work: `loading a ${kind} of ${count} CSV files of one row`,
        measured: costText(cost),
        compared: `${((cost.seconds * 1000) / count).toFixed(2)} ms a file`,
        figure: cost.seconds,
        unit: ' s',
        target: { is: 'under', value: 40 },
        details: { ...cost, count },
      });
    }
    return findings;
  },
};

export const LOAD_BENCHMARKS: readonly Benchmark[] = [LOAD_CSV, LOAD_FILES];
