/** `ticklake ingest`: loads files of one's own. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { duckDBStagingEngine } from '../engine/duckdb/stage.ts';
import { UsageError } from '../errors.ts';
import { type IngestReport, ingestFiles } from '../ingest/ingest-files.ts';
import { Lake } from '../lake/lake.ts';
import { openCatalog } from '../open-services.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { badValueLines, counted, LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';
import { ProgressBar } from './progress-bar.ts';

function findDataset(catalog: Catalog, name: string): Dataset {
  const dataset = catalog.byId(name) ?? catalog.byTextId(name);
  if (dataset) return dataset;
  throw new UsageError(`there is no dataset ${name}; ticklake datasets lists them all`);
}

function textOf(report: IngestReport): string {
  const { datasetId, textId, isPublished, version, rowCount, badRowCount, badValues } = report;
  const bad = [
    `${counted(badRowCount, 'bad row')}${isPublished ? ' left out' : ''}:`,
    ...badValueLines(badValues),
  ];
  const replaced = counted(report.replacedRowCount, 'row');
  const end = isPublished
    ? `${datasetId} ${textId}: version ${version}, ${counted(rowCount, 'row')} in ` +
      `${counted(report.partitions.length, 'partition')}` +
      (report.replacedRowCount > 0 ? `, in place of ${replaced}` : '')
    : `nothing was published; --max-bad-rows ${badRowCount} would leave the bad rows out`;
  return [...(badRowCount > 0 ? bad : []), end].map((line) => `${line}\n`).join('');
}

async function run(context: CommandContext, values: OptionValues, positionals: readonly string[]) {
  const { config, clock, signal, terminal } = context;
  const [name, ...files] = positionals;
  if (name === undefined || files.length === 0) {
    throw new UsageError('name a dataset and its files: ticklake ingest <dataset> <file...>');
  }
  const options = loadOptionsOf(values);
  const dataset = findDataset(openCatalog(config.home, config.definitions), name);
  const lake = Lake.open({ home: config.home, stagingEngine: duckDBStagingEngine(), clock });
  const bar = new ProgressBar(terminal, () => clock.now());
  try {
    const report = await ingestFiles({
      lake,
      dataset,
      files,
      ...options,
      vendor: (values.vendor as string | undefined) ?? null,
      signal,
      onProgress: (step, share) => bar.update(step, share),
    });
    const exitCode: 0 | 2 = report.isPublished ? 0 : 2;
    return { value: report, text: textOf(report), exitCode };
  } finally {
    bar.clear();
    lake.close();
  }
}

export const ingest: Command = {
  name: ['ingest'],
  summary: 'load CSV and Parquet files into a dataset',
  usage: '<dataset> <file...>',
  options: {
    ...LOAD_OPTIONS,
    vendor: {
      type: 'string',
      valueName: 'NAME',
      description: 'who the data comes from (default: as before)',
    },
  },
  run,
};
