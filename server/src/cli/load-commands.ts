/** Commands that load data: `ingest`, `import lean` and `import mirror`. */
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { counted, printableLine } from '../base/printable.ts';
import { requireHeaderRules } from '../catalog/header-columns.ts';
import { type ImportReport, importLeanFolder } from '../ingest/lean/import-folder.ts';
import { previewFiles } from '../ingest/preview-files.ts';
import { refusalOf } from '../lake/check-findings.ts';
import {
  type ImportedVersion,
  importMirror as importDatasets,
  type MirrorImportReport,
} from '../mirror/import-mirror.ts';
import { openCatalog } from '../open-services.ts';
import {
  auditedIngest,
  auditedLoad,
  datasetNamed,
  INGEST_OPTIONS,
  type IngestOptions,
  ingestExitCode,
  ingestOptionsOf,
  publishedCounter,
  reportText,
  withOptions,
} from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  flag,
  type OptionValues,
  option,
  textOf,
} from './command.ts';
import { DERIVE_OPTION, deriveFrom, derivesAfterLoads, thenDerive } from './derive.ts';
import { withDataset } from './further.ts';
import { LOAD_OPTIONS, loadOptionsOf, VENDOR_OPTION, WHOLE_MODES } from './load-options.ts';
import { openHomeLake } from './opened-home.ts';
import { previewExitCode, previewText } from './publication-commands.ts';
import { loadBy, recipeNamed } from './recipe-commands.ts';
import { badRowLines, CHECKS_FAILED, checkLines, linesText, rowsText } from './text.ts';

/** The dataset and how it is loaded: by a recipe, or from files that name its columns. */
async function loadOf(
  context: CommandContext,
  as: string | undefined,
  words: readonly string[],
  options: IngestOptions,
) {
  const catalog = openCatalog(context.config.home);
  if (as === undefined) {
    const [name = '', ...files] = words;
    if (files.length === 0) {
      throw new UsageError(
        `ticklake ingest takes <dataset> <file or folder...>, but was given ${name || 'nothing'}`,
      );
    }
    const dataset = datasetNamed(catalog, name);
    requireHeaderRules(dataset, options.header);
    return { catalog, ...withOptions(loadBy(dataset, options.timeZone), options), files };
  }
  const { renamed, ignored } = options.header;
  if (renamed.size + ignored.length > 0) {
    throw new UsageError('--map and --ignore-columns cannot be used together with --as');
  }
  const recipe = await recipeNamed(as, words, context, catalog);
  return { catalog, ...withOptions(loadBy(recipe, options.timeZone), options), files: words };
}

async function runIngest(context: CommandContext, values: OptionValues, words: readonly string[]) {
  const { config, stdin, onProgress } = context;
  const options = ingestOptionsOf(values, config, WHOLE_MODES);
  const derives = derivesAfterLoads(values, config);
  const { catalog: before, ...load } = await loadOf(context, textOf(values, 'as'), words, options);
  const lake = await openHomeLake(context);
  const spool = { folder: join(config.home, 'spool'), bytesMax: config.spoolBytesMax };
  const request = { lake, stdin, spool, ...load, onProgress };
  if (values['dry-run'] === true) {
    const countPublished = publishedCounter(context, lake);
    const preview = await previewFiles({ ...request, countPublished, signal: context.signal });
    return { value: preview, text: previewText(preview), exitCode: previewExitCode(preview) };
  }
  const catalog = await withDataset(context, lake, before, load.dataset);
  const report = await auditedIngest(context, request);
  const loaded = { value: report, text: reportText(report), exitCode: ingestExitCode(report) };
  return await thenDerive(derives && report.isPublished, loaded, () =>
    deriveFrom(context, catalog, lake, [load.dataset.textId]),
  );
}

export const ingest: Command = {
  name: ['ingest'],
  summary: 'load files, folders, standard input or addresses into a dataset',
  usage: '[<dataset>] <file or folder...>',
  options: {
    as: option(
      'NAME',
      "read vendors' files by this recipe, which names the dataset; auto: by the one that fits the first file",
    ),
    ...INGEST_OPTIONS,
    replace: option(
      'WHAT',
      'what the new rows replace: the dates that they have (default where there are any), whole partitions, only the rows of the same identifiers in them, or the whole dataset',
    ),
    ...DERIVE_OPTION,
    'dry-run': flag('say what would change and what would be refused, and publish nothing'),
  },
  run: runIngest,
};

