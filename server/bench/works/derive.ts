/**
 * Minute bars of a day, derived from its ticks and published, beside the engine alone.
 *
 * The target is about bars of trades from eight million trades of a few thousand tickers, unevenly
 * active: as in a real market there are far fewer bars than trades. Bars of quotes exist for each
 * of the 960 minutes of each ticker's day, however few ticks it has, in 62 columns: half as many
 * rows as the day has ticks, each seven times as wide. The engine alone takes several times its
 * scan to write them, so these are held to its scan and writing together.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { derive } from '../../src/derive/derive.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import { openLake } from '../../src/open-home.ts';
import { openCatalog } from '../../src/open-services.ts';
import { readConfig } from '../../src/settings/config.ts';
import { type Cost, costOf, costText, medianCost } from '../cost.ts';
import { tradesHome } from '../data/trades-home.ts';
import type { Bench, Benchmark, Finding } from '../finding.ts';
import { atMost, race } from '../measure.ts';
import { readAll } from '../raw-engine.ts';

interface DerivedBars {
  readonly what: string;
  readonly ticks: string;
  readonly bars: string;
  /** Columns of the ticks that the bars come from. */
  readonly needed: string;
  readonly comparedWith: 'scan' | 'scan and write';
}

const TRADE_BARS: DerivedBars = {
  what: 'minute bars of trades',
  ticks: 'eq_trades',
  bars: 'eq_trades_1min',
  needed:
    'TradeDate, Ticker, ASID, EventDateTime_utc_ns, EventType, Price, Quantity, ConditionCode',
  comparedWith: 'scan',
};
const QUOTE_BARS: DerivedBars = {
  what: 'minute bars of quotes',
  ticks: 'eq_taq',
  bars: 'eq_taq_1min',
  needed: `${TRADE_BARS.needed}, Exchange`,
  comparedWith: 'scan and write',
};
const TURNS = { full: { warmUps: 1, runs: 5 }, small: { warmUps: 1, runs: 3 } } as const;
const MEMORY_MB_MAX = 1500;
const SAMPLE_MS = 50;
const COMMAND = fileURLToPath(new URL('../../bin/ticklake.js', import.meta.url));

/** A home of its own for the bars, and the day of which they are. */
interface Place {
  readonly home: string;
  readonly date: string;
}

/** Derives the bars of a day in this process; resolves with the number of bars. */
async function deriveBars({ home, date }: Place, { bars }: DerivedBars): Promise<number> {
  const config = { ...readConfig({}), home };
  const catalog = openCatalog(home, null);
  const lake = await openLake(config, systemClock);
  const engine = await INSTALLED_ENGINE.openReader(config);
  try {
    const { state, datasets } = await derive({
      ...{ catalog, lake, engine, reason: null },
      datasets: [catalog.byTextId(bars) as Dataset],
      dates: { start: date, end: date },
      isStaleOnly: false,
      replacesLoaded: false,
      signal: new AbortController().signal,
      onSlice: () => {},
    });
    if (state !== 'published') throw new Error(`the bars were not published: ${state}`);
    return datasets[0]?.rowCount ?? 0;
  } finally {
    await engine.close();
    await lake.close();
  }
}

/** The file of the last partition of a dataset that begins as the date does. */
async function fileOf({ home, date }: Place, textId: string): Promise<string> {
  const lake = await openLake({ home }, systemClock);
  try {
    const { datasetId } = openCatalog(home, null).byTextId(textId) as Dataset;
    const parts = (await lake.snapshot(datasetId))?.parts ?? [];
    const part = parts.findLast(({ key }) => date.startsWith(key));
    if (!part) throw new Error(`no ${textId} of ${date}`);
    return join(lake.directory, part.location);
  } finally {
    await lake.close();
  }
}

/** Writes the rows of a file, which lie in order, as a partition is laid out. */
function writeSql(file: string, target: string): string {
  return `COPY (SELECT * FROM read_parquet('${file}'))
    TO '${target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 61440)`;
}

