/** Commands that say how a home stands: what is published, and what needs an owner. */
import type { COVERAGE_MAP } from '../admin/coverage-operation.ts';
import { counted, printableLine } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { openCatalog } from '../open-services.ts';
import { alertState, alertsOf } from '../operation/alerts.ts';
import type { IndexedDayState } from '../plan/partitions.ts';
import type { Answer } from '../schema/answer.ts';
import { type Command, type CommandContext, flag, type OptionValues } from './command.ts';
import { openHome } from './opened-home.ts';
import { alignedTable, countText, left, right } from './text.ts';

const MARKS: Readonly<Record<IndexedDayState, readonly [mark: string, meaning: string]>> = {
  complete: ['#', 'complete'],
  spanned: ['~', 'probably complete'],
  expected: ['.', 'expected'],
  late: ['!', 'late'],
  missing: ['x', 'missing'],
  withdrawn: ['-', 'withdrawn'],
  no_trading_day: ['_', 'no trading day'],
};
/** Before the data begins, or nothing to be late by. */
const NOTHING = ' ';

export function coverageText({ start, end, datasets }: Answer<typeof COVERAGE_MAP>): string {
  if (datasets.length === 0) return 'No dataset is a series of days.\n';
  const rows = datasets.map(({ dataset_id, last_trade_date, states }) => [
    dataset_id,
    last_trade_date ?? 'nothing',
    // Bars, so that days without a mark are seen as well.
    `|${states.map((state) => (state === null ? NOTHING : MARKS[state][0])).join('')}|`,
  ]);
  const titles = ['DATASET', 'LAST DAY', `${start} TO ${end}`];
  const table = alignedTable(titles.map(left), rows);
  const legend = Object.values(MARKS).map(([mark, meaning]) => `${mark} ${meaning}`);
  return `${table}\n${legend.join(', ')}\n`;
}

function rowOf({ datasetId, textId }: Dataset, snapshot: DatasetSnapshot | null) {
  return {
    datasetId,
    textId,
    version: snapshot?.version ?? 0,
    rowCount: snapshot?.rowCount ?? 0,
    byteCount: snapshot?.byteCount ?? 0,
    firstDate: snapshot?.firstDate ?? null,
    lastDate: snapshot?.lastDate ?? null,
    publishedAt: snapshot?.publishedAt ?? null,
    vendor: snapshot?.vendor ?? null,
  };
}

const TABLE = [
  ...[left('ID'), left('TEXT ID'), right('VERSION'), right('ROWS'), right('BYTES')],
  ...[left('FIRST'), left('LAST'), left('PUBLISHED'), left('VENDOR')],
];

function cellsOf(row: ReturnType<typeof rowOf>): string[] {
  return [
    ...[row.datasetId, row.textId, countText(row.version), countText(row.rowCount)],
    ...[countText(row.byteCount), row.firstDate ?? '-', row.lastDate ?? '-'],
    ...[row.publishedAt ?? '-', row.vendor || '-'],
  ];
}

async function run(context: CommandContext, { all }: OptionValues) {
  const { lake } = await openHome(context);
  const catalog = openCatalog(context.config.home);
  const rows = await Promise.all(
    catalog.datasets.map(async (dataset) => rowOf(dataset, await lake.snapshot(dataset.datasetId))),
  );
  const published = rows.filter(({ version }) => version > 0);
  const shown = all || published.length === 0 ? rows : published;
  const others = counted(rows.length - shown.length, 'dataset');
  const note = `\nNot shown: ${others} without a version (${context.commandLine('datasets --all')})\n`;
  const text = `${alignedTable(TABLE, shown.map(cellsOf))}${shown.length < rows.length ? note : ''}`;
  return { value: { datasets: rows }, text };
}

export const datasets: Command = {
  name: ['datasets'],
  summary: 'list the datasets and what has been published',
  options: { all: flag('show datasets of which nothing is published, too') },
  run,
};

const ALERT_TABLE = ['SEVERITY', 'SINCE', 'ALERT'].map(left);

async function runAlerts(context: CommandContext) {
  const { config, clock } = context;
  const catalog = openCatalog(config.home);
  const home = await openHome(context);
  const alerts = alertsOf(await alertState({ ...home, catalog, config }, null, clock.now()));
  const rows = alerts.map((each) => [each.severity, each.since ?? '-', printableLine(each.text)]);
  const table = alignedTable(ALERT_TABLE, rows);
  return { value: { alerts }, text: rows.length === 0 ? 'Nothing needs your attention.\n' : table };
}

export const alerts: Command = {
  name: ['alerts'],
  summary:
    'list what needs an owner: failed and late datasets, the disk, backups, refused requests',
  run: runAlerts,
};
