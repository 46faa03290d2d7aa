/** Loads, noted in the audit log one entry for each dataset, and how their end is told. */
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { printableLine } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { furtherNamed } from '../catalog/load-catalog.ts';
import { InputRows } from '../derive/input-rows.ts';
import type { CountPublished } from '../ingest/deliveries.ts';
import { type IngestReport, type IngestRequest, ingestFiles } from '../ingest/ingest-files.ts';
import { shownSource } from '../ingest/source-files.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import { type CheckFinding, refusalOf } from '../lake/check-findings.ts';
import type { Lake } from '../lake/lake.ts';
import { endingOf, type PublicationOutcome } from '../lake/publication.ts';
import { openControlStore } from '../open-home.ts';
import type { Config } from '../settings/config.ts';
import type { ControlStore, StoreTransaction } from '../store/control-store.ts';
import { isTimeZone, TIME_ZONE_LEGAL, type TimeZone } from '../time/time-zone.ts';
import {
  type CommandContext,
  EXIT,
  flag,
  type OptionValues,
  option,
  textOf,
  textsOf,
} from './command.ts';
import {
  HEADER_OPTIONS,
  headerRulesOf,
  LOAD_OPTIONS,
  loadOptionsOf,
  SYMBOLS_OPTION,
  VENDOR_OPTION,
  type WHOLE_MODES,
} from './load-options.ts';
import { badRowLines, CHECKS_FAILED, checkLines, linesText, rowsText } from './text.ts';

interface Act {
  readonly operation: string;
  /** Absent: the home. */
  readonly target?: string;
  /** The state after it. */
  readonly after: object;
}

export async function noteAct(
  store: ControlStore,
  { clock }: CommandContext,
  { operation, target = 'home', after }: Act,
): Promise<void> {
  const by = { happenedAtMs: clock.now(), actor: localActor(), source: LOCAL_SOURCE };
  await store.transaction(({ audit }) =>
    audit.append({ ...by, operation, target, before: null, after }),
  );
}

/** Further names are only counted. */
const FILES_MAX = 100;
const REASON_CHARACTERS_MAX = 2000;

interface DatasetReport {
  readonly datasetId: string;
  readonly rowCount: number;
  readonly replacedRowCount?: number;
  readonly partitions: readonly string[];
  readonly badRowCount?: number;
  readonly isPublished?: boolean;
  readonly computedPartCount?: number;
  readonly checks?: readonly CheckFinding[];
}

/** True if a load of several datasets wrote this one, or was refused because of it. */
function isTouched(report: DatasetReport): boolean {
  const { partitions, isPublished, computedPartCount = 0, badRowCount = 0, checks = [] } = report;
  const isWritten = partitions.length > 0 || isPublished === true || computedPartCount > 0;
  return isWritten || badRowCount > 0 || refusalOf(checks) !== null;
}

/** The report of a load of one dataset, or of several. */
type LoadReport = PublicationOutcome &
  (DatasetReport | { readonly datasets: readonly DatasetReport[]; readonly badRowCount?: number });

export interface AuditedLoad {
  /** As the audit log names it: `ingest`, `importLean`. */
  readonly operation: string;
  /** The dataset of the load; null: it is found out on the way. */
  readonly datasetId: string | null;
  readonly files: readonly string[];
  /** Null: as the default of each dataset is. */
  readonly mode: string | null;
  readonly vendor: string | null;
}

function endView(state: string, reason: string | null) {
  return { state, reason: reason?.slice(0, REASON_CHARACTERS_MAX) ?? null };
}

/** A load of several datasets tells of those that it touched. */
function entriesOf(report: LoadReport, datasetId: string | null) {
  const { publicationId, state, reason } = report;
  const isOfSeveral = 'datasets' in report;
  const datasets = isOfSeveral ? report.datasets : [report];
  const badRowCounts = datasets.map((dataset) => dataset.badRowCount ?? 0);
  const badRowCount = report.badRowCount ?? badRowCounts.reduce((sum, count) => sum + count, 0);
  const end = endView(state, reason);
  const common = { publication_id: publicationId, ...end, bad_row_count: badRowCount };
  const entries = datasets
    .filter((dataset) => !isOfSeveral || isTouched(dataset))
    .map(({ datasetId: id, rowCount, replacedRowCount = 0, partitions }) => ({
      target: `dataset:${id}`,
      after: {
        ...common,
        row_count: rowCount,
        replaced_row_count: replacedRowCount,
        partition_count: partitions.length,
      },
    }));
  return entries.length > 0 ? entries : [{ target: targetOf(datasetId), after: common }];
}

const targetOf = (datasetId: string | null) =>
  datasetId === null ? 'lake' : `dataset:${datasetId}`;

/** Writes all entries or none. A failure must not hide that the publication stands. */
async function noteOutcome(
  store: ControlStore,
  report: LoadReport,
  datasetId: string | null,
  note: (tx: StoreTransaction, target: string, after: object) => Promise<void>,
): Promise<void> {
  try {
    await store.transaction(async (tx) => {
      for (const { target, after } of entriesOf(report, datasetId)) await note(tx, target, after);
    });
  } catch (error) {
    const done = `the load ended as ${report.state}`;
    throw new Error(`${done}, but could not be recorded in the audit log: ${failureText(error)}`);
  }
}

