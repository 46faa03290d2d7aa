/** Finds what of a dataset is due: slices whose inputs or rules have changed. */
import { tradingDayAfter } from '@ticklake/market/calendars.ts';
import { UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { type DerivationWay, waysOf } from '../catalog/derivation.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Ledger } from '../store/ledger.ts';
import type { PublicationSource, PublishedSource } from '../store/publications.ts';
import type { Computation, ComputationInput, PreparedRows } from './computation.ts';
import { COMPUTATIONS } from './computations.ts';
import type { DerivationRun, Warnings } from './derivation-run.ts';
import type { InputRows } from './input-rows.ts';
import { inputsAsWide } from './input-widths.ts';
import {
  inOrderOfDates,
  keysOfDates,
  keysOfParts,
  latestSources,
  lineageOf,
  overlaps,
  type Slice,
  type Sources,
  slicesOf,
} from './slices.ts';

/** One way to compute a dataset's rows. */
interface Rule {
  readonly derivation: DerivationWay;
  readonly computation: Computation;
  readonly inputs: readonly [Dataset, ...Dataset[]];
}

/** A slice with the rule that computes it. */
export interface RuledSlice extends Slice {
  readonly rule: Rule;
}

/** A slice with what its rows come from now, and what they came from last. */
export interface CheckedSlice extends RuledSlice {
  /** SHA-256 of all that determines the rows, in hexadecimal. */
  readonly lineage: string;
  /** The source of the published rows; null: they were never computed. */
  readonly source: PublishedSource | null;
  readonly isStale: boolean;
}

/** The rules of a dataset, the preferred one first. */
function rulesOf(catalog: Catalog, { textId, derivation }: Dataset): [Rule, ...Rule[]] {
  if (!derivation) throw new Error(`${textId} is not derived`);
  const rules = waysOf(derivation).map((way) => ({
    derivation: way,
    computation: COMPUTATIONS[way.computation],
    inputs: way.inputs.map((textId) => catalog.byTextId(textId) as Dataset),
  }));
  return rules as unknown as [Rule, ...Rule[]];
}

/** Throws a `UsageError` for columns that an input lacks: definitions may name any dataset. */
function requireColumns(
  output: Dataset,
  { derivation: { computation } }: Rule,
  input: Dataset,
  names: readonly string[],
): void {
  const missing = names.find((name) => !input.columnByName.has(name));
  if (missing === undefined) return;
  throw new UsageError(
    `${output.textId} cannot be derived: ${computation} needs a column ${missing} of ${input.textId}`,
  );
}

/** Prepares the rows of a slice. */
export async function prepareRows(
  output: Dataset,
  rows: InputRows,
  { dates, rule }: Pick<RuledSlice, 'dates' | 'rule'>,
  warn: ComputationInput['warn'] = () => {},
): Promise<PreparedRows> {
  const read: ComputationInput['read'] = (input, columns, span) => {
    requireColumns(output, rule, input, columns);
    return rows.read(input, columns, span);
  };
  const inputs = inputsAsWide(output, rule.inputs);
  return await rule.computation.prepare({ output, inputs, dates, read, warn });
}

/** The slices of the preferred rule, and those of the other one on the dates that are left. */
async function ruledSlices(
  output: Dataset,
  [rule, otherwise]: readonly [Rule, ...Rule[]],
  rows: InputRows,
  sources: Sources,
): Promise<RuledSlice[]> {
  const parts = await rows.partsOf(rule.inputs[0]);
  const slices = slicesOf(output, rule.inputs[0], keysOfParts(parts), sources);
  const found = slices.map((slice) => ({ ...slice, rule }));
  if (!otherwise) return found;
  const [other] = otherwise.inputs;
  const keys = keysOfDates(await rows.partsOf(other), await rows.datesOf(other), parts);
  const further = slicesOf(output, other, keys, sources);
  return inOrderOfDates([...found, ...further.map((slice) => ({ ...slice, rule: otherwise }))]);
}

export interface SliceSearch {
  readonly catalog: Catalog;
  readonly ledger: Pick<Ledger, 'publishedSources'>;
  readonly rows: InputRows;
  /** Null: all dates that the inputs have. */
  readonly dates: DateSpan | null;
  readonly signal: AbortSignal;
}

/** The slices of a dataset on the dates, each checked whether its rows are stale. */
export async function checkSlices(
  output: Dataset,
  { catalog, ledger, rows, dates, signal }: SliceSearch,
): Promise<CheckedSlice[]> {
  const { variant } = output;
  const sources = latestSources(await ledger.publishedSources(output.datasetId));
  const checked: CheckedSlice[] = [];
  for (const slice of await ruledSlices(output, rulesOf(catalog, output), rows, sources)) {
    if (dates && !overlaps(slice.dates, dates)) continue;
    signal.throwIfAborted();
    const { computation, derivation } = slice.rule;
    const { referenceDigest } = await prepareRows(output, rows, slice);
    const { ruleVersion } = computation;
    const lineage = lineageOf({
      part: slice.part,
      rule: derivation,
      ruleVersion,
      variant,
      referenceDigest,
    });
    const source = sources.get(slice.label) ?? null;
    checked.push({ ...slice, lineage, source, isStale: source?.sha256 !== lineage });
  }
  return checked;
}

/** How rows are computed, for the ledger: rule, parameters and versions of the inputs. */
async function derivationText({ variant }: Dataset, run: DerivationRun, { rule }: RuledSlice) {
  const { derivation, computation, inputs } = rule;
  const versionOf = async ({ datasetId }: Dataset) =>
    run.written.has(datasetId) ? null : ((await run.lake.snapshot(datasetId))?.version ?? null);
  return JSON.stringify({
    computation: derivation.computation,
    rule_version: computation.ruleVersion,
    variant,
    parameters: derivation.parameters ?? null,
    inputs: await Promise.all(
      inputs.map(async (input) => ({
        dataset_id: input.datasetId,
        dataset_version: await versionOf(input),
      })),
    ),
  });
}

/** Notes in the ledger where the rows come from. */
async function noteLineage(output: Dataset, run: DerivationRun, slices: readonly CheckedSlice[]) {
  const { datasetId } = output;
  const sources: PublicationSource[] = [];
  for (const slice of slices) {
    const { label: name, part, lineage: sha256 } = slice;
    const derivation = await derivationText(output, run, slice);
    sources.push({ datasetId, name, byteCount: part?.byteCount ?? 0, sha256, derivation });
  }
  await run.publication.noteSources(sources);
  if (slices.length > 0) run.written.add(datasetId);
}

/** Text ids of inputs without rows; without slices, of the first input of each rule only. */
async function emptyInputsOf(
  output: Dataset,
  { catalog, rows }: DerivationRun,
  hasSlices: boolean,
): Promise<string[]> {
  const empty: string[] = [];
  const named = rulesOf(catalog, output).flatMap(({ inputs }) =>
    hasSlices ? inputs : inputs.slice(0, 1),
  );
  for (const input of new Set(named)) {
    if ((await rows.partsOf(input)).length === 0) empty.push(input.textId);
  }
  return empty;
}

/** Dates with rows from the first chosen slice to the last; none for a single slice. */
async function presentDates(output: Dataset, rows: InputRows, chosen: readonly Slice[]) {
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (!first || !last || first === last || output.dateColumn === null) return [];
  return await rows.datesOf(output, { start: first.dates.start, end: last.dates.end });
}

/** The slices of a dataset, and which of them to compute. */
export interface Due {
  readonly slices: readonly CheckedSlice[];
  readonly dueCount: number;
  /** Slices that are due and may be written. */
  readonly chosen: ReadonlySet<CheckedSlice>;
  /** Slices that are due and may not be written, because of loaded rows. */
  readonly kept: readonly CheckedSlice[];
  readonly emptyInputs: readonly string[];
  /** Dates that the dataset has rows of, among those of the chosen slices and between them. */
  readonly presentDates: readonly string[];
}

export async function findDue(output: Dataset, run: DerivationRun): Promise<Due> {
  const slices = await checkSlices(output, { ...run, ledger: run.lake.ledger });
  const due = slices.filter(({ isStale }) => isStale || !run.isStaleOnly);
  const parts = await run.rows.partsOf(output);
  const [chosen, kept]: [CheckedSlice[], CheckedSlice[]] = [[], []];
  for (const slice of due) {
    const isKept = !run.replacesLoaded && (await run.loaded.mayBeIn(output, parts, slice));
    (isKept ? kept : chosen).push(slice);
  }
  await noteLineage(output, run, chosen);
  return {
    slices,
    dueCount: due.length,
    chosen: new Set(chosen),
    kept,
    emptyInputs: await emptyInputsOf(output, run, slices.length > 0),
    presentDates: await presentDates(output, run.rows, chosen),
  };
}

function gapText({ textId, calendar }: Dataset, after: string, before: string): string | null {
  const first = tradingDayAfter(calendar, after);
  if (first >= before) return null;
  let [last, count] = [first, 1];
  for (let day = tradingDayAfter(calendar, first); day < before; count++) {
    last = day;
    day = tradingDayAfter(calendar, day);
  }
  return count === 1
    ? `${textId} has no rows on ${first}, a trading day`
    : `${textId} has no rows from ${first} to ${last}, ${count} trading days`;
}

/**
 * Trading days without rows beside the chosen slices, in words. Only slices of single days have
 * gaps: a month or year does not say which days it has.
 */
export function gapsOf<S extends Slice>(
  inputOf: (slice: S) => Dataset,
  slices: readonly S[],
  isChosen: (slice: S) => boolean,
): string[] {
  const days = slices.filter(({ part, dates }) => part !== null && dates.start === dates.end);
  return days.slice(1).flatMap((slice, i) => {
    const former = days[i] as S;
    if (!isChosen(slice) && !isChosen(former)) return [];
    return gapText(inputOf(slice), former.dates.end, slice.dates.start) ?? [];
  });
}

/** Warns of what is missing of the inputs that something is computed from. */
export function warnOfMissing({ slices, chosen, emptyInputs }: Due, { add }: Warnings): void {
  const used = new Set([...chosen].flatMap(({ part, rule }) => (part ? rule.inputs : [])));
  for (const { textId } of used) {
    if (emptyInputs.includes(textId)) add(`${textId} has no rows; all is computed without them`);
  }
  const inputOf = ({ rule: { inputs } }: CheckedSlice) => inputs[0];
  for (const gap of gapsOf(inputOf, slices, (slice) => chosen.has(slice))) add(gap);
}
