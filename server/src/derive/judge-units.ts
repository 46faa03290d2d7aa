/** Finds what is due of a dataset: what its rows come from now, and what they came from last. */
import { UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { type DerivationWay, waysOf } from '../catalog/derivation.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Ledger, PublishedSource } from '../store/publications.ts';
import type { Computation, ComputationInput } from './computation.ts';
import { COMPUTATIONS } from './computations.ts';
import type { InputRows } from './input-rows.ts';
import {
  type DatedUnit,
  dateUnits,
  inOrderOfDates,
  latestSources,
  lineageOf,
  overlaps,
  partUnits,
  unitsOf,
} from './units.ts';

/** Where units are looked for, and which. */
export interface UnitSearch {
  readonly catalog: Catalog;
  readonly ledger: Pick<Ledger, 'publishedSources'>;
  readonly rows: InputRows;
  /** Null: all dates that the inputs have. */
  readonly dates: DateSpan | null;
  readonly signal: AbortSignal;
}

/** One way to compute a dataset's rows. */
export interface Way {
  readonly derivation: DerivationWay;
  readonly computation: Computation;
  readonly inputs: readonly [Dataset, ...Dataset[]];
}

/** A dataset with how it is computed, the preferred way first. */
export interface Task {
  readonly output: Dataset;
  readonly ways: readonly [Way, ...Way[]];
}

/** A unit with the way in which it is computed. */
export interface JudgedUnit extends DatedUnit {
  readonly way: Way;
}

export function taskOf(catalog: Catalog, output: Dataset): Task {
  const { derivation } = output;
  if (!derivation) throw new Error(`${output.textId} is not derived`);
  const ways = waysOf(derivation).map((way) => ({
    derivation: way,
    computation: COMPUTATIONS[way.computation],
    inputs: way.inputs.map((textId) => catalog.byTextId(textId) as Dataset),
  }));
  return { output, ways: ways as unknown as Task['ways'] };
}

/** Throws a `UsageError` for columns that an input does not have: definitions are free to name any dataset. */
function requireColumns(
  { textId }: Dataset,
  { derivation: { computation } }: Way,
  input: Dataset,
  names: readonly string[],
): void {
  const missing = names.find((name) => !input.columnByName.has(name));
  if (missing === undefined) return;
  throw new UsageError(
    `${textId} cannot be derived: ${computation} needs a column ${missing} of ${input.textId}`,
  );
}

export function inputOf(
  { output }: Task,
  rows: InputRows,
  { dates, way }: Pick<JudgedUnit, 'dates' | 'way'>,
  warn: ComputationInput['warn'] = () => {},
): ComputationInput {
  const read: ComputationInput['read'] = (input, columns, span) => {
    requireColumns(output, way, input, columns);
    return rows.read(input, columns, span);
  };
  return { output, inputs: way.inputs, dates, read, warn };
}

type Sources = ReadonlyMap<string, PublishedSource>;

/** Those of the preferred way, and those of the other one on the dates that are left. */
async function unitsOfWays({ output, ways }: Task, { rows }: UnitSearch, sources: Sources) {
  const [{ inputs }, otherwise] = ways;
  const parts = await rows.partsOf(inputs[0]);
  const units = unitsOf(output, inputs[0], partUnits(parts), sources);
  const found = units.map((unit) => ({ ...unit, way: ways[0] }));
  if (!otherwise) return found;
  const [other] = otherwise.inputs;
  const dated = dateUnits(await rows.partsOf(other), await rows.datesOf(other), parts);
  const further = unitsOf(output, other, dated, sources);
  return inOrderOfDates([...found, ...further.map((unit) => ({ ...unit, way: otherwise }))]);
}

/** Says of each unit whether it is due. */
export async function judgeUnits(task: Task, search: UnitSearch): Promise<JudgedUnit[]> {
  const { output } = task;
  const sources = latestSources(await search.ledger.publishedSources(output.datasetId));
  const judged: JudgedUnit[] = [];
  for (const unit of await unitsOfWays(task, search, sources)) {
    if (search.dates && !overlaps(unit.dates, search.dates)) continue;
    search.signal.throwIfAborted();
    const { computation, derivation } = unit.way;
    const { mark } = await computation.prepare(inputOf(task, search.rows, unit));
    const lineage = lineageOf(unit, derivation, output, computation.ruleVersion, mark);
    const source = sources.get(unit.label) ?? null;
    judged.push({ ...unit, lineage, source, isStale: source?.sha256 !== lineage });
  }
  return judged;
}
