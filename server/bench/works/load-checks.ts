/**
 * Cost of checks in a load: ticks, which have none that compares rows, and minute bars, which have
 * a key; each loaded with the checks of its definition and without, in turns.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { openCatalog } from '../../src/open-services.ts';
import { type Cost, costOf, costText, medianCost } from '../cost.ts';
import type { Bench, Benchmark, Finding } from '../finding.ts';
import { atMost, race } from '../measure.ts';
import { load } from './load.ts';

const ROWS = { full: 2_000_000, small: 20_000 } as const;
const TURNS = { full: { warmUps: 1, runs: 5 }, small: { warmUps: 1, runs: 9 } } as const;
const TARGET_PERCENT = 15;
const MINUTES = 390;

const timeSql = (nanos: string) =>
  `strftime(make_timestamp_ns(1710235800000000000 - 14400000000000 + ${nanos}),
    '%Y-%m-%dT%H:%M:%S') || '-04:00'`;

/** Rows of a dataset, by their number `i`. */
const ROW_SQL: Readonly<Record<'eq_taq' | 'eq_trades_1min', string>> = {
  eq_taq: `'2024-03-12' AS TradeDate, ${timeSql('i * 11700000')} AS EventDateTime,
    CASE i % 3 WHEN 0 THEN 'TRADE' WHEN 1 THEN 'QUOTE BID' ELSE 'QUOTE ASK' END AS EventType,
    'T' || hash(i) % 5000 AS Ticker, hash(i) % 5000 AS ASID,
    round(10 + hash(i + 1) % 90000 / 100, 2) AS Price, hash(i + 2) % 900 AS Quantity,
    'NYSE' AS Exchange, 1 AS ConditionCode`,
  eq_trades_1min: `'2024-03-12' AS TradeDate,
    ${timeSql(`i % ${MINUTES} * 60000000000`)} AS BarDateTime,
    'T' || i // ${MINUTES} AS Ticker, i // ${MINUTES} AS ASID, 10.5 AS FirstTradePrice,
    10.75 AS HighTradePrice, 10.25 AS LowTradePrice, 10.5 AS LastTradePrice,
    10.4321 AS VolumeWeightPrice, hash(i) % 9000 AS Volume, hash(i) % 90 AS TotalTrades`,
};

async function compare(
  bench: Bench,
  dataset: Dataset,
  file: string,
): Promise<Record<'checked' | 'unchecked', Cost>> {
  const { data, raw } = bench;
  const rowCount = ROWS[data.sizes.name];
  const rows = ROW_SQL[dataset.textId as keyof typeof ROW_SQL];
  await raw.run(
    `COPY (SELECT ${rows} FROM range(${rowCount}) AS numbers(i) ORDER BY i)
     TO '${file}' (FORMAT csv, HEADER true)`,
  );
  const costs = { checked: [] as Cost[], unchecked: [] as Cost[] };
  const loading = (name: keyof typeof costs, given: Dataset) => async () => {
    const cost = await costOf(async () => {
      if ((await load(data.scratch, given, [file])) !== rowCount) {
        throw new Error('rows are missing');
      }
    });
    costs[name].push(cost);
  };
  const turns = atMost(bench.turns.runs, TURNS[data.sizes.name]);
  await race(turns, {
    checked: loading('checked', dataset),
    unchecked: loading('unchecked', { ...dataset, checks: [] }),
  });
  const measured = (all: readonly Cost[]) => medianCost(all.slice(turns.warmUps));
  return { checked: measured(costs.checked), unchecked: measured(costs.unchecked) };
}

const morePercent = (one: number, other: number) => (one / other - 1) * 100;

export const LOAD_CHECKS: Benchmark = {
  name: 'load-checks',
  reads: [],
  run: async (bench) => {
    const { data } = bench;
    const catalog = openCatalog(data.home, null);
    const findings: Finding[] = [];
    for (const textId of Object.keys(ROW_SQL)) {
      const dataset = catalog.byTextId(textId) as Dataset;
      const file = join(data.scratch, `${textId}.csv`);
      const { checked, unchecked } = await compare(bench, dataset, file);
      rmSync(file);
      const cpuPercent = morePercent(checked.cpuSeconds, unchecked.cpuSeconds);
      findings.push({
        work: `checks of ${ROWS[data.sizes.name] / 1e6} million rows of ${textId}`,
        measured: `with checks ${costText(checked)}`,
        compared: `without ${costText(unchecked)}; processor time: ${cpuPercent.toFixed(1)} %`,
        figure: morePercent(checked.seconds, unchecked.seconds),
        unit: ' %',
        target: { is: 'at most', value: TARGET_PERCENT },
        details: {
          checkedSeconds: checked.seconds,
          checkedCpuSeconds: checked.cpuSeconds,
          uncheckedSeconds: unchecked.seconds,
          uncheckedCpuSeconds: unchecked.cpuSeconds,
          cpuPercent,
        },
      });
    }
    return findings;
  },
};
