/** Finds what is to be computed of a dataset, and notes in the ledger what its rows will come from. */
import type { Dataset } from '../catalog/dataset.ts';
import type { PublicationSource } from '../store/publications.ts';
import type { DerivationRun } from './derivation-run.ts';
import { gapsOf } from './input-gaps.ts';
import type { InputRows } from './input-rows.ts';
import { type JudgedUnit, judgeUnits, type Task } from './judge-units.ts';
import type { Warnings } from './warnings.ts';

/** Those that may be written, by label. */
async function writable(
  { output }: Task,
  run: DerivationRun,
  due: readonly JudgedUnit[],
): Promise<ReadonlySet<string>> {
  const parts = await run.rows.partsOf(output);
  const labels = new Set<string>();
  for (const unit of due) {
    const isKept = !run.replacesLoaded && (await run.loaded.mayBeIn(output, parts, unit));
    if (!isKept) labels.add(unit.label);
  }
  return labels;
}

/** How rows are computed, as the ledger keeps it: by which rule, with what, and from which versions. */
async function derivationText({ output }: Task, run: DerivationRun, { way }: JudgedUnit) {
  const { derivation, computation, inputs } = way;
  const versionOf = async ({ datasetId }: Dataset) =>
    run.written.has(datasetId) ? null : ((await run.lake.snapshot(datasetId))?.version ?? null);
  return JSON.stringify({
    computation: derivation.computation,
    rule_version: computation.ruleVersion,
    variant: output.variant,
    parameters: derivation.parameters ?? null,
    inputs: await Promise.all(
      inputs.map(async (input) => ({
        dataset_id: input.datasetId,
        dataset_version: await versionOf(input),
      })),
    ),
  });
}

/** What the ledger keeps of where the rows come from. */
async function noteLineage(task: Task, run: DerivationRun, units: readonly JudgedUnit[]) {
  const { datasetId } = task.output;
  const sources: PublicationSource[] = [];
  for (const unit of units) {
    const { label: name, part, lineage: sha256 } = unit;
    const derivation = await derivationText(task, run, unit);
    sources.push({ datasetId, name, byteCount: part?.byteCount ?? 0, sha256, derivation });
  }
  await run.publication.noteSources(sources);
  if (units.length > 0) run.written.add(datasetId);
}

/** Of those that all comes from, where nothing is there to compute from. */
async function emptyInputsOf({ ways }: Task, hasUnits: boolean, rows: InputRows) {
  const empty: string[] = [];
  const named = ways.flatMap(({ inputs }) => (hasUnits ? inputs : inputs.slice(0, 1)));
  for (const input of new Set(named)) {
    if ((await rows.partsOf(input)).length === 0) empty.push(input.textId);
  }
  return empty;
}

/** What of a dataset is to be computed. */
export interface Due {
  readonly judged: readonly JudgedUnit[];
  readonly dueCount: number;
  /** Those that are due and may be written. */
  readonly chosen: ReadonlySet<JudgedUnit>;
  /** Those that are due and may not, because of loaded rows. */
  readonly left: readonly JudgedUnit[];
  readonly emptyInputs: readonly string[];
  /** Dates that the dataset has rows of, among those of the chosen ones and between them. */
  readonly presentDates: readonly string[];
}

/** Of a dataset of which several units may be written at once. */
async function presentDates({ output }: Task, rows: InputRows, chosen: readonly JudgedUnit[]) {
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (!first || !last || first === last || output.dateColumn === null) return [];
  return await rows.datesOf(output, { start: first.dates.start, end: last.dates.end });
}

export async function findDue(task: Task, run: DerivationRun): Promise<Due> {
  const judged = await judgeUnits(task, { ...run, ledger: run.lake.ledger });
  const due = judged.filter(({ isStale }) => isStale || !run.isStaleOnly);
  const labels = await writable(task, run, due);
  const chosen = due.filter(({ label }) => labels.has(label));
  await noteLineage(task, run, chosen);
  const emptyInputs = await emptyInputsOf(task, judged.length > 0, run.rows);
  const present = await presentDates(task, run.rows, chosen);
  const left = due.filter(({ label }) => !labels.has(label));
  const rest = { left, emptyInputs, presentDates: present };
  return { judged, dueCount: due.length, chosen: new Set(chosen), ...rest };
}

/** Says what is missing of the inputs that something is computed from. */
export function warnOfMissing({ judged, chosen, emptyInputs }: Due, { add }: Warnings): void {
  const used = new Set([...chosen].flatMap(({ part, way }) => (part ? way.inputs : [])));
  for (const { textId } of used) {
    if (emptyInputs.includes(textId)) add(`${textId} has no rows; all is computed without them`);
  }
  const inputOfUnit = ({ way: { inputs } }: JudgedUnit) => inputs[0];
  for (const gap of gapsOf(inputOfUnit, judged, (unit) => chosen.has(unit))) add(gap);
}
