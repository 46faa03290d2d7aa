/** One load of files into a dataset, noted in the audit log, and how its end is told. */

import { UsageError } from '../base/errors.ts';
import { counted, printableLine } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { HeaderRules } from '../catalog/header-columns.ts';
import { type IngestReport, type IngestRequest, ingestFiles } from '../ingest/ingest-files.ts';
import { shownSource } from '../ingest/source-files.ts';
import { refusalOf } from '../lake/check-findings.ts';
import type { Config } from '../settings/config.ts';
import { isTimeZone, TIME_ZONE_LEGAL, type TimeZone } from '../time/time-zone.ts';
import { auditedLoad, type LoadOutcome } from './audited-load.ts';
import { CHECKS_FAILED, checkLines } from './check-lines.ts';
import type { CommandContext, OptionValues } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { HEADER_OPTIONS, headerRulesOf } from './header-options.ts';
import {
  badValueLines,
  LOAD_OPTIONS,
  type LoadOptions,
  loadOptionsOf,
  type WHOLE_MODES,
} from './load-options.ts';

export const INGEST_OPTIONS = {
  ...LOAD_OPTIONS,
  ...HEADER_OPTIONS,
  again: {
    type: 'boolean',
    description: 'load files again even if the dataset already has, or had, their rows',
  },
  'allow-unended': {
    type: 'boolean',
    description: 'load text whose last line has no end, though it may be cut off',
  },
  'time-zone': {
    type: 'string',
    valueName: 'ZONE',
    description: 'clock of times without an offset, such as UTC (default: as the definition says)',
  },
  vendor: {
    type: 'string',
    valueName: 'NAME',
    description: 'who the data comes from (default: unchanged)',
  },
} as const;

export interface IngestOptions extends LoadOptions {
  readonly header: HeaderRules;
  readonly vendor: string | null;
  /** The clock of times without an offset; null: as the definition says. */
  readonly timeZone: TimeZone | null;
  /** Whether the last line of a text needs no line end. */
  readonly allowsUnended: boolean;
  /** Whether files may be loaded whose rows the dataset has, or has had, already. */
  readonly allowsRepeats: boolean;
}

function timeZoneOf({ 'time-zone': zone }: OptionValues): TimeZone | null {
  if (zone === undefined) return null;
  if (isTimeZone(`${zone}`)) return zone as TimeZone;
  throw new UsageError(`--time-zone must be ${TIME_ZONE_LEGAL}, not ${zone}`);
}

/** The values of `INGEST_OPTIONS`. */
export function ingestOptionsOf(
  values: OptionValues,
  config: Pick<Config, 'lossPercentMax'>,
  modes?: typeof WHOLE_MODES,
): IngestOptions {
  const vendor = (values.vendor as string | undefined) ?? null;
  const allowsRepeats = values.again === true;
  const load = loadOptionsOf(values, config, modes);
  const timeZone = timeZoneOf(values);
  const allowsUnended = values['allow-unended'] === true;
  const read = { header: headerRulesOf(values), timeZone, allowsUnended };
  return { ...load, ...read, vendor, allowsRepeats };
}

/** By its id or its text id. */
export function datasetNamed(catalog: Catalog, name: string): Dataset {
  const dataset = catalog.byId(name) ?? catalog.byTextId(name);
  if (dataset) return dataset;
  throw new UsageError(`there is no dataset ${name}; ticklake datasets lists them all`);
}

/** What was published, or why nothing was. */
function endLine(report: IngestReport): string {
  const { datasetId, textId, isPublished, version, rowCount, badRowCount, checks } = report;
  if (isPublished) {
    const { partitions, replacedRowCount, publicationId, isStaged } = report;
    const rows = `${counted(rowCount, 'row')} in ${counted(partitions.length, 'partition')}`;
    const replaced =
      replacedRowCount > 0 ? `, in place of ${counted(replacedRowCount, 'row')}` : '';
    return isStaged
      ? `${datasetId} ${textId}: ${rows}${replaced}, for publication ${publicationId}, which is not committed yet`
      : `${datasetId} ${textId}: version ${version}, ${rows}${replaced}`;
  }
  if (report.isUnchanged) return `${datasetId} ${textId}: unchanged, it has these rows already`;
  if (refusalOf(checks) !== null) return CHECKS_FAILED;
  return badRowCount > 0
    ? `nothing was published; --max-bad-rows ${badRowCount} would skip the bad rows`
    : `nothing was published: no rows in ${printableLine(report.files.join(', '))}`;
}

export function reportText(report: IngestReport): string {
  const { isPublished, badRowCount, badValues, checks } = report;
  const bad = [
    `${counted(badRowCount, 'bad row')}${isPublished ? ' left out' : ''}:`,
    ...badValueLines(badValues),
  ];
  return [...(badRowCount > 0 ? bad : []), ...checkLines(checks), endLine(report)]
    .map((line) => `${line}\n`)
    .join('');
}

export function ingestExitCode({ isPublished, isUnchanged, rowCount, badRowCount }: IngestReport) {
  if (isPublished) return EXIT.done;
  if (isUnchanged) return EXIT.nothingToDo;
  return rowCount === 0 && badRowCount === 0 ? EXIT.nothingToDo : EXIT.refused;
}

function outcomeOf(report: IngestReport): LoadOutcome {
  const { publicationId, datasetId, rowCount, replacedRowCount, badRowCount, partitions } = report;
  const states = {
    0: report.isStaged ? 'staged' : 'published',
    2: 'refused',
    3: 'unchanged',
  } as const;
  const state = states[ingestExitCode(report)];
  const refused = refusalOf(report.checks) ?? 'bad rows';
  const reasons = {
    published: null,
    staged: null,
    refused,
    unchanged: report.isUnchanged ? 'the same rows' : 'no rows',
  };
  const reason = reasons[state];
  const partitionCount = partitions.length;
  const dataset = { datasetId, rowCount, replacedRowCount, partitionCount };
  return { publicationId, state, reason, badRowCount, datasets: [dataset] };
}

export async function auditedIngest(
  context: CommandContext,
  request: Omit<IngestRequest, 'signal'>,
): Promise<IngestReport> {
  const { mode, vendor } = request;
  const { datasetId } = request.dataset;
  const files = request.files.map(shownSource);
  const audited = { operation: 'ingest', datasetId, files, mode, vendor };
  const load = () => ingestFiles({ ...request, signal: context.signal });
  return await auditedLoad(context, audited, load, outcomeOf);
}
