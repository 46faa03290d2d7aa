/** What partitions lose when new rows take the place of those that are published. */
import { AllowanceMissing } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartStorage, PartWriter } from '../engine/engine.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import type { CurrentParts } from './current-parts.ts';
import type { PublishMode } from './publish-mode.ts';

/** A partition before and after a publication. */
export interface PartitionComparison {
  readonly key: string;
  readonly rowCountBefore: number;
  readonly rowCountAfter: number;
  /** Rows that stood there before and stand there no more. */
  readonly replacedRowCount: number;
  /** Identifiers that the partition has no more. */
  readonly lostIdentifierCount: number;
  /** The first of them. */
  readonly lostIdentifiers: readonly string[];
}

type PublishedPart = Pick<IndexedPart, 'location' | 'rowCount' | 'storedByteCount'>;

export interface PublishedParts {
  /** Null: the partition has no rows. */
  partOf(key: string): PublishedPart | null;
}

/** How many rows of the published part, and of which identifiers, go in each mode. */
async function compareKey(
  storage: Pick<PartStorage, 'findDamage'>,
  writer: PartWriter,
  key: string,
  mode: PublishMode,
  part: PublishedPart | null,
): Promise<PartitionComparison> {
  const before = part?.rowCount ?? 0;
  const none = { key, rowCountBefore: before, lostIdentifierCount: 0, lostIdentifiers: [] };
  if (!part || mode === 'append') {
    const added = await writer.rowCount(key);
    return { ...none, rowCountAfter: before + added, replacedRowCount: 0 };
  }
  // A part that cannot be read must not keep rows from taking its place.
  if (mode !== 'replace-identifiers' && (await storage.findDamage(part)) !== null) {
    return { ...none, rowCountAfter: await writer.rowCount(key), replacedRowCount: before };
  }
  const compared = await writer.compare(key, part);
  const { rowCount, sharedRowCount, lostIdentifierCount, lostIdentifiers } = compared;
  if (mode === 'replace-identifiers') {
    const rowCountAfter = before - sharedRowCount + rowCount;
    return { ...none, rowCountAfter, replacedRowCount: sharedRowCount };
  }
  const lost = { lostIdentifierCount, lostIdentifiers };
  return { ...none, ...lost, rowCountAfter: rowCount, replacedRowCount: before };
}

/** The partitions of the writer's rows, each held against what is published of it. */
export async function comparePartitions(
  storage: Pick<PartStorage, 'findDamage'>,
  writer: PartWriter,
  keys: readonly string[],
  mode: PublishMode,
  published: PublishedParts,
): Promise<PartitionComparison[]> {
  const compared: PartitionComparison[] = [];
  for (const key of keys) {
    compared.push(await compareKey(storage, writer, key, mode, published.partOf(key)));
  }
  return compared;
}

/** The partitions that go when those of the keys are all of the dataset. */
export function droppedPartitions(
  keys: readonly string[],
  { parts }: Pick<CurrentParts, 'parts'>,
): PartitionComparison[] {
  const dropped = parts.filter(({ key }) => !keys.includes(key));
  return dropped.map(({ key, rowCount }) => ({
    ...{ key, rowCountBefore: rowCount, rowCountAfter: 0, replacedRowCount: rowCount },
    ...{ lostIdentifierCount: 0, lostIdentifiers: [] },
  }));
}

const count = (value: number) => value.toLocaleString('en-US');

/** What is lost, in words; null: no more than may be. */
export function lossText(
  { textId }: Pick<Dataset, 'textId'>,
  compared: readonly PartitionComparison[],
  lossPercentMax: number,
): string | null {
  for (const each of compared) {
    const { key, rowCountBefore, rowCountAfter, lostIdentifierCount, lostIdentifiers } = each;
    const where = `partition ${key} of ${textId}`;
    if (lostIdentifierCount > 0) {
      const [shown] = lostIdentifiers;
      const what = lostIdentifierCount === 1 ? 'identifier' : 'identifiers';
      return `${where} would lose ${count(lostIdentifierCount)} ${what}, such as ${shown}`;
    }
    if (rowCountBefore - rowCountAfter > (rowCountBefore * lossPercentMax) / 100) {
      const rows = `${count(rowCountAfter)} ${rowCountAfter === 1 ? 'row' : 'rows'}`;
      return `${where} would have ${rows} in place of ${count(rowCountBefore)}`;
    }
  }
  return null;
}

/** Throws an `AllowanceMissing` where a partition loses more than it may; undefined: it may lose anything. */
export function requireFewLosses(
  dataset: Dataset,
  compared: readonly PartitionComparison[],
  lossPercentMax: number | undefined,
): void {
  if (lossPercentMax === undefined) return;
  const text = lossText(dataset, compared, lossPercentMax);
  if (text !== null) throw new AllowanceMissing(text, 'allow_loss');
}
