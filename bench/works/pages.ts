/** A page over HTTP against the engine's own COPY of the same rows to a file. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { TickPage } from '../data/data-set.ts';
import { type Bench, type Benchmark, type Finding, ms } from '../finding.ts';
import { median, race } from '../measure.ts';

interface PageWork {
  readonly name: string;
  readonly title: string;
  /** Of a turn: what to ask for, and the same rows as SQL. */
  readonly path: (bench: Bench, turn: number) => string;
  readonly rows: (bench: Bench, turn: number) => string;
  /** Options of COPY that write the same kind of file. */
  readonly copy: string;
  readonly ratioMax: number;
  readonly sizeRatioMax: number | null;
}

function flagship({ data }: Bench, turn: number): TickPage {
  return data.flagshipPages[turn % data.flagshipPages.length] as TickPage;
}

function ticks(format: string, limit: number) {
  return {
    path: (bench: Bench, turn: number) => {
      const { date, ticker } = flagship(bench, turn);
      return `/data/us-equity/eq-taq/${date}/${ticker}?limit=${limit}&response_format=${format}`;
    },
    rows: (bench: Bench, turn: number) => {
      const { date, ticker, file } = flagship(bench, turn);
      return `SELECT * FROM read_parquet('${file}')
        WHERE TradeDate = DATE '${date}' AND Ticker = '${ticker}' LIMIT ${limit}`;
    },
  };
}

/** A ticker and a month of minute bars: each turn another. */
function bars({ data }: Bench, turn: number) {
  const months = [...data.barFiles];
  const [month, file] = months[turn % months.length] as [string, string];
  const { ticker } = data.listings[turn % data.sizes.barTickers] as { ticker: string };
  return { first: `${month}-01`, last: `${month}-28`, ticker, file };
}

const WORKS: readonly PageWork[] = [
  {
    name: 'ticks-json',
    title: '10,000 ticks, JSON',
    ...ticks('json', 10_000),
    copy: 'FORMAT json',
    ratioMax: 1.15,
    sizeRatioMax: null,
  },
  {
    name: 'ticks-csv',
    title: '30,000 ticks, CSV',
    ...ticks('csv', 30_000),
    copy: 'FORMAT csv, HEADER true',
    ratioMax: 1.15,
    sizeRatioMax: null,
  },
  {
    name: 'ticks-gzip',
    title: '80,000 ticks, csv_gzip',
    ...ticks('csv_gzip', 80_000),
    copy: 'FORMAT csv, HEADER true, COMPRESSION gzip',
    ratioMax: 0.6,
    sizeRatioMax: 1.1,
  },
  {
    name: 'bars-json',
    title: '1,000 minute bars of 62 columns, JSON',
    path: (bench, turn) => {
      const { first, last, ticker } = bars(bench, turn);
      return `/data/us-equity/eq-taq-1min/${ticker}?TradeDate.ge=${first}&TradeDate.le=${last}&limit=1000`;
    },
    rows: (bench, turn) => {
      const { first, last, ticker, file } = bars(bench, turn);
      return `SELECT * FROM read_parquet('${file}')
        WHERE TradeDate >= DATE '${first}' AND TradeDate <= DATE '${last}' AND Ticker = '${ticker}'
        LIMIT 1000`;
    },
    copy: 'FORMAT json',
    ratioMax: 1.3,
    sizeRatioMax: null,
  },
];

function pageBenchmark(work: PageWork): Benchmark {
  return {
    name: work.name,
    run: async (bench) => {
      const target = join(bench.data.scratch, `copy-${work.name}`);
      let pageBytes = 0;
      let copyBytes = 0;
      const times = await race(bench.turns, {
        page: async (turn) => {
          pageBytes += (await bench.client.read(work.path(bench, turn))).byteCount;
        },
        copy: async (turn) => {
          await bench.raw.run(`COPY (${work.rows(bench, turn)}) TO '${target}' (${work.copy})`);
          copyBytes += statSync(target).size;
        },
      });
      const page = median(times.page);
      const copy = median(times.copy);
      const time: Finding = {
        work: `${work.title}: time`,
        measured: `page ${ms(page)}`,
        compared: `COPY ${ms(copy)}`,
        figure: page / copy,
        unit: '',
        target: { is: 'at most', value: work.ratioMax },
        details: { pageMs: page, copyMs: copy },
      };
      if (work.sizeRatioMax === null) return [time];
      return [
        time,
        {
          work: `${work.title}: size`,
          measured: `pages ${(pageBytes / 1e6).toFixed(1)} MB`,
          compared: `COPY ${(copyBytes / 1e6).toFixed(1)} MB`,
          figure: pageBytes / copyBytes,
          unit: '',
          target: { is: 'at most', value: work.sizeRatioMax },
          details: { pageBytes, copyBytes },
        },
      ];
    },
  };
}

export const PAGE_BENCHMARKS: readonly Benchmark[] = WORKS.map(pageBenchmark);
