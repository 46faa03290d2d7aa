/** Computes what is due of one dataset and writes it into an open publication. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { cellText } from '../engine/cell-text.ts';
import { type ColumnBatch, type ColumnVector, cellAt } from '../engine/columns.ts';
import type { PartWriter } from '../engine/engine.ts';
import { requireRowRules } from '../ingest/row-rules.ts';
import type { CheckFinding, FoundValue, KeysOfRows } from '../lake/check-findings.ts';
import { vendorsByRows } from '../lake/current-parts.ts';
import { type DerivationRun, Warnings } from './derivation-run.ts';
import {
  type CheckedSlice,
  findDue,
  prepareRows,
  type RuledSlice,
  warnOfMissing,
} from './find-due.ts';
import type { LostIdentifiers } from './loaded-rows.ts';
import { groupsOf } from './slices.ts';

export interface DerivedDataset {
  readonly datasetId: string;
  readonly textId: string;
  /** Parts of the first input whose rows were computed. */
  readonly computedPartCount: number;
  /** Parts whose rows are as they were computed last. */
  readonly freshPartCount: number;
  /** Keys of parts that were not computed, because rows of their dates were loaded. */
  readonly loadedParts: readonly string[];
  readonly rowCount: number;
  readonly partitions: readonly string[];
  readonly checks: readonly CheckFinding[];
  /** Text ids of inputs without rows; of first inputs alone if nothing was to compute. */
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

/** The rows of a slice; none if its part is gone. */
async function* computeSlice(
  output: Dataset,
  { rows, signal }: DerivationRun,
  slice: RuledSlice,
  warn?: Warnings['add'],
): AsyncGenerator<ColumnBatch> {
  if (!slice.part) return;
  const prepared = await prepareRows(output, rows, slice, warn);
  for await (const batch of prepared.rows()) {
    signal.throwIfAborted();
    yield batch;
  }
}

async function* computeAgain(output: Dataset, run: DerivationRun, slices: readonly RuledSlice[]) {
  for (const slice of slices) yield* computeSlice(output, run, slice);
}

function keysAt(dataset: Dataset, { columns }: ColumnBatch, row: number): FoundValue[] {
  return dataset.naturalOrder.map((name) => {
    const at = dataset.columns.findIndex((column) => column.name === name);
    const cell = cellAt(columns[at] as ColumnVector, row);
    return { column: name, value: cellText(dataset.columns[at] as Column, cell, dataset.timeZone) };
  });
}

/**
 * The keys of computed rows that break a check: computed again, as few derivations have any.
 * `compute` gives the rows of a writer once more, in the same order.
 */
function recomputedKeys(dataset: Dataset, compute: () => AsyncIterable<ColumnBatch>): KeysOfRows {
  return {
    async find(rows) {
      const found = new Map<number, FoundValue[]>();
      let first = 0;
      for await (const batch of compute()) {
        const end = first + batch.rowCount;
        for (const row of rows) {
          if (row >= first && row < end) found.set(row, keysAt(dataset, batch, row - first));
        }
        if (found.size === rows.length) break;
        first = end;
      }
      return found;
    },
  };
}

/** The rows that the slices replace: on their dates, or all of a dataset that is one whole. */
function replacedBy({ partitioning }: Dataset, slices: readonly RuledSlice[]) {
  const [first, last] = [slices[0], slices.at(-1)] as [RuledSlice, RuledSlice];
  const dates = { start: first.dates.start, end: last.dates.end };
  return { dates: partitioning.unit === 'whole' ? null : dates, identifiers: null };
}

