/**
 * Many clients at once, each asking for one page after the other: small and large ones, of ticks,
 * minute bars and daily bars, in all formats. One client alone, before and after, is the measure.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '../client.ts';
import type { DataSet } from '../data/data-set.ts';
import { noise } from '../data/listings.ts';
import { type Bench, type Benchmark, type Finding, ms } from '../finding.ts';
import { median, quantile } from '../measure.ts';
import { type Service, withService } from '../service.ts';

const CLIENTS = 32;
const SAMPLE_MS = 250;
const FLAT_MINUTES_MIN = 3;

/** A number from 0 on, below `count`: the next one of a client's sequence. */
type Pick = (count: number) => number;

interface PageKind {
  readonly percent: number;
  path(data: DataSet, pick: Pick): string;
}

function flagshipPath(format: string, limit: number): PageKind['path'] {
  return ({ flagshipPages }, pick) => {
    const { date, ticker } = flagshipPages[pick(flagshipPages.length)]!;
    const offset = limit * pick(Math.floor(500_000 / limit));
    return `/data/us-equity/eq-taq/${date}/${ticker}?response_format=${format}&limit=${limit}&offset=${offset}`;
  };
}

const KINDS: readonly PageKind[] = [
  {
    percent: 25,
    path: ({ sizes, listings }, pick) => {
      const date = sizes.tickDays[pick(sizes.tickDays.length)];
      return `/data/us-equity/eq-taq/${date}/${listings[pick(listings.length)]!.ticker}?limit=1000`;
    },
  },
  {
    percent: 15,
    path: ({ rarePages }, pick) => {
      const { date, ticker } = rarePages[pick(rarePages.length)]!;
      return `/data/us-equity/eq-taq/${date}/${ticker}?limit=1000`;
    },
  },
  { percent: 15, path: flagshipPath('json', 10_000) },
  { percent: 10, path: flagshipPath('csv', 30_000) },
  { percent: 5, path: flagshipPath('csv_gzip', 80_000) },
  {
    percent: 15,
    path: ({ sizes, listings }, pick) => {
      const { ticker } = listings[pick(sizes.barTickers)]!;
      const month = sizes.barMonths[pick(sizes.barMonths.length)];
      return `/data/us-equity/eq-taq-1min/${ticker}?TradeDate.ge=${month}-01&TradeDate.le=${month}-28`;
    },
  },
  {
    percent: 15,
    path: ({ sizes, dailyListings }, pick) => {
      const { ticker } = dailyListings[pick(dailyListings.length)]!;
      const year = sizes.dailyYears[pick(sizes.dailyYears.length)];
      return `/data/us-equity/eq-daily-ohlc?Ticker=${ticker}&TradeDate.ge=${year}-01-01&TradeDate.le=${year}-12-31`;
    },
  },
];

function mixedPath(data: DataSet, pick: Pick): string {
  let percent = pick(100);
  for (const kind of KINDS) {
    percent -= kind.percent;
    if (percent < 0) return kind.path(data, pick);
  }
  throw new Error('the kinds of pages do not add up to 100 percent');
}

interface Load {
  readonly data: DataSet;
  readonly service: Service;
  readonly nextPath: PageKind['path'];
}

interface Outcome {
  /** Milliseconds of each page that came whole. */
  readonly latencies: number[];
  readonly errors: string[];
  readonly seconds: number;
}