/**
 * Runs a load and notes how it ended, one entry for each dataset. The store is opened before, so
 * that a load which cannot be noted does not begin.
 */
export async function auditedLoad<T extends LoadReport>(
  { config, clock, signal }: CommandContext,
  { operation, datasetId, files, mode, vendor }: AuditedLoad,
  work: () => Promise<T>,
): Promise<T> {
  const store = await openControlStore(config);
  const names = files.slice(0, FILES_MAX).map(printableLine);
  const given = { files: names, file_count: files.length, mode, vendor };
  const note = ({ audit }: StoreTransaction, target: string, after: object) =>
    audit.append({
      happenedAtMs: clock.now(),
      actor: localActor(),
      source: LOCAL_SOURCE,
      operation,
      target,
      before: null,
      after: { ...after, ...given },
    });
  await using _store = atEnd(() => store.close());
  const report = await work().catch(async (error: unknown) => {
    try {
      const { state, message } = endingOf(error, signal);
      await store.transaction((tx) => note(tx, targetOf(datasetId), endView(state, message)));
    } catch {
      // The first error is the one to report.
    }
    throw error;
  });
  await noteOutcome(store, report, datasetId, note);
  return report;
}

export const INGEST_OPTIONS = {
  ...LOAD_OPTIONS,
  ...HEADER_OPTIONS,
  again: flag('load files again even if the dataset already has, or had, their rows'),
  'allow-unended': flag('load text whose last line has no end, though it may be cut off'),
  'time-zone': option(
    'ZONE',
    'clock of times without an offset, such as UTC (default: as the definition says)',
  ),
  vendor: VENDOR_OPTION,
  ...SYMBOLS_OPTION,
};

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
) {
  return {
    ...loadOptionsOf(values, config, modes),
    header: headerRulesOf(values),
    /** The clock of times without an offset; null: as the definition says. */
    timeZone: timeZoneOf(values),
    vendor: textOf(values, 'vendor') ?? null,
    symbols: textsOf(values, 'symbols'),
    /** True if the last line of a text needs no line end. */
    allowsUnended: values['allow-unended'] === true,
    /** True if files may be loaded whose rows the dataset already has, or had. */
    allowsRepeats: values.again === true,
  };
}

export type IngestOptions = ReturnType<typeof ingestOptionsOf>;

type WaysOfLoads = Pick<IngestRequest, 'mode' | 'vendor'>;

/** A load as its options say, and else as it is done by itself. */
export function withOptions<T extends WaysOfLoads>(load: T, options: IngestOptions) {
  const { mode, vendor, timeZone: _, ...others } = options;
  return { ...others, ...load, mode: mode ?? load.mode, vendor: vendor ?? load.vendor };
}

/** By its id or its text id. */
export function datasetNamed(catalog: Catalog, name: string): Dataset {
  const dataset = catalog.byId(name) ?? catalog.byTextId(name);
  if (dataset) return dataset;
  const further = furtherNamed(name);
  const next = further
    ? `ticklake dataset add ${further.textId} adds it`
    : 'ticklake datasets --all lists them';
  throw new UsageError(`there is no dataset ${name}; ${next}`);
}

/** The published rows, or why nothing was published. */
function endLine(report: IngestReport): string {
  const { datasetId, textId, isPublished, version, badRowCount, checks } = report;
  if (isPublished) {
    const rows = rowsText(report);
    return report.isStaged
      ? `${datasetId} ${textId}: ${rows}, for publication ${report.publicationId}, which is not committed yet`
      : `${datasetId} ${textId}: version ${version}, ${rows}`;
  }
  if (report.isUnchanged) return `${datasetId} ${textId}: unchanged, it has these rows already`;
  if (refusalOf(checks) !== null) return CHECKS_FAILED;
  return badRowCount > 0
    ? `nothing was published; --max-bad-rows ${badRowCount} would skip the bad rows`
    : `nothing was published: no rows in ${printableLine(report.files.join(', '))}`;
}

export function reportText(report: IngestReport): string {
  return linesText([...badRowLines(report), ...checkLines(report.checks), endLine(report)]);
}

export function ingestExitCode({ isPublished, isUnchanged, rowCount, badRowCount }: IngestReport) {
  if (isPublished) return EXIT.done;
  if (isUnchanged) return EXIT.nothingToDo;
  return rowCount === 0 && badRowCount === 0 ? EXIT.nothingToDo : EXIT.refused;
}

/** Counts published rows, for comparisons with those of a load. */
export function publishedCounter({ config, signal }: CommandContext, lake: Lake): CountPublished {
  return async (dataset, dates) => {
    const engine = await INSTALLED_ENGINE.openReader(config);
    await using _engine = atEnd(() => engine.close());
    const partsOf = ({ datasetId }: Dataset) => lake.publishedParts(datasetId);
    return await new InputRows(partsOf, engine, signal).countByDay(dataset, dates);
  };
}

export async function auditedIngest(
  context: CommandContext,
  request: Omit<IngestRequest, 'signal'>,
): Promise<IngestReport> {
  const { mode, vendor } = request;
  const { datasetId } = request.dataset;
  const files = request.files.map(shownSource);
  const audited = { operation: 'ingest', datasetId, files, mode, vendor };
  const countPublished = publishedCounter(context, request.lake);
  const load = () => ingestFiles({ ...request, countPublished, signal: context.signal });
  return await auditedLoad(context, audited, load);
}
