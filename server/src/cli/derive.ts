/** `ticklake derive`: computes datasets from those that they are derived from. */
import { UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { type CheckedDerivation, checkDerived } from '../derive/check-derived.ts';
import type { DerivationSubject } from '../derive/derive.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { isCalendarDate } from '../request/literals.ts';
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
import { checkText, runDerivation } from './derive-after-loads.ts';
import { REASON_OPTION, reasonOf } from './load-options.ts';

function derivable({ datasets }: Catalog): Dataset[] {
  return datasets.filter(({ derivation }) => derivation !== null);
}

function datasetNamed(catalog: Catalog, name: string): Dataset {
  const dataset = catalog.byTextId(name) ?? catalog.byId(name);
  if (!dataset) throw new UsageError(`there is no dataset ${name}; see ticklake datasets`);
  if (dataset.derivation) return dataset;
  const legal = derivable(catalog).map(({ textId }) => textId);
  throw new UsageError(`${name} is loaded, not derived; derived are ${legal.join(', ')}`);
}

function chosenDatasets(catalog: Catalog, names: readonly string[], isAll: boolean): Dataset[] {
  if (isAll && names.length > 0) throw new UsageError('give datasets or --all, not both');
  if (!isAll && names.length === 0) {
    throw new UsageError('name a dataset, or give --all: ticklake derive [<dataset...>] [--all]');
  }
  return isAll ? derivable(catalog) : names.map((name) => datasetNamed(catalog, name));
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
  return { value: { datasets: checked }, text: checkText(checked), exitCode };
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
  const { config, clock, signal, progress, closing } = context;
  const isCheck = values.check === true;
  if (isCheck) refuseBesideCheck(values);
  refuseNeedlessAllowance(values);
  const catalog = openCatalog(config.home);
  const datasets = chosenDatasets(catalog, names, values.all === true);
  const dates = datesOf(values);
  const lake = closing(await openLake(config, clock));
  const engine = closing(await INSTALLED_ENGINE.openReader(config));
  const onSlice: DerivationSubject['onSlice'] = ({ textId }, done, total) =>
    progress.update(textId, done / Math.max(1, total));
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
