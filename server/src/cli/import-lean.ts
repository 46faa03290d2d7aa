/** `ticklake import lean`: loads a LEAN data folder. */

import { counted, printableLine } from '../base/printable.ts';
import { type ImportReport, importLeanFolder } from '../ingest/lean/import-folder.ts';
import { refusalOf } from '../lake/check-findings.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { auditedLoad } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  flag,
  type OptionValues,
  option,
  textOf,
} from './command.ts';
import { DERIVE_OPTION, deriveFrom, derivesAfterLoads, thenDerive } from './derive-after-loads.ts';
import { LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';
import { badRowLines, CHECKS_FAILED, checkLines, linesText, rowsText } from './text.ts';

const DEFAULT_VENDOR = 'QuantConnect LEAN';

function refusalIn({ datasets }: ImportReport): string | null {
  return refusalOf(datasets.flatMap(({ checks }) => checks));
}

function reportText(report: ImportReport): string {
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
    refusalIn(report) === null
      ? `nothing was published; --max-bad-rows ${badRowCount} would skip the bad rows`
      : CHECKS_FAILED;
  const lines = [...skipped, ...report.warnings, ...badRowLines(report), ...checks];
  return linesText([...(isPublished ? datasets : []), ...lines, ...(isPublished ? [] : [end])]);
}

async function run(
  context: CommandContext,
  values: OptionValues,
  [directory = '']: readonly string[],
) {
  const { config, clock, signal, progress, closing } = context;
  const options = loadOptionsOf(values, config);
  const derives = derivesAfterLoads(values, config);
  const vendor = textOf(values, 'vendor') ?? DEFAULT_VENDOR;
  const catalog = openCatalog(config.home);
  const lake = closing(await openLake(config, clock));
  const load = () =>
    importLeanFolder({
      ...{ directory, catalog, lake, ...options, vendor, signal },
      dropSuspicious: values['drop-suspicious'] === true,
      onStep: (done, total, what) => progress.update(what, done / Math.max(1, total)),
    });
  const { mode } = options;
  const audited = { operation: 'importLean', datasetId: null, files: [directory], mode, vendor };
  const report = await auditedLoad(context, audited, load);
  const exitCode = report.isPublished ? EXIT.done : EXIT.refused;
  const loaded = { value: report, text: reportText(report), exitCode };
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
  run,
};