/** The most memory that the command has while it derives the same. */
async function commandMegabytes({ home, date }: Place, { bars }: DerivedBars): Promise<number> {
  const words = [COMMAND, 'derive', bars, '--from', date, '--to', date, '--home', home];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  let kilobytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
      if (peak > kilobytes) kilobytes = peak;
    } catch {
      // The process has just ended.
    }
    await sleep(SAMPLE_MS);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`derive ended with ${code}`);
  return (kilobytes * 1024) / 1e6;
}

async function measure(bench: Bench, place: Place, derived: DerivedBars): Promise<Finding[]> {
  const { data, raw } = bench;
  const turns = atMost(bench.turns.runs, TURNS[data.sizes.name]);
  const costs = { derive: [] as Cost[], scan: [] as Cost[], write: [] as Cost[] };
  const counts = new Set<number>();
  const ticksFile = await fileOf(place, derived.ticks);
  let tickCount = 0;
  await race(turns, {
    derive: async () => {
      costs.derive.push(await costOf(async () => counts.add(await deriveBars(place, derived))));
    },
    scan: async () => {
      const sql = `SELECT ${derived.needed} FROM read_parquet('${ticksFile}')`;
      costs.scan.push(
        await costOf(async () => {
          tickCount = await readAll(raw, sql);
        }),
      );
    },
    write: async () => {
      const file = await fileOf(place, derived.bars);
      const sql = writeSql(file, join(data.scratch, 'bars.parquet'));
      costs.write.push(await costOf(() => raw.run(sql)));
    },
  });
  if (counts.size !== 1) throw new Error(`turns derived ${[...counts].join(', ')} bars`);
  const [barCount = 0] = counts;
  const [ours, scanned, written] = [costs.derive, costs.scan, costs.write].map((each) =>
    medianCost(each.slice(turns.warmUps)),
  ) as [Cost, Cost, Cost];
  const isScan = derived.comparedWith === 'scan';
  const engineSeconds = scanned.seconds + (isScan ? 0 : written.seconds);
  const engine = { seconds: engineSeconds, scan: scanned.seconds, write: written.seconds };
  const megabytes = await commandMegabytes(place, derived);
  const [ticks, bars] = [tickCount, barCount].map((count) => (count / 1e6).toFixed(1));
  const work = `${bars} million ${derived.what} from ${ticks} million ticks of a day`;
  return [
    {
      work,
      measured: `derive ${costText(ours)}`,
      compared: isScan
        ? `scan ${costText(scanned)}`
        : `scan ${engine.scan.toFixed(1)} s, write ${engine.write.toFixed(1)} s`,
      figure: ours.seconds / engine.seconds,
      unit: '',
      target: { is: 'at most', value: 2.5 },
      details: {
        ...{ deriveSeconds: ours.seconds, deriveCpuSeconds: ours.cpuSeconds },
        ...{ scanSeconds: scanned.seconds, scanCpuSeconds: scanned.cpuSeconds },
        ...{ writeSeconds: written.seconds, writeCpuSeconds: written.cpuSeconds },
        ...{ tickCount, barCount },
      },
    },
    {
      work: `${work}: memory`,
      measured: `at most ${megabytes.toFixed(0)} MB`,
      compared: 'the target',
      figure: megabytes,
      unit: ' MB',
      target: { is: 'under', value: MEMORY_MB_MAX },
      details: { peakMegabytes: megabytes },
    },
  ];
}

/** A copy that the run may change. */
function copyOf(home: string, { data }: Bench, name: string): string {
  const copy = join(data.scratch, name);
  cpSync(home, copy, { recursive: true });
  return copy;
}

export const DERIVE: Benchmark = {
  name: 'derive',
  reads: ['eq_taq', QUOTE_BARS.bars],
  run: async (bench: Bench) => {
    const { data } = bench;
    const [date = ''] = data.tickFiles.keys();
    const trades = { home: copyOf(await tradesHome(data), bench, 'derive-trades'), date };
    const quotes = { home: copyOf(data.home, bench, 'derive-quotes'), date };
    return [
      ...(await measure(bench, trades, TRADE_BARS)),
      ...(await measure(bench, quotes, QUOTE_BARS)),
    ];
  },
};
