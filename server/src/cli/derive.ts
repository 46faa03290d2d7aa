/** `ticklake derive`: computes datasets from others, also those that a load has made stale. */
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { counted, firstNames, printableLine } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { type CheckedDerivation, checkDerived } from '../derive/check-derived.ts';
import { dependentsOf } from '../derive/derivation-graph.ts';
import {
  type DerivationReport,
  type DerivationRequest,
  type DerivationSubject,
  derive,
} from '../derive/derive.ts';
import type { DerivedDataset } from '../derive/derive-dataset.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import type { Lake } from '../lake/lake.ts';
import { openCatalog } from '../open-services.ts';
import { isCalendarDate } from '../request/literals.ts';
import type { Config } from '../settings/config.ts';
import { auditedLoad, datasetNamed } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  type CommandResult,
  EXIT,
  flag,
  type OptionValues,
  option,
  textOf,
} from './command.ts';
import { REASON_OPTION, reasonOf } from './load-options.ts';
import { openHome } from './opened-home.ts';
import { CHECKS_FAILED, checkLines, linesText } from './text.ts';

function derivable({ datasets }: Catalog): Dataset[] {
  return datasets.filter(({ derivation }) => derivation !== null);
}

function derivedDatasetNamed(catalog: Catalog, name: string): Dataset {
  const dataset = datasetNamed(catalog, name);
  if (dataset.derivation) return dataset;
  const legal = derivable(catalog).map(({ textId }) => textId);
  throw new UsageError(`${name} is loaded, not derived; derived are ${legal.join(', ')}`);
}

function chosenDatasets(catalog: Catalog, names: readonly string[], isAll: boolean): Dataset[] {
  if (isAll && names.length > 0) throw new UsageError('give datasets or --all, not both');
  if (!isAll && names.length === 0) {
    throw new UsageError('name a dataset, or give --all: ticklake derive [<dataset...>] [--all]');
  }
  return isAll ? derivable(catalog) : names.map((name) => derivedDatasetNamed(catalog, name));
}

const [FIRST_DATE, LAST_DATE] = ['0001-01-01', '9999-12-31'];

function dateOf(values: OptionValues, name: string, otherwise: string): string {
  const date = textOf(values, name) ?? otherwise;
  if (isCalendarDate(date)) return date;
  throw new UsageError(`--${name} must be a date YYYY-MM-DD, not ${date}`);
}

function datesOf(values: OptionValues): DateSpan | null {
  if (values.from === undefined && values.to === undefined) return null;
  const span = { start: dateOf(values, 'from', FIRST_DATE), end: dateOf(values, 'to', LAST_DATE) };
  if (span.start <= span.end) return span;
  throw new UsageError(`--from ${span.start} is after --to ${span.end}`);
}

