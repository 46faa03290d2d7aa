/** A page over HTTP against the engine's own COPY of the same rows to a file. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { TickPage } from '../data/data-set.ts';
import {
  type Bench,
  type Benchmark,
  type Finding,
  ms,
  raceClickHouse,
  ratio,
  type ServedBench,
} from '../finding.ts';
import { race } from '../measure.ts';
import { selectSql } from '../raw-engine.ts';
import type { Selection } from '../selection.ts';

interface PageWork {
  readonly name: string;
  readonly title: string;
  /** The request of a turn, and the same rows for an engine. */
  readonly page: (bench: Bench, turn: number) => { path: string; rows: Selection };
  /** Options of DuckDB's COPY, and ClickHouse's format, that write the same kind of file. */
  readonly copy: string;
  readonly clickHouse: { readonly format: string; readonly extension: string };
  readonly ratioMax: number;
  readonly sizeRatioMax: number | null;
}

function ticks(format: string, limit: number): PageWork['page'] {
  return ({ data: { flagshipPages } }, turn) => {
    const { date, ticker, file } = flagshipPages[turn % flagshipPages.length] as TickPage;
    const conditions = `TradeDate = '${date}' AND Ticker = '${ticker}'`;
    return {
      path: `/data/us-equity/eq-taq/${date}/${ticker}?limit=${limit}&response_format=${format}`,
      rows: { table: 'eq_taq', file, conditions, limit },
    };
  };
}

/** A ticker and a month of minute bars: each turn another pair. */
function bars(limit: number): PageWork['page'] {
  return ({ data: { barFiles, listings, sizes } }, turn) => {
    const [month, file] = [...barFiles][turn % barFiles.size] as [string, string];
    const ticker = listings[Math.floor(turn / barFiles.size) % sizes.barTickers]?.ticker;
    const [first, last] = [`${month}-01`, `${month}-28`];
    const conditions = `TradeDate >= '${first}' AND TradeDate <= '${last}' AND Ticker = '${ticker}'`;
    return {
      path: `/data/us-equity/eq-taq-1min/${ticker}?TradeDate.ge=${first}&TradeDate.le=${last}&limit=${limit}`,
      rows: { table: 'eq_taq_1min', file, conditions, limit },
    };
  };
}

const WORKS: readonly PageWork[] = [
  {
    name: 'ticks-json',
    title: '10,000 ticks, JSON',
    page: ticks('json', 10_000),
    copy: 'FORMAT json',
    clickHouse: { format: 'JSONEachRow', extension: 'json' },
    ratioMax: 1.15,
    sizeRatioMax: null,
  },
  {
    name: 'ticks-csv',
    title: '30,000 ticks, CSV',
    page: ticks('csv', 30_000),
    copy: 'FORMAT csv, HEADER true',
    clickHouse: { format: 'CSVWithNames', extension: 'csv' },
    ratioMax: 1.15,
    sizeRatioMax: null,
  },
  {
    name: 'ticks-gzip',
    title: '80,000 ticks, csv_gzip',
    page: ticks('csv_gzip', 80_000),
    copy: 'FORMAT csv, HEADER true, COMPRESSION gzip',
    clickHouse: { format: 'CSVWithNames', extension: 'csv.gz' },
    ratioMax: 0.6,
    sizeRatioMax: 1.1,
  },
  {
    name: 'bars-json',
    title: '1,000 minute bars of 62 columns, JSON',
    page: bars(1000),
    copy: 'FORMAT json',
    clickHouse: { format: 'JSONEachRow', extension: 'json' },
    ratioMax: 1.3,
    sizeRatioMax: null,
  },
];

interface Sides<T> {
  readonly page: T;
  readonly copy: T;
}

interface PageMeasures {
  readonly times: Sides<readonly number[]>;
  readonly bytes: Sides<number>;
  /**
   * Processor time of all threads of the service, and of the engine alone; means of the turns that
   * count.
   */
  readonly cpuMs: Sides<number>;
  readonly others: Pick<Finding, 'clickHouse'>;
}

function findingsOf(
  { title, ratioMax, sizeRatioMax }: PageWork,
  { times, bytes, cpuMs, others }: PageMeasures,
): Finding[] {
  const goal: Pick<Finding, 'work' | 'target' | 'details'> = {
    work: `${title}: time`,
    target: { is: 'at most', value: ratioMax },
    details: { pageCpuMs: cpuMs.page, copyCpuMs: cpuMs.copy },
  };
  const page = { name: 'page', times: times.page, also: `, CPU ${ms(cpuMs.page)}` };
  const copy = { name: 'COPY', times: times.copy, also: `, CPU ${ms(cpuMs.copy)}` };
  const time = { ...ratio(goal, page, copy), ...others };
  if (sizeRatioMax === null) return [time];
  const size: Finding = {
    work: `${title}: size`,
    measured: `pages ${(bytes.page / 1e6).toFixed(1)} MB`,
    compared: `COPY ${(bytes.copy / 1e6).toFixed(1)} MB`,
    figure: bytes.page / bytes.copy,
    unit: '',
    target: { is: 'at most', value: sizeRatioMax },
    details: { pageBytes: bytes.page, copyBytes: bytes.copy },
  };
  return [time, size];
}

function pageBenchmark(work: PageWork): Benchmark<ServedBench> {
  return {
    name: work.name,
    run: async (bench) => {
      const { client, raw, service, turns } = bench;
      const cpuMs = { page: 0, copy: 0 };
      const countCpu = (side: keyof Sides<number>, turn: number, takenMs: number) => {
        if (turn >= turns.warmUps) cpuMs[side] += takenMs / turns.runs;
      };
      const { format, extension } = work.clickHouse;
      const target = join(bench.data.scratch, `copy-${work.name}`);
      const bytes = { page: 0, copy: 0 };
      const rowsOf = (turn: number) => work.page(bench, turn).rows;
      const otherwise = `${target}-clickhouse.${extension}`;
      const times = await race(turns, {
        page: async (turn) => {
          const cpuBefore = service.cpuMs();
          bytes.page += (await client.read(work.page(bench, turn).path)).byteCount;
          countCpu('page', turn, service.cpuMs() - cpuBefore);
        },
        copy: async (turn) => {
          const before = process.cpuUsage();
          await raw.run(`COPY (${selectSql(rowsOf(turn))}) TO '${target}' (${work.copy})`);
          const { user, system } = process.cpuUsage(before);
          countCpu('copy', turn, (user + system) / 1000);
          bytes.copy += statSync(target).size;
        },
      });
      const others = await raceClickHouse(bench, (engine, turn, source) =>
        engine.copy(rowsOf(turn), source, otherwise, format),
      );
      return findingsOf(work, { times, bytes, cpuMs, others });
    },
  };
}

export const PAGE_BENCHMARKS: readonly Benchmark<ServedBench>[] = WORKS.map(pageBenchmark);
