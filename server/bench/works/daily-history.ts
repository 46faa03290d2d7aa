/**
 * Ten years of one ticker out of a dataset ordered by date, and beside it pages of all tickers in
 * natural order, which the dataset's files have to serve as fast as any.
 */
import { join } from 'node:path';
import type { Client } from '../client.ts';
import { type Benchmark, type Finding, ms, ratio, type ServedBench } from '../finding.ts';
import { median, race } from '../measure.ts';

const STRIDE = 277;
const LIMIT = 10_000;
const HISTORY_MS_MAX = 15;
const SCANNED_PERCENT_MAX = 1;
const WALK_RATIO_MAX = 1.3;

function spanOf({ data }: ServedBench): string {
  const years = data.sizes.dailyYears;
  return `TradeDate.ge=${years[0]}-01-01&TradeDate.le=${years.at(-1)}-12-31&period=${years.length}Y`;
}

async function scannedBytes(client: Client, query: string): Promise<number> {
  const scan = await client.json(`/data-scan/us-equity/eq-daily-ohlc?${query}`);
  return (scan as { bytes_scanned: number }).bytes_scanned;
}

async function measureHistory(bench: ServedBench): Promise<Finding[]> {
  const { data, turns, client } = bench;
  const tickerOf = (turn: number) =>
    data.dailyListings[(turn * STRIDE) % data.dailyListings.length]?.ticker;
  const queryOf = (turn: number) => `Ticker=${tickerOf(turn)}&${spanOf(bench)}`;
  const cpuBefore = { ms: 0 };
  const { page } = await race(turns, {
    page: (turn) => {
      if (turn === turns.warmUps) cpuBefore.ms = bench.service.cpuMs();
      return client.read(`/data/us-equity/eq-daily-ohlc?${queryOf(turn)}&limit=${LIMIT}`);
    },
  });
  const cpu = (bench.service.cpuMs() - cpuBefore.ms) / turns.runs;
  const all = await scannedBytes(client, spanOf(bench));
  let most = 0;
  for (let turn = 0; turn < turns.runs; turn++) {
    most = Math.max(most, await scannedBytes(client, queryOf(turn)));
  }
  const work = `${data.sizes.dailyYears.length} years of daily bars of one of ${data.dailyListings.length} tickers`;
  return [
    {
      work: `${work}: time`,
      measured: `page ${ms(median(page))}, CPU ${ms(cpu)}`,
      compared: 'the target',
      figure: median(page),
      unit: ' ms',
      target: { is: 'at most', value: HISTORY_MS_MAX },
      details: { pageMs: median(page), cpuMs: cpu, slowestMs: Math.max(...page) },
    },
    {
      work: `${work}: bytes scanned`,
      measured: `at most ${(most / 1e6).toFixed(2)} MB`,
      compared: `all tickers ${(all / 1e6).toFixed(1)} MB`,
      figure: (100 * most) / all,
      unit: ' %',
      target: { is: 'at most', value: SCANNED_PERCENT_MAX },
      details: { scannedBytes: most, storedBytes: all },
    },
  ];
}

/** Each turn begins with another row of another year. */
async function measureWalk({ data, raw, turns, client }: ServedBench): Promise<Finding> {
  const target = join(data.scratch, 'daily.json');
  const files = [...data.dailyFiles];
  const pageOf = (turn: number) => {
    const [year, file] = files[turn % files.length] as [string, string];
    return { year, file, offset: (turn * 4001) % 40_000 };
  };
  const times = await race(turns, {
    page: (turn) => {
      const { year, offset } = pageOf(turn);
      const dates = `TradeDate.ge=${year}-01-01&TradeDate.le=${year}-12-31`;
      return client.read(`/data/us-equity/eq-daily-ohlc?${dates}&offset=${offset}&limit=${LIMIT}`);
    },
    copy: (turn) => {
      const { year, file, offset } = pageOf(turn);
      const dates = `TradeDate >= '${year}-01-01' AND TradeDate <= '${year}-12-31'`;
      return raw.run(
        `COPY (SELECT * FROM read_parquet('${file}') WHERE ${dates} LIMIT ${LIMIT} OFFSET ${offset})
         TO '${target}' (FORMAT json)`,
      );
    },
  });
  const work = '10,000 daily bars of all tickers, JSON: time';
  const page = { name: 'page', times: times.page };
  const copy = { name: 'COPY', times: times.copy };
  return ratio({ work, target: { is: 'at most', value: WALK_RATIO_MAX } }, page, copy);
}

export const DAILY_HISTORY: Benchmark<ServedBench> = {
  name: 'daily-history',
  reads: ['eq_daily_ohlc'],
  run: async (bench) => [...(await measureHistory(bench)), await measureWalk(bench)],
};