/** A check changes nothing, so nothing can be said about changes. */
function refuseBesideCheck(values: OptionValues): void {
  const changing = ['stale', 'replace-loaded', 'allow-loss', 'reason'];
  const given = changing.find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--check and --${given} cannot be used together`);
}

/** Only rows that replace loaded ones can lose some. */
function refuseNeedlessAllowance(values: OptionValues): void {
  if (values['allow-loss'] === undefined || values['replace-loaded'] !== undefined) return;
  throw new UsageError(
    '--allow-loss needs --replace-loaded: otherwise no loaded rows are replaced',
  );
}

async function runCheck(given: DerivationSubject): Promise<CommandResult> {
  const checked: readonly CheckedDerivation[] = await checkDerived(given);
  const differs = checked.some(({ differences }) => differences.length > 0);
  const exitCode = differs ? EXIT.refused : EXIT.done;
  return { value: { datasets: checked }, text: linesText(checked.flatMap(linesOfCheck)), exitCode };
}

function choiceOf(values: OptionValues) {
  return {
    isStaleOnly: values.stale === true,
    replacesLoaded: values['replace-loaded'] === true,
    allowsLoss: values['allow-loss'] === true,
    reason: reasonOf(values),
  };
}

async function run(context: CommandContext, values: OptionValues, names: readonly string[]) {
  const { config, signal, onProgress, closing } = context;
  const isCheck = values.check === true;
  if (isCheck) refuseBesideCheck(values);
  refuseNeedlessAllowance(values);
  const catalog = openCatalog(config.home);
  const datasets = chosenDatasets(catalog, names, values.all === true);
  const dates = datesOf(values);
  const { lake } = await openHome(context);
  const engine = closing(await INSTALLED_ENGINE.openReader(config));
  const onSlice: DerivationSubject['onSlice'] = ({ textId }, done, total) =>
    onProgress(textId, done / Math.max(1, total));
  const given = { catalog, datasets, dates, lake, engine, signal, onSlice };
  return isCheck
    ? await runCheck(given)
    : await runDerivation(context, { ...given, ...choiceOf(values) });
}

export const deriveCommand: Command = {
  name: ['derive'],
  summary: 'compute bars, daily values and adjusted rows from the data that they come from',
  usage: '[<dataset...>]',
  options: {
    all: flag('all datasets that have a derivation, inputs first'),
    stale: flag('only what was never computed, or whose inputs or rules have changed since'),
    check: flag('publish nothing; compute again and report what differs from what is published'),
    from: option('DATE', 'only from this trade date on'),
    to: option('DATE', 'only up to this trade date'),
    'replace-loaded': flag('also compute days for which rows were loaded, which they replace'),
    'allow-loss': flag('replace loaded rows even if identifiers would have none left on a day'),
    reason: REASON_OPTION,
  },
  run,
};

async function runDerivation(
  context: CommandContext,
  given: Omit<DerivationRequest, 'onWait'>,
): Promise<Derived> {
  const audited = { operation: 'derive', datasetId: null, files: [], mode: 'derive', vendor: null };
  const report = await auditedLoad(context, audited, () =>
    derive({ ...given, onWait: context.onWait }),
  );
  const exitCode = report.state === 'refused' ? EXIT.refused : EXIT.done;
  return { value: report, text: derivationText(report), exitCode };
}

const WARNINGS_SHOWN = 5;
const PARTS_SHOWN = 3;

function warningLines(warnings: readonly string[]): string[] {
  const more = warnings.length - WARNINGS_SHOWN;
  return [
    ...warnings.slice(0, WARNINGS_SHOWN).map((text) => `  warning: ${printableLine(text)}`),
    ...(more > 0 ? [`  and ${counted(more, 'warning')} more (see --json)`] : []),
  ];
}

/** The days, months or years; nothing of a dataset that is one whole. */
function placesOf(keys: readonly string[]): string {
  const named = keys.filter((key) => /^\d/.test(key));
  if (named.length === 0) return '';
  return `: ${firstNames(named, PARTS_SHOWN)}`;
}

function linesOfDataset(dataset: DerivedDataset): string[] {
  const { datasetId, textId, computedPartCount, freshPartCount, loadedParts } = dataset;
  const loadedPartCount = loadedParts.length;
  const [rows, parts] = [counted(dataset.rowCount, 'row'), counted(computedPartCount, 'part')];
  const isWithoutRows = computedPartCount + freshPartCount + loadedPartCount === 0;
  const notes = [
    computedPartCount > 0 ? `${rows} from ${parts}` : 'nothing computed',
    ...(isWithoutRows ? dataset.emptyInputs.map((textId) => `${textId} has no rows`) : []),
    ...(freshPartCount > 0 ? [`${counted(freshPartCount, 'part')} up to date`] : []),
    ...(loadedPartCount > 0
      ? [
          `${counted(loadedPartCount, 'part')} left, where rows were loaded${placesOf(loadedParts)} (see --replace-loaded)`,
        ]
      : []),
  ];
  const head = `${datasetId} ${textId}: ${notes.join(', ')}`;
  return [head, ...warningLines(dataset.warnings), ...checkLines(dataset.checks)];
}

function endOf({ state, reason }: DerivationReport): string[] {
  if (state === 'refused') return [CHECKS_FAILED];
  return reason === null ? [] : [reason];
}

function derivationText(report: DerivationReport): string {
  return linesText([...report.datasets.flatMap(linesOfDataset), ...endOf(report)]);
}

function linesOfCheck({ datasetId, textId, comparedRowCount, differences }: CheckedDerivation) {
  const isNone = comparedRowCount === 0 && differences.length === 0;
  const compared = isNone ? 'nothing to compare' : `${counted(comparedRowCount, 'row')} compared`;
  const end = differences.length === 0 && !isNone ? ', all equal' : '';
  const head = `${datasetId} ${textId}: ${compared}${end}`;
  const found = differences.flatMap(({ what, rowCount, examples }) => [
    `  ${what}: ${counted(rowCount, 'row')}`,
    ...examples.map((example) => `    ${example}`),
  ]);
  return [head, ...found];
}

export const DERIVE_OPTION = {
  derive: flag(
    'then derive what the load has made stale (default: the setting TICKLAKE_DERIVE_AFTER_LOADS)',
  ),
};

/** Throws a `UsageError` where what is loaded does not count yet. */
export function derivesAfterLoads(
  { derive, into }: OptionValues,
  { deriveAfterLoads }: Pick<Config, 'deriveAfterLoads'>,
): boolean {
  if (derive === true && into !== undefined) {
    throw new UsageError(
      '--into and --derive cannot be used together: derive when the publication is committed',
    );
  }
  return into === undefined && (derive === true || deriveAfterLoads === 'on');
}

type Derived = Required<Omit<CommandResult, 'isReport'>> & { readonly value: DerivationReport };

/** Null where nothing comes from the datasets. The load stands, whatever becomes of this. */
export async function deriveFrom(
  context: CommandContext,
  catalog: Catalog,
  lake: Lake,
  textIds: Iterable<string>,
): Promise<Derived | null> {
  const datasets = dependentsOf(catalog, textIds);
  if (datasets.length === 0) return null;
  const engine = await INSTALLED_ENGINE.openReader(context.config);
  await using _engine = atEnd(() => engine.close());
  return await runDerivation(context, {
    ...{ catalog, datasets, lake, engine, signal: context.signal },
    ...{ dates: null, isStaleOnly: true, replacesLoaded: false },
    reason: `after a load of ${[...textIds].toSorted().join(', ')}`,
    onSlice: () => undefined,
  });
}

/** The result of a load, and of the derivation after it if `isDue`. */
export async function thenDerive(
  isDue: boolean,
  loaded: Required<Omit<CommandResult, 'isReport'>> & { readonly value: object },
  derive: () => Promise<Derived | null>,
): Promise<CommandResult> {
  const derived = isDue && loaded.exitCode === EXIT.done ? await derive() : null;
  if (derived === null) return loaded;
  return {
    value: { ...loaded.value, derivation: derived.value },
    text: `${loaded.text}${derived.text}`,
    exitCode: derived.exitCode,
  };
}
