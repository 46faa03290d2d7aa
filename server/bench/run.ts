/**
 * `npm run bench`: every target of speed, side by side with what it is compared with, as a table.
 * README.md tells what is measured how.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { openClickHouse } from './clickhouse.ts';
import { prepareDataSet } from './data/data-set.ts';
import { FULL, SMALL } from './data/sizes.ts';
import type { Bench, Benchmark, Finding, ServedBench } from './finding.ts';
import { openRawEngine } from './raw-engine.ts';
import {
  clickHouseTable,
  json,
  machine,
  readMetSince,
  recordMetSince,
  targetTable,
  watchOthers,
} from './report.ts';
import { withService } from './service.ts';
import { changedFiles, touchedBy } from './touched.ts';
import { ADMISSION } from './works/admission.ts';
import { AGGREGATES } from './works/aggregates.ts';
import { ARROW_PAGES } from './works/arrow.ts';
import { CLICKHOUSE_LAKE } from './works/clickhouse-lake.ts';
import { DAILY_HISTORY } from './works/daily-history.ts';
import { DEEP_PAGE } from './works/deep-page.ts';
import { DELIVERY } from './works/delivery/delivery.ts';
import { DERIVE } from './works/derive.ts';
import { FAIR_TURNS } from './works/fair-turns.ts';
import { FLOODS } from './works/floods.ts';
import { INTERVALS } from './works/intervals.ts';
import { LOAD_BENCHMARKS } from './works/load.ts';
import { LOAD_CHECKS } from './works/load-checks.ts';
import { MIXED_LOAD, TEXT_LOAD } from './works/mixed-load.ts';
import { NODES } from './works/nodes.ts';
import { OBJECT_STORAGE } from './works/object-storage.ts';
import { PAGE_BENCHMARKS } from './works/pages.ts';
import { PLANNING } from './works/planning.ts';
import { RARE_TICKER } from './works/rare-ticker.ts';
import { RECIPES } from './works/recipes.ts';
import { SMALL_PARTITIONS } from './works/small-partitions.ts';
import { START } from './works/start.ts';
import { WALK_BENCHMARKS } from './works/walks.ts';

/** Benchmarks that read pages of one server; others have a server of their own or none. */
const SERVED: readonly Benchmark<ServedBench>[] = [
  ...PAGE_BENCHMARKS,
  ARROW_PAGES,
  RARE_TICKER,
  DAILY_HISTORY,
  AGGREGATES,
  INTERVALS,
  ...WALK_BENCHMARKS,
];
const APART: readonly Benchmark[] = [
  DEEP_PAGE,
  ...LOAD_BENCHMARKS,
  LOAD_CHECKS,
  RECIPES,
  SMALL_PARTITIONS,
  DERIVE,
  PLANNING,
  DELIVERY,
  CLICKHOUSE_LAKE,
  OBJECT_STORAGE,
  MIXED_LOAD,
  TEXT_LOAD,
  ADMISSION,
  FAIR_TURNS,
  FLOODS,
  NODES,
  START,
];

const OPTIONS = {
  only: { type: 'string', multiple: true },
  since: { type: 'string' },
  record: { type: 'boolean' },
  part: { type: 'string', default: '1/1' },
  small: { type: 'boolean' },
  json: { type: 'string' },
  data: { type: 'string' },
  runs: { type: 'string' },
  'load-seconds': { type: 'string' },
  'no-clickhouse': { type: 'boolean' },
} as const;

function refuse(text: string): never {
  process.stderr.write(`bench: ${text}\n`);
  process.exit(2);
}

function optionsGiven() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    refuse(`${(error as Error).message.split('.')[0]}; the options are in server/bench/README.md`);
  }
}

