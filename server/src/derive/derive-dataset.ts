/** Computes what is due of one dataset and writes it into an open publication. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { requireRowRules } from '../ingest/row-rules.ts';
import type { CheckFinding } from '../lake/check-findings.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication } from '../lake/publication.ts';
import { vendorsByRows } from '../lake/vendors.ts';
import type { PublicationSource } from '../store/publications.ts';
import { gapsOf } from './input-gaps.ts';
import type { InputRows } from './input-rows.ts';
import { inputOf, type JudgedUnit, judgeUnits, type Task, taskOf } from './judge-units.ts';
import type { LoadedRows } from './loaded-rows.ts';
import { recomputedKeys } from './recomputed-keys.ts';
import type { Turns } from './turns.ts';
import { groupsOf } from './units.ts';
import { Warnings } from './warnings.ts';

/** What of the datasets is computed. */
export interface DerivationChoice {
  /** Null: all dates that the inputs have. */
  readonly dates: DateSpan | null;
  /** Only what was never computed, or from something else than there is now. */
  readonly isStaleOnly: boolean;
  /** Computed rows take the place of loaded ones, too. */
  readonly replacesLoaded: boolean;
}

export interface DerivationRun extends DerivationChoice {
  readonly catalog: Catalog;
  readonly lake: Lake;
  readonly publication: OpenPublication;
  readonly rows: InputRows;
  readonly loaded: LoadedRows;
  /** Datasets that the publication makes a version of, by id. */
  readonly written: Set<string>;
  readonly turns: Turns;
  readonly signal: AbortSignal;
  /** Called before each unit: which one, and how much of the dataset is done. */
  readonly onUnit: (dataset: Dataset, done: number, total: number) => void;
}

export interface DerivedDataset {
  readonly datasetId: string;
  readonly textId: string;
  /** Parts of the first input whose rows were computed. */
  readonly computedPartCount: number;
  /** Those that are as they were computed last. */
  readonly freshPartCount: number;
  /** Those on whose dates there are rows that were loaded. */
  readonly loadedPartCount: number;
  readonly rowCount: number;
  readonly partitions: readonly string[];
  readonly checks: readonly CheckFinding[];
  /** Text ids of inputs that have no rows; where nothing could be computed, of those that all comes from. */
  readonly emptyInputs: readonly string[];
  /** Rows that could not be computed, or of inputs that may be wrong, in words. */
  readonly warnings: readonly string[];
}

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

interface Written {
  readonly rowCount: number;
  readonly partitions: readonly string[];
  readonly findings: readonly CheckFinding[];
  readonly warnings: readonly string[];
}

async function* computeUnit(
  task: Task,
  { rows, signal }: DerivationRun,
  unit: JudgedUnit,
  warn?: Warnings['add'],
): AsyncGenerator<ColumnBatch> {
  if (!unit.part) return;
  const prepared = await unit.way.computation.prepare(inputOf(task, rows, unit, warn));
  for await (const batch of prepared.rows()) {
    signal.throwIfAborted();
    yield batch;
  }
}

async function* computeAgain(task: Task, run: DerivationRun, units: readonly JudgedUnit[]) {
  for (const unit of units) yield* computeUnit(task, run, unit);
}

/** The rows that those of the units take the place of: on their dates, or all of a dataset that is one whole. */
function replacedBy({ partitioning }: Dataset, units: readonly JudgedUnit[]) {
  const [first, last] = [units[0], units.at(-1)] as [JudgedUnit, JudgedUnit];
  const dates = { start: first.dates.start, end: last.dates.end };
  return { dates: partitioning.unit === 'whole' ? null : dates, identifiers: null };
}

/** Has the writer's rows take the place of others. */
async function writeRows(
  task: Task,
  run: DerivationRun,
  units: readonly JudgedUnit[],
  writer: PartWriter,
): Promise<Omit<Written, 'warnings'>> {
  const { output } = task;
  const { publication } = run;
  const removed = replacedBy(output, units);
  const keys = await writer.partitionKeys();
  if (keys.length === 0) {
    // Else the same ticks without rows would be due again and again.
    const withdrawal = { ...removed, partitions: null, makesVersion: true };
    const { partitions } = await publication.withdraw(output, writer, withdrawal);
    return { rowCount: 0, partitions, findings: [] };
  }
  let rowCount = 0;
  for (const key of keys) rowCount += await writer.rowCount(key);
  const vendor = vendorsByRows(units.flatMap(({ part }) => part ?? [])).join(', ');
  const place = removed.dates
    ? { mode: 'append' as const, removed }
    : { mode: 'replace-all' as const };
  const rowKeys = recomputedKeys(output, () => computeAgain(task, run, units));
  const options = { dataset: output, ...place, vendor, rowKeys };
  const { partitions, findings } = await publication.write(options, writer);
  return { rowCount, partitions, findings };
}

