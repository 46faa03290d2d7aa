/** `ticklake ingest`: loads an operator's own files. */

import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { requireHeaderRules } from '../catalog/header-columns.ts';
import { previewFiles } from '../ingest/preview-files.ts';
import { defaultMode } from '../lake/publication-options.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import {
  auditedIngest,
  datasetNamed,
  INGEST_OPTIONS,
  ingestExitCode,
  ingestOptionsOf,
  reportText,
} from './audited-ingest.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { DERIVE_OPTION, deriveFrom, derivesAfterLoads, thenDerive } from './derive-after-loads.ts';
import { WHOLE_MODES } from './load-options.ts';
import { ProgressBar } from './progress-bar.ts';
import { previewExitCode, previewText } from './publication-commands.ts';

const USAGE = '<dataset> <file or folder...>';

async function run(context: CommandContext, values: OptionValues, positionals: readonly string[]) {
  const { config, clock, stdin, terminal } = context;
  const [name, ...files] = positionals;
  if (name === undefined || files.length === 0) {
    throw new UsageError(`name a dataset and its files: ticklake ingest ${USAGE}`);
  }
  const options = ingestOptionsOf(values, config, WHOLE_MODES);
  const derives = derivesAfterLoads(values, config);
  const catalog = openCatalog(config.home);
  const dataset = datasetNamed(catalog, name);
  requireHeaderRules(dataset, options.header);
  const lake = await openLake(config, clock);
  const bar = new ProgressBar(terminal, () => clock.now());
  const onProgress = (step: string, share: number) => bar.update(step, share);
  try {
    const spool = { folder: join(config.home, 'spool'), bytesMax: config.spoolBytesMax };
    const mode = options.mode ?? defaultMode(dataset);
    const request = { lake, dataset, files, stdin, spool, ...options, mode, onProgress };
    if (values['dry-run'] === true) {
      const preview = await previewFiles({ ...request, signal: context.signal });
      return { value: preview, text: previewText(preview), exitCode: previewExitCode(preview) };
    }
    const report = await auditedIngest(context, request);
    const loaded = { value: report, text: reportText(report), exitCode: ingestExitCode(report) };
    return await thenDerive(derives && report.isPublished, loaded, () =>
      deriveFrom(context, catalog, lake, [dataset.textId]),
    );
  } finally {
    bar.clear();
    await lake.close();
  }
}

export const ingest: Command = {
  name: ['ingest'],
  summary: 'load files, folders, standard input or addresses into a dataset',
  usage: USAGE,
  options: {
    ...INGEST_OPTIONS,
    replace: {
      ...INGEST_OPTIONS.replace,
      description:
        'what the new rows replace: the dates that they have (default where there are any), whole partitions, only the rows of the same identifiers in them, or the whole dataset',
    },
    ...DERIVE_OPTION,
    'dry-run': {
      type: 'boolean',
      description: 'say what would change and what would be refused, and publish nothing',
    },
  },
  run,
};
