/** Losses of partitions whose published rows are replaced by new ones. */

import { AllowanceMissing } from '../base/errors.ts';
import { counted } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartComparison, PartStorage, PartWriter } from '../engine/engine.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import type { CurrentParts } from './current-parts.ts';
import { type Placing, removedOf } from './publication-options.ts';

type Losses = Omit<PartComparison, 'rowCount' | 'removedRowCount' | 'isRepeated'>;

/** A partition before and after a publication, and what it loses. */
export interface PartitionComparison extends Losses {
  readonly key: string;
  readonly rowCountBefore: number;
  readonly rowCountAfter: number;
  /** Rows that stood there before and stand there no more. */
  readonly replacedRowCount: number;
  /** True if it would have the same rows, from the same vendor. */
  readonly isRepeated: boolean;
}

type PublishedPart = Pick<IndexedPart, 'location' | 'rowCount' | 'storedByteCount' | 'vendors'>;

interface PublishedParts {
  /** Null: the partition has no rows. */
  partOf(key: string): PublishedPart | null;
}

const NO_LOSSES: Losses & { readonly isRepeated: boolean } = {
  isRepeated: false,
  ...{ lostDateCount: 0, lostDates: [] },
  ...{ lostIdentifierCount: 0, lostIdentifiers: [], lostOnDate: null },
  mostLost: null,
};

/** Rows of a writer, and the partitions that they would go to. */
export interface ComparedRows {
  readonly options: Placing & { readonly vendor?: string | undefined };
  readonly writer: PartWriter;
  readonly keys: readonly string[];
  readonly current: PublishedParts;
}

/** How many rows of the published part, and of which dates and identifiers, go in each mode. */
async function compareKey(
  storage: Pick<PartStorage, 'findDamage'>,
  { options, writer, current }: ComparedRows,
  key: string,
): Promise<PartitionComparison> {
  const part = current.partOf(key);
  const rowCountBefore = part?.rowCount ?? 0;
  const none = { key, rowCountBefore, ...NO_LOSSES };
  if (!part) return { ...none, rowCountAfter: await writer.rowCount(key), replacedRowCount: 0 };
  const removed = removedOf(options);
  // A part that cannot be read must not keep rows from taking its place.
  if (removed === null && (await storage.findDamage(part)) !== null) {
    const rowCountAfter = await writer.rowCount(key);
    const mostLost = { date: null, rowCountBefore, rowCountAfter };
    return { ...none, rowCountAfter, replacedRowCount: rowCountBefore, mostLost };
  }
  const { rowCount, removedRowCount, ...losses } = await writer.compare(key, part, removed);
  const { vendor } = options;
  const isRepeated = losses.isRepeated && (!vendor || part.vendors.includes(vendor));
  const rowCountAfter = rowCountBefore - removedRowCount + rowCount;
  const counts = { rowCountBefore, rowCountAfter, replacedRowCount: removedRowCount };
  return { key, ...counts, ...losses, isRepeated };
}

/** The partitions of the writer's rows, each compared with what is published of it. */
export async function comparePartitions(
  storage: Pick<PartStorage, 'findDamage'>,
  rows: ComparedRows,
): Promise<PartitionComparison[]> {
  const compared: PartitionComparison[] = [];
  for (const key of rows.keys) compared.push(await compareKey(storage, rows, key));
  return compared;
}

/** The partitions that go when those of the keys are all of the dataset. */
export function droppedPartitions(
  keys: readonly string[],
  { parts }: Pick<CurrentParts, 'parts'>,
): PartitionComparison[] {
  const dropped = parts.filter(({ key }) => !keys.includes(key));
  return dropped.map(({ key, rowCount }) => ({
    ...{ key, ...NO_LOSSES, rowCountBefore: rowCount, rowCountAfter: 0 },
    replacedRowCount: rowCount,
    mostLost: { date: null, rowCountBefore: rowCount, rowCountAfter: 0 },
  }));
}

/** The first of more than are shown. */
export function shownOf(shown: readonly string[], count: number): string {
  return `${shown.join(', ')}${count > shown.length ? ', …' : ''}`;
}

function partitionLoss(compared: PartitionComparison, lossPercentMax: number): string | null {
  const { key, lostDateCount, lostDates, lostIdentifierCount, lostIdentifiers } = compared;
  const { lostOnDate, mostLost } = compared;
  const isOther = (date: string | null) => date !== null && date !== key;
  if (lostDateCount > 0) {
    const dates = shownOf(lostDates, lostDateCount);
    return `lose all rows of ${counted(lostDateCount, 'date')}: ${dates}`;
  }
  if (lostIdentifierCount > 0) {
    const where = isOther(lostOnDate) ? ` on ${lostOnDate}` : '';
    const lost = counted(lostIdentifierCount, 'identifier');
    return `lose ${lost}, such as ${lostIdentifiers[0]}${where}`;
  }
  if (!mostLost) return null;
  const { date, rowCountBefore, rowCountAfter } = mostLost;
  if (rowCountBefore - rowCountAfter <= (rowCountBefore * lossPercentMax) / 100) return null;
  const isPart = rowCountBefore < compared.rowCountBefore;
  const where = date === null && isPart ? ' without a date' : isOther(date) ? ` of ${date}` : '';
  const before = rowCountBefore.toLocaleString('en-US');
  return `have ${counted(rowCountAfter, 'row')}${where} in place of ${before}`;
}

/** The loss in words; null if it is no more than allowed. */
export function lossText(
  { textId }: Pick<Dataset, 'textId'>,
  compared: readonly PartitionComparison[],
  lossPercentMax: number,
): string | null {
  for (const each of compared) {
    const loss = partitionLoss(each, lossPercentMax);
    if (loss !== null) return `partition ${each.key} of ${textId} would ${loss}`;
  }
  return null;
}

/**
 * Throws an `AllowanceMissing` where a partition loses more than it may; undefined: it may lose
 * anything.
 */
export function requireFewLosses(
  dataset: Dataset,
  compared: readonly PartitionComparison[],
  lossPercentMax: number | undefined,
): void {
  if (lossPercentMax === undefined) return;
  const text = lossText(dataset, compared, lossPercentMax);
  if (text !== null) throw new AllowanceMissing(text, 'allow_loss');
}

export interface Repeats {
  /** Why other rows must not take the place of those that are published; null: they may. */
  readonly staleText: string | null;
}

/**
 * The keys of partitions that would have other rows than now. Throws an `AllowanceMissing` where
 * rows are appended that are all there, or those of an old delivery would take the place of others.
 */
export function changedKeys(
  { dataset, mode }: Pick<Placing, 'dataset' | 'mode'>,
  { staleText }: Repeats,
  compared: readonly PartitionComparison[],
): string[] {
  const repeated = compared.find(({ isRepeated }) => isRepeated);
  if (mode === 'append') {
    if (!repeated) return compared.map(({ key }) => key);
    const text = `partition ${repeated.key} of ${dataset.textId} has all of these rows already`;
    throw new AllowanceMissing(text, 'again');
  }
  const changed = compared.filter(({ isRepeated }) => !isRepeated);
  if (changed.length > 0 && staleText !== null) throw new AllowanceMissing(staleText, 'again');
  return changed.map(({ key }) => key);
}