const values = optionsGiven();
const asked = values.only?.flatMap((list) => list.split(',')) ?? [];
const touched = values.since === undefined ? [] : touchedBy(changedFiles(values.since));
if (values.since !== undefined && touched.length === 0) {
  console.log(`nothing that changed since ${values.since} is measured quickly`);
  process.exit();
}
const names = [...asked, ...touched];
const allNames = [...SERVED, ...APART].map(({ name }) => name);
const unknown = names.filter((name) => !allNames.includes(name));
if (unknown.length > 0) {
  refuse(`--only: there is no ${unknown.join(', ')}; there are ${allNames.join(', ')}`);
}
const [part, parts] = values.part.split('/').map(Number) as [number, number];
if (!(part >= 1 && part <= parts)) {
  refuse('--part has to be one of so many parts of the benchmarks, such as 2/3');
}
const isChosen = ({ name }: { name: string }) =>
  (names.length === 0 || names.includes(name)) && allNames.indexOf(name) % parts === part - 1;
if (![...SERVED, ...APART].some(isChosen)) {
  console.log(`none of ${names.join(', ')} is in part ${values.part} of the benchmarks`);
  process.exit();
}

/** Text ids of the datasets that the chosen benchmarks read; null: all of them. */
function datasetsRead(): string[] | null {
  const chosen = [...SERVED, ...APART].filter(isChosen);
  if (chosen.some(({ reads }) => reads === undefined)) return null;
  return [...new Set(chosen.flatMap(({ reads = [] }) => reads))];
}

const sizes = values.small ? SMALL : FULL;
const folder = resolve(values.data ?? fileURLToPath(new URL('.data', import.meta.url)));
const runs = values.runs ? Number(values.runs) : values.small ? 5 : values.since ? 9 : 40;
const turns = {
  // A server that has only just started first has to compile hot code. With the full data, each day
  // of each flagship is read once before the clock counts, then twice: few turns would tell more
  // about the machine's other work than about the pages. A single run only shows that all works.
  warmUps: Math.min(20, 4 * (runs - 1)),
  runs,
};

mkdirSync(folder, { recursive: true });
const data = await prepareDataSet(folder, sizes, datasetsRead());
const raw = await openRawEngine(join(data.scratch, 'spill'));
const clickHouse =
  values.small || values.since || values['no-clickhouse'] ? null : await openClickHouse(data);
const findings: Finding[] = [];
const others = watchOthers();
const failed: string[] = [];

/** A failing benchmark loses its own rows only. */
async function runAll<Given extends Bench>(
  benchmarks: readonly Benchmark<Given>[],
  given: Given,
): Promise<void> {
  for (const benchmark of benchmarks.filter(isChosen)) {
    process.stderr.write(`${benchmark.name}…\n`);
    try {
      findings.push(...(await benchmark.run(given)));
    } catch (error) {
      failed.push(benchmark.name);
      process.stderr.write(`${inspect(error)}\n`);
    }
  }
}

try {
  const loadSeconds = Number(values['load-seconds'] ?? (values.small ? 5 : 60));
  const bench: Bench = { data, turns, raw, clickHouse, loadSeconds };
  // A home has one server at a time.
  if (SERVED.some(isChosen)) {
    await withService(data.home, 'reading', (service, client) =>
      runAll(SERVED, { ...bench, service, client }),
    );
  }
  await runAll(APART, bench);
} finally {
  await clickHouse?.close();
  raw.closeSync();
  rmSync(data.scratch, { recursive: true, force: true });
}
const about = Object.entries(machine()).map(([name, value]) => `${name}: ${value}`);
const caution = values.small ? ': too few to judge a target by' : '';
console.log(`${about.join('; ')}; ${others()}`);
console.log(`data set: ${sizes.name}; medians of ${turns.runs}${caution}\n`);
if (values.record) recordMetSince(findings, new Date().toISOString().slice(0, 10));
console.log(targetTable(findings, readMetSince()));
const clickHouseRows = clickHouseTable(findings);
if (clickHouseRows) console.log(`\n${clickHouseRows}`);
if (values.json) writeFileSync(values.json, json(findings, sizes.name));
if (failed.length > 0) {
  process.stderr.write(`bench: these failed and have no rows: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