/** Writes the writer's rows in place of the published ones. */
async function writeRows(
  output: Dataset,
  run: DerivationRun,
  slices: readonly RuledSlice[],
  writer: PartWriter,
): Promise<Omit<Written, 'warnings'>> {
  const { publication } = run;
  const removed = replacedBy(output, slices);
  const keys = await writer.partitionKeys();
  if (keys.length === 0) {
    // Else the same ticks without rows would be due again and again.
    const withdrawal = { ...removed, partitions: null, makesVersion: true };
    const { partitions } = await publication.withdraw(output, writer, withdrawal);
    return { rowCount: 0, partitions, findings: [] };
  }
  let rowCount = 0;
  for (const key of keys) rowCount += await writer.rowCount(key);
  const vendor = vendorsByRows(slices.flatMap(({ part }) => part ?? [])).join(', ');
  const place = removed.dates
    ? { mode: 'append' as const, removed }
    : { mode: 'replace-all' as const };
  const rowKeys = recomputedKeys(output, () => computeAgain(output, run, slices));
  const options = { dataset: output, ...place, vendor, rowKeys };
  const { partitions, findings } = await publication.write(options, writer);
  return { rowCount, partitions, findings };
}

/** The identifiers whose loaded rows may not go without computed ones; null: all may. */
async function replacedIdentifiers(
  output: Dataset,
  { replacesLoaded, allowsLoss, lake, loaded }: DerivationRun,
  slice: CheckedSlice,
): Promise<LostIdentifiers | null> {
  if (!replacesLoaded || allowsLoss) return null;
  const parts = await lake.publishedParts(output.datasetId);
  return await loaded.replacedIdentifiers(output, parts, slice);
}

/** Neighbouring slices, which are written together. */
interface SliceGroup {
  readonly slices: readonly CheckedSlice[];
  /** Resolves when those before them are written. */
  readonly before: Promise<unknown>;
  readonly onSlice: () => void;
}

async function writeGroup(
  output: Dataset,
  run: DerivationRun,
  { slices, before, onSlice }: SliceGroup,
): Promise<Written> {
  const warnings = new Warnings();
  const writer = await run.lake.openWriter(output, run.signal, run.pool.size);
  try {
    for (const slice of slices) {
      onSlice();
      const lost = await replacedIdentifiers(output, run, slice);
      for await (const batch of computeSlice(output, run, slice, warnings.add)) {
        requireRowRules(output, batch);
        lost?.addComputed(batch);
        await writer.append(batch);
        batch.release?.();
      }
      const refusal = lost?.refusal();
      if (refusal) {
        // If several days lose rows, the first one is told.
        await before;
        throw refusal;
      }
    }
    await before;
    return { ...(await writeRows(output, run, slices, writer)), warnings: warnings.texts };
  } finally {
    await writer.close();
  }
}

/** While the rows of one group are written, those of the next one are computed. */
async function writeGroups(
  output: Dataset,
  run: DerivationRun,
  groups: readonly (readonly CheckedSlice[])[],
  onSlice: () => void,
): Promise<Written[]> {
  let last: Promise<unknown> = Promise.resolve();
  const written = groups.map((slices) => {
    const before = last;
    const group = run.pool.run(() => writeGroup(output, run, { slices, before, onSlice }));
    last = group;
    return group;
  });
  return await run.pool.all(written);
}

/** Computes what is due of one dataset, after those that it is computed from. */
export async function deriveDataset(run: DerivationRun, output: Dataset): Promise<DerivedDataset> {
  const due = await run.pool.run(() => findDue(output, run));
  const { slices, dueCount, chosen, kept, emptyInputs, presentDates } = due;
  let done = 0;
  const onSlice = () => run.onSlice(output, done++, chosen.size);
  const groups = groupsOf(slices, (slice) => chosen.has(slice), presentDates);
  const written = await writeGroups(output, run, groups, onSlice);
  const warnings = new Warnings();
  warnOfMissing(due, warnings);
  for (const text of written.flatMap((group) => group.warnings)) warnings.add(text);
  return {
    datasetId: output.datasetId,
    textId: output.textId,
    computedPartCount: chosen.size,
    freshPartCount: slices.length - dueCount,
    loadedParts: kept.map(({ key }) => key),
    rowCount: written.reduce((sum, { rowCount }) => sum + rowCount, 0),
    partitions: [...new Set(written.flatMap(({ partitions }) => partitions))].sort(),
    checks: written.flatMap(({ findings }) => findings),
    emptyInputs,
    warnings: warnings.texts,
  };
}
