/** Takes rows out of a dataset: days, partitions, identifiers, or all of it. */
import type { Dataset } from '../catalog/dataset.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { IndexedPart, StagedPart } from '../store/lake-index.ts';
import { currentParts } from './current-parts.ts';
import { type PublicationTarget, type RewrittenRows, writeReplacement } from './publish.ts';

/** Rows of all that is given; a dataset as a whole where nothing is. */
export interface Withdrawal {
  /** By the dataset's date column; null: of any date and of none. */
  readonly dates: DateSpan | null;
  readonly identifiers: readonly string[] | null;
  /** Keys of partitions; null: any. */
  readonly partitions: readonly string[] | null;
  /**
   * Makes a version also where there is nothing to take out, so that the sources of the publication
   * count.
   */
  readonly makesVersion?: boolean;
}

export interface WithdrawalReport {
  /** Keys of the partitions that lost rows. */
  readonly partitions: readonly string[];
  readonly removedRowCount: number;
}

function mayHoldRows(part: IndexedPart, { dates, partitions }: Withdrawal): boolean {
  if (partitions && !partitions.includes(part.key)) return false;
  if (!dates) return true;
  const { firstDate, lastDate } = part;
  return firstDate !== null && firstDate <= dates.end && (lastDate as string) >= dates.start;
}

async function withoutRows(
  target: PublicationTarget,
  rows: Omit<RewrittenRows, 'origin'>,
  { part, baseId }: { readonly part: IndexedPart; readonly baseId: number | null },
  { dates, identifiers }: Withdrawal,
): Promise<StagedPart | null> {
  const { key } = part;
  if (!dates && !identifiers) return { key, part: null, baseId };
  const location = target.storage.newLocation(rows.dataset, key);
  await target.index.space.addPending([location], target.clock.now());
  const replacement = { key, location, current: part, removed: { dates, identifiers }, baseId };
  const staged = await writeReplacement(target, { ...rows, origin: part }, replacement);
  if (staged.part?.rowCount !== part.rowCount) return staged;
  await target.storage.remove([location]);
  return null;
}

/**
 * Stages the withdrawal; the writer has no rows. Without rows to take out nothing is staged, unless
 * a version is asked for.
 */
export async function stageWithdrawal(
  target: PublicationTarget,
  dataset: Dataset,
  writer: PartWriter,
  withdrawal: Withdrawal,
): Promise<WithdrawalReport> {
  const { index, publicationId } = target;
  const { datasetId } = dataset;
  const current = await currentParts(index, publicationId, datasetId);
  const parts: StagedPart[] = [];
  let removedRowCount = 0;
  for (const part of current.parts.filter((each) => mayHoldRows(each, withdrawal))) {
    const baseId = current.baseOf(part.key);
    const staged = await withoutRows(target, { dataset, writer }, { part, baseId }, withdrawal);
    if (!staged) continue;
    const left = typeof staged.part === 'object' ? (staged.part?.rowCount ?? 0) : 0;
    removedRowCount += part.rowCount - left;
    parts.push(staged);
  }
  await writer.flush();
  const change = { datasetId, baseVersion: null, parts };
  if (parts.length > 0 || withdrawal.makesVersion) await index.stage(publicationId, change);
  return { partitions: parts.map(({ key }) => key), removedRowCount };
}
