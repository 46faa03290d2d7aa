/** A flagship's day as one Arrow page, for one client and for many at once. */
import type { TickPage } from '../data/data-set.ts';
import { type Benchmark, type Finding, ms, ratio, type ServedBench } from '../finding.ts';
import { race } from '../measure.ts';
import { readAll, selectSql } from '../raw-engine.ts';

const LIMIT = 1_000_000;
const CLIENTS = 16;
const ROUNDS = 2;
const SAMPLE_EVERY_MS = 20;

function pageOf({ data: { flagshipPages } }: ServedBench, turn: number): TickPage {
  return flagshipPages[turn % flagshipPages.length] as TickPage;
}

function pathOf({ date, ticker }: TickPage): string {
  return `/data/us-equity/eq-taq/${date}/${ticker}?response_format=arrow`;
}

async function pageFinding(bench: ServedBench): Promise<Finding> {
  const { turns, raw, client, service } = bench;
  /** Processor time of all threads, means of the turns that count. */
  const cpuMs = { page: 0, query: 0 };
  const countCpu = (side: keyof typeof cpuMs, turn: number, takenMs: number) => {
    if (turn >= turns.warmUps) cpuMs[side] += takenMs / turns.runs;
  };
  let byteCount = 0;
  let rowCount = 0;
  const times = await race(turns, {
    page: async (turn) => {
      const before = service.cpuMs();
      byteCount = (await client.read(pathOf(pageOf(bench, turn)))).byteCount;
      countCpu('page', turn, service.cpuMs() - before);
    },
    query: async (turn) => {
      const { date, ticker, file } = pageOf(bench, turn);
      const conditions = `TradeDate = '${date}' AND Ticker = '${ticker}'`;
      const rows = { table: 'eq_taq', file, conditions, limit: LIMIT + 1 } as const;
      const before = process.cpuUsage();
      rowCount = await readAll(raw, selectSql(rows));
      const { user, system } = process.cpuUsage(before);
      countCpu('query', turn, (user + system) / 1000);
    },
  });
  const goal: Pick<Finding, 'work' | 'target' | 'details'> = {
    work: `one day of one flagship, ${rowCount} ticks, Arrow`,
    target: { is: 'at most', value: 1.5 },
    details: { rowCount, byteCount, pageCpuMs: cpuMs.page, queryCpuMs: cpuMs.query },
  };
  const size = `${(byteCount / 1e6).toFixed(1)} MB`;
  const page = { name: 'page', times: times.page, also: `, CPU ${ms(cpuMs.page)}, ${size}` };
  const query = { name: 'bare query', times: times.query, also: `, CPU ${ms(cpuMs.query)}` };
  return ratio(goal, page, query);
}

/** The most memory that the server has while all clients fetch their pages. */
async function memoryFinding(bench: ServedBench): Promise<Finding> {
  const { service, client } = bench;
  const before = service.residentBytes();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, service.residentBytes());
  }, SAMPLE_EVERY_MS);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const paths = Array.from({ length: CLIENTS }, (_, i) => pathOf(pageOf(bench, i)));
      await Promise.all(paths.map((path) => client.read(path)));
    }
  } finally {
    clearInterval(timer);
  }
  return {
    work: `the same for ${CLIENTS} clients at once: memory of the server`,
    measured: `at most ${(most / 1e6).toFixed(0)} MB`,
    compared: `before ${(before / 1e6).toFixed(0)} MB`,
    figure: most / 1e6,
    unit: ' MB',
    target: { is: 'under', value: 700 },
    details: { mostBytes: most, beforeBytes: before },
  };
}

export const ARROW_PAGES: Benchmark<ServedBench> = {
  name: 'ticks-arrow',
  run: async (bench) => [await pageFinding(bench), await memoryFinding(bench)],
};