/** Computes neighbouring units and, once those before them are written, writes their rows. */
async function writeGroup(
  task: Task,
  run: DerivationRun,
  units: readonly JudgedUnit[],
  areBeforeWritten: Promise<unknown>,
  onUnit: () => void,
): Promise<Written> {
  const warnings = new Warnings();
  const { writersMax } = run.turns;
  const writer = await run.lake.openWriter(task.output, run.signal, writersMax);
  try {
    for (const unit of units) {
      onUnit();
      for await (const batch of computeUnit(task, run, unit, warnings.add)) {
        requireRowRules(task.output, batch);
        await writer.append(batch);
      }
    }
    await areBeforeWritten;
    return { ...(await writeRows(task, run, units, writer)), warnings: warnings.texts };
  } finally {
    await writer.close();
  }
}

/** While the rows of one group are written, those of the next one are computed. */
async function writeGroups(
  task: Task,
  run: DerivationRun,
  groups: readonly (readonly JudgedUnit[])[],
  onUnit: () => void,
): Promise<Written[]> {
  let areBeforeWritten: Promise<unknown> = Promise.resolve();
  const written = groups.map((units) => {
    const before = areBeforeWritten;
    const group = run.turns.run(() => writeGroup(task, run, units, before, onUnit));
    areBeforeWritten = group;
    return group;
  });
  return await run.turns.all(written);
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
interface Due {
  readonly judged: readonly JudgedUnit[];
  readonly dueCount: number;
  /** Those that are due and may be written. */
  readonly chosen: ReadonlySet<JudgedUnit>;
  readonly emptyInputs: readonly string[];
}

async function findDue(task: Task, run: DerivationRun): Promise<Due> {
  const judged = await judgeUnits(task, { ...run, ledger: run.lake.ledger });
  const due = judged.filter(({ isStale }) => isStale || !run.isStaleOnly);
  const labels = await writable(task, run, due);
  const chosen = due.filter(({ label }) => labels.has(label));
  await noteLineage(task, run, chosen);
  const emptyInputs = await emptyInputsOf(task, judged.length > 0, run.rows);
  return { judged, dueCount: due.length, chosen: new Set(chosen), emptyInputs };
}

/** Says what is missing of the inputs that something is computed from. */
function warnOfMissing({ judged, chosen, emptyInputs }: Due, { add }: Warnings): void {
  const used = new Set([...chosen].flatMap(({ part, way }) => (part ? way.inputs : [])));
  for (const { textId } of used) {
    if (emptyInputs.includes(textId)) add(`${textId} has no rows; all is computed without them`);
  }
  const inputOfUnit = ({ way: { inputs } }: JudgedUnit) => inputs[0];
  for (const gap of gapsOf(inputOfUnit, judged, (unit) => chosen.has(unit))) add(gap);
}

/** Computes what is due of one dataset, after those that it is computed from. */
export async function deriveDataset(run: DerivationRun, output: Dataset): Promise<DerivedDataset> {
  const task = taskOf(run.catalog, output);
  const due = await run.turns.run(() => findDue(task, run));
  const { judged, dueCount, chosen, emptyInputs } = due;
  let done = 0;
  const onUnit = () => run.onUnit(output, done++, chosen.size);
  const groups = groupsOf(judged, (unit) => chosen.has(unit));
  const written = await writeGroups(task, run, groups, onUnit);
  const warnings = new Warnings();
  warnOfMissing(due, warnings);
  for (const text of written.flatMap((group) => group.warnings)) warnings.add(text);
  return {
    ...{ datasetId: output.datasetId, textId: output.textId },
    computedPartCount: chosen.size,
    freshPartCount: judged.length - dueCount,
    loadedPartCount: dueCount - chosen.size,
    rowCount: written.reduce((sum, { rowCount }) => sum + rowCount, 0),
    partitions: [...new Set(written.flatMap(({ partitions }) => partitions))].sort(),
    checks: written.flatMap(({ findings }) => findings),
    emptyInputs,
    warnings: warnings.texts,
  };
}
