/** Computes what is due of one dataset and writes it into an open publication. */
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { PartWriter } from '../engine/engine.ts';
import { requireRowRules } from '../ingest/row-rules.ts';
import type { CheckFinding } from '../lake/check-findings.ts';
import { vendorsByRows } from '../lake/current-parts.ts';
import type { DerivationRun } from './derivation-run.ts';
import { findDue, warnOfMissing } from './find-due.ts';
import { inputOf, type JudgedUnit, type Task, taskOf } from './judge-units.ts';
import { replacedIdentifiers } from './lost-identifiers.ts';
import { recomputedKeys } from './recomputed-keys.ts';
import { groupsOf } from './units.ts';
import { Warnings } from './warnings.ts';

export interface DerivedDataset {
  readonly datasetId: string;
  readonly textId: string;
  /** Parts of the first input whose rows were computed. */
  readonly computedPartCount: number;
  /** Those that are as they were computed last. */
  readonly freshPartCount: number;
  /** Keys of those on whose dates there are rows that were loaded. */
  readonly loadedParts: readonly string[];
  readonly rowCount: number;
  readonly partitions: readonly string[];
  readonly checks: readonly CheckFinding[];
  /** Text ids of inputs that have no rows; where nothing could be computed, of those that all comes from. */
  readonly emptyInputs: readonly string[];
  /** Rows that could not be computed, or of inputs that may be wrong, in words. */
  readonly warnings: readonly string[];
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
      const lost = await replacedIdentifiers(run, task.output, unit);
      for await (const batch of computeUnit(task, run, unit, warnings.add)) {
        requireRowRules(task.output, batch);
        lost?.addComputed(batch);
        await writer.append(batch);
      }
      const refusal = lost?.refusal();
      if (refusal) {
        // Of several days, the first one is told.
        await areBeforeWritten;
        throw refusal;
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

/** Computes what is due of one dataset, after those that it is computed from. */
export async function deriveDataset(run: DerivationRun, output: Dataset): Promise<DerivedDataset> {
  const task = taskOf(run.catalog, output);
  const due = await run.turns.run(() => findDue(task, run));
  const { judged, dueCount, chosen, left, emptyInputs } = due;
  let done = 0;
  const onUnit = () => run.onUnit(output, done++, chosen.size);
  const groups = groupsOf(judged, (unit) => chosen.has(unit), due.presentDates);
  const written = await writeGroups(task, run, groups, onUnit);
  const warnings = new Warnings();
  warnOfMissing(due, warnings);
  for (const text of written.flatMap((group) => group.warnings)) warnings.add(text);
  return {
    ...{ datasetId: output.datasetId, textId: output.textId },
    computedPartCount: chosen.size,
    freshPartCount: judged.length - dueCount,
    loadedParts: left.map(({ key }) => key),
    rowCount: written.reduce((sum, { rowCount }) => sum + rowCount, 0),
    partitions: [...new Set(written.flatMap(({ partitions }) => partitions))].sort(),
    checks: written.flatMap(({ findings }) => findings),
    emptyInputs,
    warnings: warnings.texts,
  };
}
