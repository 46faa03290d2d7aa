/** `ticklake ingest`: loads an operator's own files. */

import { join } from 'node:path';
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
import { type Command, type CommandContext, flag, type OptionValues, option } from './command.ts';
import { DERIVE_OPTION, deriveFrom, derivesAfterLoads, thenDerive } from './derive-after-loads.ts';
import { WHOLE_MODES } from './load-options.ts';
import { previewExitCode, previewText } from './publication-commands.ts';

async function run(
  context: CommandContext,
  values: OptionValues,
  [name = '', ...files]: readonly string[],
) {
  const { config, clock, stdin, progress, closing } = context;
  const options = ingestOptionsOf(values, config, WHOLE_MODES);
  const derives = derivesAfterLoads(values, config);
  const catalog = openCatalog(config.home);
  const dataset = datasetNamed(catalog, name);
  requireHeaderRules(dataset, options.header);
  const lake = closing(await openLake(config, clock));
  const onProgress = (step: string, share: number) => progress.update(step, share);
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
}

export const ingest: Command = {
  name: ['ingest'],
  summary: 'load files, folders, standard input or addresses into a dataset',
  usage: '<dataset> <file or folder...>',
  options: {
    ...INGEST_OPTIONS,
    replace: option(
      'WHAT',
      'what the new rows replace: the dates that they have (default where there are any), whole partitions, only the rows of the same identifiers in them, or the whole dataset',
    ),
    ...DERIVE_OPTION,
    'dry-run': flag('say what would change and what would be refused, and publish nothing'),
  },
  run,
};
