/**
 * Rows on their way into a frame, and whole files: the Python client beside the stored file, ROAPI
 * over the same file and nginx. Rows without Python or nginx are reported as left out.
 */
import { join } from 'node:path';
import { hasNginx } from '../../../test/nginx.ts';
import type { TickPage } from '../../data/data-set.ts';
import { type Bench, type Benchmark, type Finding, ms, ratio, type Side } from '../../finding.ts';
import { median, race, type Turns, atMost as turnsAtMost } from '../../measure.ts';
import { type Service, startService } from '../../service.ts';
import { files } from './files.ts';
import { type Peer, startRoapi } from './peers.ts';
import { benchInterpreter, PythonWorker } from './python-worker.ts';

const TICK_COLUMNS = [
  ...['TradeDate', 'EventDateTime', 'EventType', 'Ticker', 'ASID', 'Price', 'Quantity'],
  ...['Exchange', 'ConditionCode'],
];
const BAR_TICKERS = 10;
const READERS = 16;
const MEMORY_MB_MAX = 700;
const SAMPLE_MS = 100;
const WARM_UPS = 10;
/** Answers beforehand for each warm-up: a new server compiles during the first hundred. */
const ANSWERS = 10;

/** Tools of every measurement in this file. */
interface Delivery {
  readonly bench: Bench;
  readonly turns: Turns;
  readonly service: Service;
  readonly worker: PythonWorker;
  readonly roapi: Peer;
  /** One flagship's day, which ROAPI has in memory. */
  readonly page: TickPage;
}

function mapped<T, R>(
  record: Readonly<Record<string, T>>,
  make: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, make(value, name)]),
  );
}

/** Races pieces of the worker's work by its own clock. */
async function raceWorks(
  { worker, turns }: Pick<Delivery, 'worker' | 'turns'>,
  works: Readonly<Record<string, { readonly work: string; readonly given: object }>>,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = mapped(works, () => []);
  const counts = new Set<unknown>();
  const contestants = mapped(works, ({ work, given }, name) => async (turn: number) => {
    const { ms: took, result } = await worker.run(work, given);
    counts.add(result);
    if (turn >= turns.warmUps) times[name]?.push(took);
  });
  await race(turns, contestants);
  if (counts.size > 1) throw new Error(`different results: ${[...counts].join(', ')}`);
  return times;
}

const atMost = (value: number) => ({ is: 'at most', value }) as const;
const atLeast = (value: number) => ({ is: 'at least', value }) as const;

async function frames(delivery: Delivery): Promise<Finding[]> {
  const { service, roapi, worker, page, turns } = delivery;
  const { url, key } = service;
  const { ticker, date, file: path, rowCount } = page;
  const sql = `SELECT ${TICK_COLUMNS.map((name) => `"${name}"`).join(', ')} FROM ticks WHERE "Ticker" = '${ticker}'`;
  const rows = `${rowCount} ticks of one ticker's day`;
  for (let n = 0; n < ANSWERS * turns.warmUps; n += 1) {
    await worker.run('ticks_polars', { url, key, ticker, date });
  }
  const ticks = { work: 'ticks_polars', given: { url, key, ticker, date } };
  const stored = {
    work: 'stored_polars',
    given: { file: path, columns: TICK_COLUMNS, where: { Ticker: ticker } },
  };
  // Two by two: ROAPI's large answer empties the processor's caches for whoever comes after it.
  const polars = await raceWorks(delivery, { client: ticks, file: stored });
  const peers = await raceWorks(delivery, {
    client: ticks,
    roapi: { work: 'roapi_polars', given: { url: roapi.url, sql } },
  });
  const pandas = await raceWorks(delivery, {
    client: { work: 'ticks_pandas', given: { url, key, ticker, date } },
    roapi: { work: 'roapi_pandas', given: { url: roapi.url, sql } },
  });
  const arrow = `/data/us-equity/eq-taq/${date}/${ticker}?response_format=arrow`;
  const bytes = { own: [] as number[], other: [] as number[] };
  await race(turns, {
    service: async (turn) => {
      const { ms: took } = await worker.run('arrow_bytes', { url, key, path: arrow });
      if (turn >= turns.warmUps) bytes.own.push(took);
    },
    roapi: async (turn) => {
      const { ms: took } = await worker.run('roapi_bytes', { url: roapi.url, sql });
      if (turn >= turns.warmUps) bytes.other.push(took);
    },
  });
  const cache = join(delivery.bench.data.scratch, 'client-cache');
  await worker.run('ticks_polars', { url, key, ticker, date, cache });
  const cached = await raceWorks(delivery, {
    client: { work: 'ticks_polars', given: { url, key, ticker, date, cache } },
    file: stored,
  });
  const finding = (work: string, most: number, own: Side, other: Side) =>
    ratio({ work: `${rows} ${work}`, target: atMost(most) }, own, other);
  const client = (times: Record<string, number[]>, name = 'client'): Side => ({
    ...{ name, times: times.client ?? [] },
  });
  const file = (times: Record<string, number[]>): Side => ({
    ...{ name: 'polars, stored file', times: times.file ?? [] },
  });
  const other = (times: readonly number[] = []): Side => ({ name: 'ROAPI', times });
  return [
    finding('to polars', 1.6, client(polars), file(polars)),
    finding('to polars, next to ROAPI', 0.4, client(peers), other(peers.roapi)),
    finding('to pandas', 0.6, client(pandas), other(pandas.roapi)),
    finding('as Arrow', 1, { name: 'bytes', times: bytes.own }, other(bytes.other)),
    finding('read again', 1.2, client(cached, 'client, cached'), file(cached)),
  ];
}