/** Lets the clients ask until the time is over; each of them has a sequence of its own. */
async function ask(
  { data, service, nextPath }: Load,
  clients: number,
  seconds: number,
  firstSeed: number,
): Promise<Outcome> {
  const client = new Client(service);
  const outcome = { latencies: [] as number[], errors: [] as string[] };
  const start = performance.now();
  const end = start + seconds * 1000;
  const askOn = async (seed: number) => {
    let step = 0;
    const pick: Pick = (count) => Math.floor(noise(seed, step++) * count);
    while (performance.now() < end) {
      const path = nextPath(data, pick);
      const askedAt = performance.now();
      const problem = await client.fetch(path).then(
        ({ status, text }) => (status === 200 ? null : `${status} ${text}`),
        (error: Error) => error.message,
      );
      if (problem === null) outcome.latencies.push(performance.now() - askedAt);
      else outcome.errors.push(`${path}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => askOn(firstSeed + n)));
  client.close();
  return { ...outcome, seconds: (performance.now() - start) / 1000 };
}

interface MemorySample {
  readonly atSeconds: number;
  readonly bytes: number;
}

/** Watches the resident size until the returned function is called. */
function watchMemory(service: Service): () => MemorySample[] {
  const samples: MemorySample[] = [];
  const start = performance.now();
  const look = () => {
    const atSeconds = (performance.now() - start) / 1000;
    samples.push({ atSeconds, bytes: service.residentBytes() });
  };
  look();
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    look();
    clearInterval(timer);
    return samples;
  };
}

function flatness(samples: readonly MemorySample[], seconds: number): Finding[] {
  if (seconds < FLAT_MINUTES_MIN * 60) return [];
  const inMinute = (fromSeconds: number) =>
    median(
      samples
        .filter(({ atSeconds }) => atSeconds >= fromSeconds && atSeconds < fromSeconds + 60)
        .map(({ bytes }) => bytes / 1e6),
    );
  const second = inMinute(60);
  const last = inMinute(seconds - 60);
  return [
    {
      work: `memory over ${Math.round(seconds / 60)} minutes`,
      measured: `last minute ${last.toFixed(0)} MB`,
      compared: `second minute ${second.toFixed(0)} MB`,
      figure: 100 * Math.abs(last / second - 1),
      unit: ' %',
      target: { is: 'at most', value: 10 },
      details: { secondMinuteMegabytes: second, lastMinuteMegabytes: last },
    },
  ];
}

function memoryFinding(samples: readonly MemorySample[]): Finding {
  const megabytes = samples.map(({ bytes }) => bytes / 1e6);
  const most = Math.max(...megabytes);
  return {
    work: 'resident size meanwhile',
    measured: `at most ${most.toFixed(0)} MB`,
    compared: `at first ${megabytes[0]?.toFixed(0)} MB, median ${median(megabytes).toFixed(0)} MB`,
    figure: most,
    unit: ' MB',
    target: { is: 'under', value: 700 },
    details: { mostMegabytes: most, medianMegabytes: median(megabytes) },
  };
}

function rate(outcomes: readonly Outcome[]): number {
  const pages = outcomes.reduce((sum, { latencies }) => sum + latencies.length, 0);
  return pages / outcomes.reduce((sum, { seconds }) => sum + seconds, 0);
}

function throughput(work: string, alone: readonly Outcome[], many: Outcome): Finding {
  const [aloneRate, manyRate] = [rate(alone), rate([many])];
  return {
    work: `${work}: throughput`,
    measured: `${manyRate.toFixed(1)} pages/s`,
    compared: `one client ${aloneRate.toFixed(1)} pages/s`,
    figure: manyRate / aloneRate,
    unit: '',
    target: { is: 'at least', value: 1.2 },
    details: { pagesPerSecond: manyRate, pagesPerSecondAlone: aloneRate },
  };
}

function loadFindings(alone: readonly Outcome[], many: Outcome): Finding[] {
  const half = median(many.latencies);
  const slow = quantile(many.latencies, 0.99);
  const work = `${CLIENTS} clients, mixed pages, ${Math.round(many.seconds)} s`;
  return [
    {
      work: `${work}: errors`,
      measured: `${many.errors.length} errors`,
      compared: `${many.latencies.length} pages; ${many.errors[0] ?? 'no error'}`,
      figure: many.errors.length,
      unit: ' errors',
      target: { is: 'at most', value: 0 },
      details: { pages: many.latencies.length },
    },
    throughput(work, alone, many),
    {
      work: `${work}: p99 against p50`,
      measured: `p99 ${slow.toFixed(0)} ms`,
      compared: `p50 ${half.toFixed(0)} ms`,
      figure: slow / half,
      unit: '',
      target: { is: 'under', value: 6 },
      details: {
        p99Ms: slow,
        p50Ms: half,
        aloneP50Ms: median(alone.flatMap(({ latencies }) => latencies)),
      },
    },
  ];
}

export const MIXED_LOAD: Benchmark = {
  name: 'mixed-load',
  // As an operator starts it: what this load takes is what it takes.
  run: ({ data, loadSeconds }: Bench) =>
    withService(data.home, 'default', async (service) => {
      const aloneSeconds = Math.min(15, loadSeconds / 2);
      const before = await ask({ data, service, nextPath: mixedPath }, 1, aloneSeconds, 1000);
      const stopWatching = watchMemory(service);
      const many = await ask({ data, service, nextPath: mixedPath }, CLIENTS, loadSeconds, 1);
      const samples = stopWatching();
      const after = await ask({ data, service, nextPath: mixedPath }, 1, aloneSeconds, 2000);
      const alone = [before, after];
      return [
        ...loadFindings(alone, many),
        memoryFinding(samples),
        ...flatness(samples, many.seconds),
      ];
    }),
};

const TEXT_CLIENTS = 16;

const TEXT_PAGES = [['json', 10_000] as const, ['csv', 30_000] as const];

/** About as many as one client gets, so that the time asked for is the time taken. */
const TEXT_PAGES_PER_SECOND = 40;

interface Served {
  readonly pagesPerSecond: number;
  /** Processor time of the server for a page. */
  readonly cpuMs: number;
}

function mean(one: Served, other: Served): Served {
  return {
    pagesPerSecond: (one.pagesPerSecond + other.pagesPerSecond) / 2,
    cpuMs: (one.cpuMs + other.cpuMs) / 2,
  };
}

const told = ({ pagesPerSecond, cpuMs }: Served) =>
  `${pagesPerSecond.toFixed(1)} pages/s, CPU ${ms(cpuMs)}`;

/**
 * Asks by curl, which takes a quarter of the processor time of a client in this process: all share
 * the same cores.
 */
async function askByCurl(
  { data, service, nextPath }: Load,
  clients: number,
  seconds: number,
  seed: number,
): Promise<Served> {
  let step = 0;
  const pick: Pick = (count) => Math.floor(noise(seed, step++) * count);
  const pages = Math.ceil(seconds * TEXT_PAGES_PER_SECOND);
  const asked = Array.from({ length: pages }, () => {
    return `url = "${service.url}${nextPath(data, pick)}"\noutput = "/dev/null"\n`;
  });
  const words = ['--no-progress-meter', '--fail', '-Z', '--parallel-max', `${clients}`, '-K', '-'];
  const [start, cpuBefore] = [performance.now(), service.cpuMs()];
  const curl = spawn('curl', words, { stdio: ['pipe', 'inherit', 'inherit'] });
  curl.stdin.end(`header = "X-API-KEY: ${service.key}"\n${asked.join('')}`);
  const [status] = await once(curl, 'close');
  if (status !== 0) throw new Error(`curl ended with ${status}`);
  return {
    pagesPerSecond: (1000 * pages) / (performance.now() - start),
    cpuMs: (service.cpuMs() - cpuBefore) / pages,
  };
}

/** Pages of one kind, by many clients, and by one while one thread alone may write pages. */
export const TEXT_LOAD: Benchmark = {
  name: 'text-load',
  run: async ({ data, loadSeconds }: Bench) => {
    const seconds = loadSeconds / 4;
    const asked = (clients: number, seed: number, more: Readonly<Record<string, string>> = {}) =>
      withService(
        data.home,
        'reading',
        async (service) => {
          const all: Served[] = [];
          for (const [format, limit] of TEXT_PAGES) {
            const load = { data, service, nextPath: flagshipPath(format, limit) };
            // The runtime compiles the code of pages.
            await askByCurl(load, clients, seconds / 4, seed);
            const share = clients === 1 ? seconds / 2 : seconds;
            all.push(await askByCurl(load, clients, share, seed + 1));
          }
          return all;
        },
        more,
      );
    const oneThread = { TICKLAKE_ENGINE_THREADS: '1' };
    const before = await asked(1, 1000, oneThread);
    const many = await asked(TEXT_CLIENTS, 1);
    const after = await asked(1, 2000, oneThread);
    return TEXT_PAGES.map(([format, limit], p): Finding => {
      const [alone, together] = [mean(before[p]!, after[p]!), many[p]!];
      return {
        work: `${TEXT_CLIENTS} clients, ${limit / 1000},000 ticks, ${format.toUpperCase()}: throughput`,
        measured: told(together),
        compared: `one client, one thread ${told(alone)}`,
        figure: together.pagesPerSecond / alone.pagesPerSecond,
        unit: '',
        target: { is: 'at least', value: 1.8 },
        details: {
          pagesPerSecond: together.pagesPerSecond,
          pagesPerSecondAlone: alone.pagesPerSecond,
        },
      };
    });
  },
};
