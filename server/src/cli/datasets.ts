/** `ticklake datasets`: what is published of each dataset. */
import type { Dataset } from '../catalog/dataset.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import {
  type Command,
  type CommandContext,
  type OptionValues,
  refuseArguments,
} from './command.ts';
import { alignedTable } from './table-text.ts';

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

type Row = ReturnType<typeof rowOf>;

interface TableColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly text: (row: Row) => string;
}

const count = (value: number) => value.toLocaleString('en-US');

const TABLE: readonly TableColumn[] = [
  { title: 'ID', align: 'left', text: (row) => row.datasetId },
  { title: 'TEXT ID', align: 'left', text: (row) => row.textId },
  { title: 'VERSION', align: 'right', text: (row) => count(row.version) },
  { title: 'ROWS', align: 'right', text: (row) => count(row.rowCount) },
  { title: 'BYTES', align: 'right', text: (row) => count(row.byteCount) },
  { title: 'FIRST', align: 'left', text: (row) => row.firstDate ?? '-' },
  { title: 'LAST', align: 'left', text: (row) => row.lastDate ?? '-' },
  { title: 'PUBLISHED', align: 'left', text: (row) => row.publishedAt ?? '-' },
  { title: 'VENDOR', align: 'left', text: (row) => row.vendor || '-' },
];

async function run(context: CommandContext, _values: OptionValues, positionals: readonly string[]) {
  refuseArguments('datasets', positionals);
  const { config, clock } = context;
  const catalog = openCatalog(config.home);
  const lake = await openLake(config, clock);
  try {
    const rows = await Promise.all(
      catalog.datasets.map(async (dataset) =>
        rowOf(dataset, await lake.snapshot(dataset.datasetId)),
      ),
    );
    const cells = rows.map((row) => TABLE.map(({ text }) => text(row)));
    return { value: { datasets: rows }, text: alignedTable(TABLE, cells), exitCode: 0 as const };
  } finally {
    await lake.close();
  }
}

export const datasets: Command = {
  name: ['datasets'],
  summary: 'list the datasets and what has been published',
  usage: '',
  options: {},
  run,
};
