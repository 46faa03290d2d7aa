/** `ticklake import mirror`: loads what `ticklake mirror` has brought. */

import { counted } from '../base/printable.ts';
import {
  type ImportedVersion,
  importMirror as importDatasets,
  type MirrorImportReport,
} from '../mirror/import-mirror.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { auditedLoad } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  type OptionValues,
  option,
  textOf,
} from './command.ts';
import { LOAD_OPTIONS, loadOptionsOf, VENDOR_OPTION } from './load-options.ts';
import { badRowLines, checkLines, linesText, rowsText } from './text.ts';

function linesOf(dataset: ImportedVersion): string[] {
  const { datasetId, textId, isPublished, version, mirroredVersion } = dataset;
  const { rowCount, badRowCount, badValues, checks } = dataset;
  const name = `${datasetId} ${textId}`;
  const broken = [...badRowLines({ badRowCount, badValues }), ...checkLines(checks)];
  const told = isPublished
    ? `version ${version}, ${rowsText(dataset)}, from version ${mirroredVersion ?? 0}`
    : `as it was, ${counted(rowCount, 'row')}`;
  return [...(broken.length > 0 ? [`${name}:`, ...broken] : []), `${name}: ${told}`];
}

function reportText({ state, datasets }: MirrorImportReport): string {
  const lines =
    state === 'refused'
      ? [...datasets.flatMap((each) => linesOf(each).slice(0, -1)), 'nothing was published']
      : datasets.flatMap(linesOf);
  return linesText(lines);
}

async function run(
  context: CommandContext,
  values: OptionValues,
  [directory = '']: readonly string[],
) {
  const { config, clock, signal, progress, closing } = context;
  const { reason, lossPercentMax } = loadOptionsOf(values, config);
  const loss = lossPercentMax === undefined ? {} : { lossPercentMax };
  const vendor = textOf(values, 'vendor') ?? null;
  const catalog = openCatalog(config.home);
  const lake = closing(await openLake(config, clock));
  const onProgress = (step: string, share: number) => progress.update(step, share);
  const request = { directory, catalog, lake, ...loss, reason, vendor, signal, onProgress };
  const loaded = { operation: 'importMirror', datasetId: null, files: [directory] };
  const audited = { ...loaded, mode: 'replace-all', vendor };
  const report = await auditedLoad(context, audited, () => importDatasets(request));
  const exitCode = report.state === 'refused' ? EXIT.refused : EXIT.done;
  return { value: report, text: reportText(report), exitCode };
}

export const importMirror: Command = {
  name: ['import', 'mirror'],
  summary: 'load all datasets of a folder that ticklake mirror keeps up to date',
  usage: '<dir>',
  options: {
    'allow-loss': LOAD_OPTIONS['allow-loss'],
    reason: option(
      'TEXT',
      'reason to record in the ledger of publications (default: the versions and their server)',
    ),
    vendor: VENDOR_OPTION,
  },
  run,
};
