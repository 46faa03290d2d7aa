/** Very many partitions of few rows: loading them, and the rows of one ticker in all of them. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { openCatalog } from '../../src/open-services.ts';
import { planQuery } from '../../src/plan/plan-query.ts';
import { parseDataRequest } from '../../src/request/data-request.ts';
import { type Cost, costOf, costText } from '../cost.ts';
import { dailyBarsSql } from '../data/bar-rows.ts';
import { openBenchServices, tradingDays } from '../data/data-set.ts';
import { listings } from '../data/listings.ts';
import { type Bench, type Benchmark, type Finding, ms } from '../finding.ts';
import { timed } from '../measure.ts';
import { loadInto } from './load.ts';

const DAYS = { full: 5000, small: 250 } as const;
const TICKERS = 20;
const EVERYTHING = { startDate: '1900-01-01', endDate: '2199-12-31', universe: [] };
const TODAY = { market: '2026-11-20', utc: '2026-11-21' };

/** Daily bars, each day a partition of its own. */
function barsByDay(home: string): Dataset {
  const dataset = openCatalog(home, null).byTextId('eq_daily_ohlc') as Dataset;
  const partitioning = { unit: 'day', column: 'TradeDate' } as const;
  const own = { datasetId: 'US9020', textId: 'bars_by_day' };
  return { ...dataset, ...own, partitioning, alsoStoredBy: null, checks: [] };
}

/** Milliseconds of the first and the second page, from the text of the request to its last row. */
async function readTwice(home: string, dataset: Dataset, rowCount: number): Promise<number[]> {
  const services = await openBenchServices(home);
  const { config, lake, engine } = services;
  const read = async (ticker = '') => {
    const queryString = `Ticker=${ticker}&period=99Y&limit=10000`;
    const path = { group: dataset.group, segment: dataset.segment, pathParameters: [] };
    const request = parseDataRequest({ ...path, queryString }, config);
    const snapshot = await lake.snapshot(dataset.datasetId);
    const plan = await planQuery({ request, dataset, snapshot, rules: [EVERYTHING], today: TODAY });
    let found = 0;
    for await (const batch of engine.scan(plan, new AbortController().signal)) {
      found += batch.rowCount;
    }
    if (found !== rowCount) throw new Error(`${found} rows of ${ticker}, not ${rowCount}`);
  };
  try {
    const times: number[] = [];
    for (const { ticker } of listings(2)) times.push(await timed(() => read(ticker)));
    return times;
  } finally {
    await services.close();
  }
}

/** The days loaded, and written by the engine itself to as many files. */
async function loadDays({ data, raw }: Bench, home: string, dataset: Dataset, dayCount: number) {
  const file = join(data.scratch, 'days.parquet');
  const rows = dailyBarsSql(dataset, listings(TICKERS), tradingDays('2006-12-31', dayCount));
  await raw.run(`COPY (${rows}) TO '${file}' (FORMAT parquet)`);
  const loaded = await costOf(() => loadInto(home, dataset, [file]));
  const target = `'${join(data.scratch, 'days')}' (FORMAT parquet, PARTITION_BY (TradeDate))`;
  const written = await costOf(() => raw.run(`COPY (FROM read_parquet('${file}')) TO ${target}`));
  return { loaded, written };
}

function loadFinding(loaded: Cost, written: Cost, dayCount: number): Finding {
  return {
    work: `loading ${dayCount} partitions of ${TICKERS} rows`,
    measured: costText(loaded),
    compared: `engine ${costText(written)}`,
    figure: loaded.seconds,
    unit: ' s',
    target: { is: 'at most', value: 10 },
    details: { ...loaded, engineSeconds: written.seconds, dayCount },
  };
}

export const SMALL_PARTITIONS: Benchmark = {
  name: 'small-partitions',
  reads: [],
  run: async (bench) => {
    const dayCount = DAYS[bench.data.sizes.name];
    const home = mkdtempSync(join(bench.data.scratch, 'home-'));
    const dataset = barsByDay(home);
    const { loaded, written } = await loadDays(bench, home, dataset, dayCount);
    const [firstMs = 0, secondMs = 0] = await readTwice(home, dataset, dayCount);
    return [
      loadFinding(loaded, written, dayCount),
      {
        work: `one ticker in ${dayCount} partitions of ${TICKERS} rows, the first time`,
        measured: ms(firstMs),
        compared: `the next ticker ${ms(secondMs)}`,
        figure: firstMs,
        unit: ' ms',
        target: { is: 'at most', value: 300 },
        details: { firstMs, secondMs, dayCount },
      },
    ];
  },
};