const DEFAULT_VENDOR = 'QuantConnect LEAN';

function leanReportText(report: ImportReport): string {
  const datasets = report.datasets.map(
    (each) => `${each.datasetId} ${each.textId}: ${rowsText(each)}`,
  );
  const skipped = report.skipped.map(
    ({ count, reason, example }) =>
      `${counted(count, 'file')} not imported, such as ${printableLine(example)}: ${reason}`,
  );
  const { badRowCount, isPublished } = report;
  const checks = report.datasets.flatMap(({ textId, checks: findings }) =>
    findings.length === 0 ? [] : [`${textId}:`, ...checkLines(findings)],
  );
  const end =
    refusalOf(report.datasets.flatMap(({ checks }) => checks)) === null
      ? `nothing was published; --max-bad-rows ${badRowCount} would skip the bad rows`
      : CHECKS_FAILED;
  const lines = [...skipped, ...report.warnings, ...badRowLines(report), ...checks];
  return linesText([...(isPublished ? datasets : []), ...lines, ...(isPublished ? [] : [end])]);
}

async function runLeanImport(
  context: CommandContext,
  values: OptionValues,
  [directory = '']: readonly string[],
) {
  const { config, signal, onProgress } = context;
  const options = loadOptionsOf(values, config);
  const derives = derivesAfterLoads(values, config);
  const vendor = textOf(values, 'vendor') ?? DEFAULT_VENDOR;
  const catalog = openCatalog(config.home);
  const lake = await openHomeLake(context);
  const load = () =>
    importLeanFolder({
      ...{ directory, catalog, lake, ...options, vendor, signal },
      dropSuspicious: values['drop-suspicious'] === true,
      onStep: (done, total, what) => onProgress(what, done / Math.max(1, total)),
    });
  const { mode } = options;
  const audited = { operation: 'importLean', datasetId: null, files: [directory], mode, vendor };
  const report = await auditedLoad(context, audited, load);
  const exitCode = report.isPublished ? EXIT.done : EXIT.refused;
  const loaded = { value: report, text: leanReportText(report), exitCode };
  const textIds = report.datasets.map(({ textId }) => textId);
  return await thenDerive(derives, loaded, () => deriveFrom(context, catalog, lake, textIds));
}

export const importLean: Command = {
  name: ['import', 'lean'],
  summary: 'load a data folder of the LEAN engine',
  usage: '<dir>',
  options: {
    ...LOAD_OPTIONS,
    ...DERIVE_OPTION,
    'drop-suspicious': flag('skip the ticks that LEAN marks as suspicious'),
    vendor: option('NAME', `who the data comes from (default: ${DEFAULT_VENDOR})`),
  },
  run: runLeanImport,
};

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

function mirrorReportText({ state, datasets }: MirrorImportReport): string {
  const lines =
    state === 'refused'
      ? [...datasets.flatMap((each) => linesOf(each).slice(0, -1)), 'nothing was published']
      : datasets.flatMap(linesOf);
  return linesText(lines);
}

async function runMirrorImport(
  context: CommandContext,
  values: OptionValues,
  [directory = '']: readonly string[],
) {
  const { config, signal, onProgress } = context;
  const { reason, lossPercentMax } = loadOptionsOf(values, config);
  const loss = lossPercentMax === undefined ? {} : { lossPercentMax };
  const vendor = textOf(values, 'vendor') ?? null;
  const catalog = openCatalog(config.home);
  const lake = await openHomeLake(context);
  const request = { directory, catalog, lake, ...loss, reason, vendor, signal, onProgress };
  const loaded = { operation: 'importMirror', datasetId: null, files: [directory] };
  const audited = { ...loaded, mode: 'replace-all', vendor };
  const report = await auditedLoad(context, audited, () => importDatasets(request));
  const exitCode = report.state === 'refused' ? EXIT.refused : EXIT.done;
  return { value: report, text: mirrorReportText(report), exitCode };
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
  run: runMirrorImport,
};
