/** `ticklake ingest`: loads an operator's own files. */

import { UsageError } from '../base/errors.ts';
import { printableLine } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { requireHeaderRules } from '../catalog/header-columns.ts';
import { type IngestReport, ingestFiles } from '../ingest/ingest-files.ts';
import { shownSource } from '../ingest/source-files.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { auditedLoad, type LoadOutcome } from './audited-load.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { HEADER_OPTIONS, headerRulesOf } from './header-options.ts';
import { badValueLines, counted, LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';
import { ProgressBar } from './progress-bar.ts';

const USAGE = '<dataset> <file or folder...>';

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
    : badRowCount > 0
      ? `nothing was published; --max-bad-rows ${badRowCount} would skip the bad rows`
      : `nothing was published: no rows in ${printableLine(report.files.join(', '))}`;
  return [...(badRowCount > 0 ? bad : []), end].map((line) => `${line}\n`).join('');
}

function exitCodeOf({ isPublished, rowCount, badRowCount }: IngestReport) {
  if (isPublished) return EXIT.done;
  return rowCount === 0 && badRowCount === 0 ? EXIT.noRows : EXIT.refused;
}

function outcomeOf(report: IngestReport): LoadOutcome {
  const { publicationId, datasetId, rowCount, replacedRowCount, badRowCount, partitions } = report;
  const states = { 0: 'published', 2: 'refused', 3: 'unchanged' } as const;
  const state = states[exitCodeOf(report)];
  const reasons = { published: null, refused: 'bad rows', unchanged: 'no rows' };
  const reason = reasons[state];
  const partitionCount = partitions.length;
  const dataset = { datasetId, rowCount, replacedRowCount, partitionCount };
  return { publicationId, state, reason, badRowCount, datasets: [dataset] };
}

async function run(context: CommandContext, values: OptionValues, positionals: readonly string[]) {
  const { config, clock, signal, stdin, terminal } = context;
  const [name, ...files] = positionals;
  if (name === undefined || files.length === 0) {
    throw new UsageError(`name a dataset and its files: ticklake ingest ${USAGE}`);
  }
  const options = loadOptionsOf(values);
  const header = headerRulesOf(values);
  const vendor = (values.vendor as string | undefined) ?? null;
  const dataset = findDataset(openCatalog(config.home, config.definitions), name);
  requireHeaderRules(dataset, header);
  const lake = await openLake(config, clock);
  const bar = new ProgressBar(terminal, () => clock.now());
  try {
    const load = () =>
      ingestFiles({
        lake,
        dataset,
        files,
        stdin,
        ...options,
        header,
        vendor,
        signal,
        onProgress: (step, share) => bar.update(step, share),
      });
    const { datasetId } = dataset;
    const shown = files.map(shownSource);
    const audited = { operation: 'ingest', datasetId, files: shown, mode: options.mode, vendor };
    const report = await auditedLoad(context, audited, load, outcomeOf);
    return { value: report, text: textOf(report), exitCode: exitCodeOf(report) };
  } finally {
    bar.clear();
    await lake.close();
  }
}

export const ingest: Command = {
  name: ['ingest'],
  summary: 'load files, folders, addresses or standard input (-) into a dataset',
  usage: USAGE,
  options: {
    ...LOAD_OPTIONS,
    ...HEADER_OPTIONS,
    vendor: {
      type: 'string',
      valueName: 'NAME',
      description: 'who the data comes from (default: unchanged)',
    },
  },
  run,
};
