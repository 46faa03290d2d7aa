/** Derives what a load has made stale. */
import { UsageError } from '../base/errors.ts';
import { counted, firstNames, printableLine } from '../base/printable.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { CheckedDerivation } from '../derive/check-derived.ts';
import { dependentsOf } from '../derive/derivation-graph.ts';
import { type DerivationReport, type DerivationRequest, derive } from '../derive/derive.ts';
import type { DerivedDataset } from '../derive/derive-dataset.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import type { Lake } from '../lake/lake.ts';
import type { Config } from '../settings/config.ts';
import { auditedLoad } from './audited-ingest.ts';
import {
  type CommandContext,
  type CommandResult,
  EXIT,
  flag,
  type OptionValues,
} from './command.ts';
import { CHECKS_FAILED, checkLines, linesText } from './text.ts';

export async function runDerivation(
  context: CommandContext,
  given: Omit<DerivationRequest, 'onWait'>,
): Promise<Derived> {
  const request = {
    ...given,
    onWait: () => void context.stderr.write('waiting until another publication has ended\n'),
  };
  const audited = { operation: 'derive', datasetId: null, files: [], mode: 'derive', vendor: null };
  const report = await auditedLoad(context, audited, () => derive(request));
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

export function derivationText(report: DerivationReport): string {
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

export function checkText(checked: readonly CheckedDerivation[]): string {
  return linesText(checked.flatMap(linesOfCheck));
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

type Derived = Required<CommandResult> & { readonly value: DerivationReport };

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
  try {
    return await runDerivation(context, {
      ...{ catalog, datasets, lake, engine, signal: context.signal },
      ...{ dates: null, isStaleOnly: true, replacesLoaded: false },
      reason: `after a load of ${[...textIds].toSorted().join(', ')}`,
      onSlice: () => undefined,
    });
  } finally {
    await engine.close();
  }
}

/** The result of a load, and of the derivation after it if `isDue`. */
export async function thenDerive(
  isDue: boolean,
  loaded: Required<CommandResult> & { readonly value: object },
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
