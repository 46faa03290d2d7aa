/** `ticklake import lean`: loads a LEAN data folder. */
import { duckDBStagingEngine } from '../engine/duckdb/stage.ts';
import { UsageError } from '../errors.ts';
import { type ImportReport, importLeanFolder } from '../ingest/lean/import-folder.ts';
import { Lake } from '../lake/lake.ts';
import { openCatalog } from '../open-services.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';

const DEFAULT_VENDOR = 'QuantConnect LEAN';
const CLEAR_LINE = '\r\u001b[2K';

function directoryOf(positionals: readonly string[]): string {
  const [directory] = positionals;
  if (directory === undefined || positionals.length > 1) {
    throw new UsageError('name one folder: ticklake import lean <dir>');
  }
  return directory;
}

function maxBadRowsOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`--max-bad-rows must be a whole number of at least 0, not ${text}`);
  }
  return Number(text);
}

function textOf(report: ImportReport): string {
  const datasets = report.datasets.map(
    ({ datasetId, textId, rowCount, partitions, replacedRowCount }) =>
      `${datasetId} ${textId}: ${rowCount} rows in ${partitions.length} partitions` +
      (replacedRowCount > 0 ? `, in place of ${replacedRowCount} rows` : ''),
  );
  const skipped = report.skipped.map(
    ({ count, reason, example }) => `skipped ${count} files, such as ${example}: ${reason}`,
  );
  const bad = report.badValues.map(
    ({ file, line, column, value, reason }) =>
      `${file}:${line}: ${column ?? 'line'} ${JSON.stringify(value)} ${reason}`,
  );
  const counted = report.badRowCount > 0 ? [`${report.badRowCount} bad rows`, ...bad] : [];
  const end = report.isPublished ? [] : ['nothing was published; --max-bad-rows allows bad rows'];
  return [...datasets, ...skipped, ...counted, ...end].map((line) => `${line}\n`).join('');
}

async function run(context: CommandContext, values: OptionValues, positionals: readonly string[]) {
  const { home, clock, signal, terminal } = context;
  const directory = directoryOf(positionals);
  const maxBadRows = maxBadRowsOf((values['max-bad-rows'] as string | undefined) ?? '0');
  const catalog = openCatalog(home, null);
  const lake = Lake.open({ home, stagingEngine: duckDBStagingEngine(), clock });
  try {
    const report = await importLeanFolder({
      directory,
      catalog,
      lake,
      mode: values.append === true ? 'append' : 'replace',
      vendor: (values.vendor as string | undefined) ?? DEFAULT_VENDOR,
      maxBadRows,
      dropSuspicious: values['drop-suspicious'] === true,
      signal,
      onStep: (done, total, what) => terminal?.write(`${CLEAR_LINE}${done}/${total} ${what}`),
    });
    const exitCode: 0 | 1 = report.isPublished ? 0 : 1;
    return { value: report, text: textOf(report), exitCode };
  } finally {
    terminal?.write(CLEAR_LINE);
    lake.close();
  }
}

export const importLean: Command = {
  name: ['import', 'lean'],
  summary: 'load a data folder of the LEAN engine',
  usage: '<dir>',
  options: {
    append: {
      type: 'boolean',
      description: 'add to the published partitions instead of replacing those that are covered',
    },
    'max-bad-rows': {
      type: 'string',
      valueName: 'N',
      description: 'leave out up to N rows that cannot be read (default: 0)',
    },
    'drop-suspicious': {
      type: 'boolean',
      description: 'leave out the ticks that LEAN marks as suspicious',
    },
    vendor: {
      type: 'string',
      valueName: 'NAME',
      description: `who the data comes from (default: ${DEFAULT_VENDOR})`,
    },
  },
  run,
};
