/** `ticklake import lean`: loads a LEAN data folder. */

import { UsageError } from '../base/errors.ts';
import { counted, printableLine } from '../base/printable.ts';
import { type ImportReport, importLeanFolder } from '../ingest/lean/import-folder.ts';
import { refusalOf } from '../lake/check-findings.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { auditedLoad, type LoadOutcome } from './audited-ingest.ts';
import { type Command, type CommandContext, EXIT, type OptionValues } from './command.ts';
import { DERIVE_OPTION, deriveFrom, derivesAfterLoads, thenDerive } from './derive-after-loads.ts';
import { badValueLines, LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';
import { ProgressBar } from './progress-bar.ts';
import { CHECKS_FAILED, checkLines } from './text.ts';

const DEFAULT_VENDOR = 'QuantConnect LEAN';

function directoryOf(positionals: readonly string[]): string {
  const [directory] = positionals;
  if (directory === undefined || positionals.length > 1) {
    throw new UsageError('name one folder: ticklake import lean <dir>');
  }
  return directory;
}

function refusalIn({ datasets }: ImportReport): string | null {
  return refusalOf(datasets.flatMap(({ checks }) => checks));
}

function textOf(report: ImportReport): string {
  const datasets = report.datasets.map(
    ({ datasetId, textId, rowCount, partitions, replacedRowCount }) =>
      `${datasetId} ${textId}: ${counted(rowCount, 'row')} in ` +
      counted(partitions.length, 'partition') +
      (replacedRowCount > 0 ? `, in place of ${counted(replacedRowCount, 'row')}` : ''),
  );
  const skipped = report.skipped.map(
    ({ count, reason, example }) =>
      `${counted(count, 'file')} not imported, such as ${printableLine(example)}: ${reason}`,
  );
  const { badRowCount, badValues, isPublished } = report;
  const bad = [
    `${counted(badRowCount, 'bad row')}${isPublished ? ' left out' : ''}:`,
    ...badValueLines(badValues),
  ];
  const checks = report.datasets.flatMap(({ textId, checks: findings }) =>
    findings.length === 0 ? [] : [`${textId}:`, ...checkLines(findings)],
  );
  const end =
    refusalIn(report) === null
      ? `nothing was published; --max-bad-rows ${badRowCount} would skip the bad rows`
      : CHECKS_FAILED;
  const lines = [...skipped, ...report.warnings, ...(badRowCount > 0 ? bad : []), ...checks];
  return [...(isPublished ? datasets : []), ...lines, ...(isPublished ? [] : [end])]
    .map((line) => `${line}\n`)
    .join('');
}

function outcomeOf(report: ImportReport): LoadOutcome {
  const { publicationId, isPublished, badRowCount, datasets } = report;
  return {
    publicationId,
    state: isPublished ? 'published' : 'refused',
    reason: isPublished ? null : (refusalIn(report) ?? 'bad rows'),
    badRowCount,
    datasets: datasets.map(({ partitions, checks: _, ...dataset }) => {
      return { ...dataset, partitionCount: partitions.length };
    }),
  };
}

async function run(context: CommandContext, values: OptionValues, positionals: readonly string[]) {
  const { config, clock, signal, terminal } = context;
  const { home } = config;
  const directory = directoryOf(positionals);
  const options = loadOptionsOf(values, config);
  const derives = derivesAfterLoads(values, config);
  const vendor = (values.vendor as string | undefined) ?? DEFAULT_VENDOR;
  const catalog = openCatalog(home);
  const lake = await openLake(config, clock);
  const bar = new ProgressBar(terminal, () => clock.now());
  try {
    const load = () =>
      importLeanFolder({
        directory,
        catalog,
        lake,
        ...options,
        vendor,
        dropSuspicious: values['drop-suspicious'] === true,
        signal,
        onStep: (done, total, what) => bar.update(what, done / Math.max(1, total)),
      });
    const { mode } = options;
    const audited = { operation: 'importLean', datasetId: null, files: [directory], mode, vendor };
    const report = await auditedLoad(context, audited, load, outcomeOf);
    const exitCode = report.isPublished ? EXIT.done : EXIT.refused;
    const loaded = { value: report, text: textOf(report), exitCode };
    return await thenDerive(derives, loaded, () =>
      deriveFrom(
        context,
        catalog,
        lake,
        report.datasets.map(({ textId }) => textId),
      ),
    );
  } finally {
    bar.clear();
    await lake.close();
  }
}

export const importLean: Command = {
  name: ['import', 'lean'],
  summary: 'load a data folder of the LEAN engine',
  usage: '<dir>',
  options: {
    ...LOAD_OPTIONS,
    ...DERIVE_OPTION,
    'drop-suspicious': {
      type: 'boolean',
      description: 'skip the ticks that LEAN marks as suspicious',
    },
    vendor: {
      type: 'string',
      valueName: 'NAME',
      description: `who the data comes from (default: ${DEFAULT_VENDOR})`,
    },
  },
  run,
};