/** All days of the data set's minute bars, about 250 of the full one. */
async function bars(delivery: Delivery): Promise<Finding> {
  const { service, bench, worker } = delivery;
  const { url, key } = service;
  const { sizes, listings } = bench.data;
  const tickers = listings
    .slice(0, Math.min(BAR_TICKERS, sizes.barTickers))
    .map(({ ticker }) => ticker);
  // Every month has a day 28, and the half months that are left out count for little.
  const dates = [`${sizes.barMonths[0]}-01`, `${sizes.barMonths.at(-1)}-28`];
  const span = `TradeDate.ge=${dates[0]}&TradeDate.le=${dates[1]}&period=2Y`;
  const pathOf = (ticker: string) =>
    `/data/us-equity/eq-taq-1min/${ticker}?${span}&response_format=csv&limit=30000`;
  const pages = { url, key, paths: tickers.map(pathOf) };
  const turns = turnsAtMost(bench.turns.runs, { warmUps: 1, runs: 3 });
  const times = await raceWorks(
    { worker, turns },
    {
      client: { work: 'bars_polars', given: { url, key, tickers, dates } },
      pages: { work: 'csv_pages_polars', given: pages },
    },
  );
  const [client, csv] = [median(times.client ?? []), median(times.pages ?? [])];
  return {
    work: `${sizes.barMonths.length} months of minute bars of ${tickers.length} tickers to polars`,
    measured: `client ${ms(client)}`,
    compared: `CSV pages ${ms(csv)}`,
    figure: csv / client,
    unit: '',
    target: atLeast(8),
    details: { clientMs: client, pagesMs: csv },
  };
}

/** Resident size while readers fetch a ticker's day each, again and again. */
async function memory({ service, worker, bench, turns }: Delivery): Promise<Finding> {
  const { flagshipPages } = bench.data;
  const asked = Array.from({ length: READERS }, (_, n) => {
    const { ticker, date } = flagshipPages[n % flagshipPages.length] as TickPage;
    return [ticker, date];
  });
  let most = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, service.residentBytes());
  }, SAMPLE_MS);
  const given = { url: service.url, key: service.key, tickers_and_dates: asked };
  await worker.run('many', { ...given, turns: Math.max(2, Math.min(10, turns.runs)) });
  clearInterval(sampling);
  return {
    work: `memory of the server with ${READERS} such clients`,
    measured: `at most ${(most / 1e6).toFixed(0)} MB`,
    compared: 'the target',
    figure: most / 1e6,
    unit: ' MB',
    target: { is: 'under', value: MEMORY_MB_MAX },
    details: { residentBytes: most },
  };
}

async function withPython(bench: Bench, turns: Turns, page: TickPage, interpreter: string) {
  const worker = await PythonWorker.open(interpreter);
  const roapi = await startRoapi(interpreter, { ticks: page.file });
  const service = await startService(bench.data.home, 'default');
  const delivery: Delivery = { bench, turns, service, worker, roapi, page };
  try {
    return [...(await frames(delivery)), await bars(delivery), await memory(delivery)];
  } finally {
    worker.close();
    await service.stop();
    await roapi.stop();
  }
}

/** Null, and a word about it, where there is no Python for it. */
async function findInterpreter(): Promise<string | null> {
  try {
    return await benchInterpreter();
  } catch (error) {
    process.stderr.write(`  left out what needs Python: ${(error as Error).message}\n`);
    return null;
  }
}

export const DELIVERY: Benchmark = {
  name: 'delivery',
  run: async (bench) => {
    const [page] = bench.data.flagshipPages;
    if (!page) throw new Error('the data set has no flagship');
    const turns = turnsAtMost(bench.turns.runs, { warmUps: WARM_UPS, runs: 20 });
    const interpreter = await findInterpreter();
    const findings = interpreter ? await withPython(bench, turns, page, interpreter) : [];
    if (hasNginx()) findings.push(...(await files(bench, page)));
    else process.stderr.write('  left out what needs nginx: there is none\n');
    return findings;
  },
};
