/**
 * Minute bars of a day, derived from its ticks and published, beside what the engine alone takes: to read the columns
 * that they need and hand them out; and to sort and write the same bars besides, which are as many as each ticker's
 * day has minutes, in 62 columns, however few ticks a ticker has.
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
import type { Bench, Benchmark } from '../finding.ts';
import { race } from '../measure.ts';
import { readAll } from '../raw-engine.ts';

const BARS = 'eq_taq_1min';
/** All of the ticks but the ticker's number, which each ticker has once. */
const NEEDED =
  'TradeDate, Ticker, ASID, EventDateTime_utc_ns, EventType, Exchange, Price, Quantity, ConditionCode';
const TURNS = { full: { warmUps: 1, runs: 5 }, small: { warmUps: 1, runs: 3 } } as const;
const MEMORY_MB_MAX = 1500;
const SAMPLE_MS = 50;
const COMMAND = fileURLToPath(new URL('../../bin/ticklake.js', import.meta.url));

/** Derives the bars of a day in this process; resolves with the number of bars. */
async function deriveBars(home: string, date: string): Promise<number> {
  const config = { ...readConfig({}), home };
  const catalog = openCatalog(home, null);
  const lake = await openLake(config, systemClock);
  const engine = await INSTALLED_ENGINE.openReader(config);
  try {
    const { state, datasets } = await derive({
      ...{ catalog, lake, engine, reason: null },
      datasets: [catalog.byTextId(BARS) as Dataset],
      dates: { start: date, end: date },
      isStaleOnly: false,
      replacesLoaded: false,
      signal: new AbortController().signal,
      onUnit: () => {},
    });
    if (state !== 'published') throw new Error(`the bars were not published: ${state}`);
    return datasets[0]?.rowCount ?? 0;
  } finally {
    await engine.close();
    await lake.close();
  }
}

/** The file of the bars that were derived last. */
async function barsFile(home: string): Promise<string> {
  const lake = await openLake({ home }, systemClock);
  try {
    const { datasetId } = openCatalog(home, null).byTextId(BARS) as Dataset;
    const part = (await lake.snapshot(datasetId))?.parts.at(-1);
    if (!part) throw new Error('no bars');
    return join(lake.directory, part.location);
  } finally {
    await lake.close();
  }
}

/** Sorts and writes the rows of a file as a partition is laid out. */
function writeSql(file: string, target: string): string {
  return `COPY (SELECT * FROM read_parquet('${file}') ORDER BY TradeDate, Ticker, BarDateTime_utc_ns)
    TO '${target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 61440)`;
}

/** The most memory that the command has while it derives the same. */
async function commandMegabytes(home: string, date: string): Promise<number> {
  const words = [COMMAND, 'derive', BARS, '--from', date, '--to', date, '--home', home];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  let kilobytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
      if (peak > kilobytes) kilobytes = peak;
    } catch {
      // It has just ended.
    }
    await sleep(SAMPLE_MS);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`derive ended with ${code}`);
  return (kilobytes * 1024) / 1e6;
}

export const DERIVE: Benchmark = {
  name: 'derive',
  reads: ['eq_taq', BARS],
  run: async ({ data, raw }: Bench) => {
    const home = join(data.scratch, 'derive-home');
    cpSync(data.home, home, { recursive: true });
    const [[date, file]] = [...data.tickFiles] as [[string, string]];
    const turns = TURNS[data.sizes.name];
    const costs = { derive: [] as Cost[], scan: [] as Cost[], write: [] as Cost[] };
    const counts = new Set<number>();
    let tickCount = 0;
    await race(turns, {
      derive: async () => {
        costs.derive.push(await costOf(async () => counts.add(await deriveBars(home, date))));
      },
      scan: async () => {
        const sql = `SELECT ${NEEDED} FROM read_parquet('${file}')`;
        costs.scan.push(
          await costOf(async () => {
            tickCount = await readAll(raw, sql);
          }),
        );
      },
      write: async () => {
        const sql = writeSql(await barsFile(home), join(data.scratch, 'bars.parquet'));
        costs.write.push(await costOf(() => raw.run(sql)));
      },
    });
    if (counts.size !== 1) throw new Error(`turns derived ${[...counts].join(', ')} bars`);
    const derived = medianCost(costs.derive.slice(turns.warmUps));
    const scanned = medianCost(costs.scan.slice(turns.warmUps));
    const written = medianCost(costs.write.slice(turns.warmUps));
    const engineSeconds = scanned.seconds + written.seconds;
    const megabytes = await commandMegabytes(home, date);
    const work = `minute bars from ${(tickCount / 1e6).toFixed(1)} million ticks of a day`;
    return [
      {
        work,
        measured: `derive ${costText(derived)}`,
        compared: `scan ${costText(scanned)}`,
        figure: derived.seconds / scanned.seconds,
        unit: '',
        target: { is: 'at most', value: 2.5 },
        details: {
          ...{ deriveSeconds: derived.seconds, deriveCpuSeconds: derived.cpuSeconds },
          ...{ scanSeconds: scanned.seconds, scanCpuSeconds: scanned.cpuSeconds },
          ...{ tickCount, barCount: [...counts][0] ?? 0 },
        },
      },
      {
        work: `${work}: with the engine's writing`,
        measured: `derive ${costText(derived)}`,
        compared: `scan and write ${engineSeconds.toFixed(1)} s`,
        figure: derived.seconds / engineSeconds,
        unit: '',
        target: { is: 'at most', value: 2.5 },
        details: { engineSeconds, writeSeconds: written.seconds },
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
  },
};
