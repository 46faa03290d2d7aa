/** Finds what is due of a dataset: what its rows come from now, and what they came from last. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { Derivation } from '../catalog/derivation.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Ledger } from '../store/publications.ts';
import type { Computation, ComputationInput } from './computation.ts';
import { COMPUTATIONS } from './computations.ts';
import type { InputRows } from './input-rows.ts';
import {
  type DerivationUnit,
  type JudgedUnit,
  latestSources,
  lineageOf,
  overlaps,
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

/** A dataset with how it is computed. */
export interface Task {
  readonly output: Dataset;
  readonly derivation: Derivation;
  readonly computation: Computation;
  readonly inputs: readonly [Dataset, ...Dataset[]];
}

export function taskOf(catalog: Catalog, output: Dataset): Task {
  const { derivation } = output;
  if (!derivation) throw new Error(`${output.textId} is not derived`);
  const inputs = derivation.inputs.map((textId) => catalog.byTextId(textId) as Dataset);
  const computation = COMPUTATIONS[derivation.computation];
  return { output, derivation, computation, inputs: inputs as unknown as Task['inputs'] };
}

export function inputOf(
  { output, inputs }: Task,
  rows: InputRows,
  { dates }: DerivationUnit,
  warn: ComputationInput['warn'] = () => {},
): ComputationInput {
  const read: ComputationInput['read'] = (...asked) => rows.read(...asked);
  return { output, inputs, dates, read, warn };
}

/** Says of each unit whether it is due. */
export async function judgeUnits(task: Task, search: UnitSearch): Promise<JudgedUnit[]> {
  const { output, inputs, derivation, computation } = task;
  const sources = latestSources(await search.ledger.publishedSources(output.datasetId));
  const parts = await search.rows.partsOf(inputs[0]);
  const judged: JudgedUnit[] = [];
  for (const unit of unitsOf(output, inputs[0], parts, sources)) {
    if (search.dates && !overlaps(unit.dates, search.dates)) continue;
    search.signal.throwIfAborted();
    const { mark } = await computation.prepare(inputOf(task, search.rows, unit));
    const lineage = lineageOf(unit, derivation, output, computation.ruleVersion, mark);
    const source = sources.get(unit.label) ?? null;
    judged.push({ ...unit, lineage, source, isStale: source?.sha256 !== lineage });
  }
  return judged;
}
