/** What every kind of ledger makes of its rows. */
import type { PartChange, PartTotals, PublicationStatus } from './publications.ts';

type Row = Readonly<Record<string, unknown>>;

export const NO_PUBLICATION: PublicationStatus = {
  state: 'none',
  startedAt: null,
  finishedAt: null,
  message: null,
};

function totalsOf(row: Row, side: 'before' | 'after'): PartTotals | null {
  if (row[`${side}_part_id`] === null) return null;
  return {
    partId: Number(row[`${side}_part_id`]),
    rowCount: Number(row[`${side}_row_count`]),
    byteCount: Number(row[`${side}_byte_count`]),
    contentDigest: String(row[`${side}_digest`]),
  };
}

/** Of a row with the columns of `publication_part`. */
export function partChangeOf(row: Row): PartChange {
  const before = totalsOf(row, 'before');
  const after = totalsOf(row, 'after');
  const change = before === null ? 'added' : after === null ? 'removed' : 'replaced';
  return { key: String(row.key), change, before, after };
}

export interface EndedRow {
  readonly publicationId: number;
  /** Whether the publication is one of those that were asked for. */
  readonly isAsked: boolean;
}

interface ExaminedRows {
  /** The publications that were asked for, no more than may be told. */
  readonly publicationIds: readonly number[];
  readonly lastId: number;
  readonly hasMore: boolean;
}

/** Looks through those that have ended after one, in their order: `rows` has one more than may be examined. */
export function examine(
  rows: readonly EndedRow[],
  { after, limit, examinedMax }: { after: number; limit: number; examinedMax: number },
): ExaminedRows {
  const publicationIds: number[] = [];
  let [lastId, examinedCount] = [after, 0];
  for (const row of rows.slice(0, examinedMax)) {
    if (publicationIds.length === limit) break;
    lastId = row.publicationId;
    examinedCount++;
    if (row.isAsked) publicationIds.push(lastId);
  }
  return { publicationIds, lastId, hasMore: examinedCount < rows.length };
}

export interface UndoingRow {
  readonly publicationId: number;
  readonly undoneBy: number;
}

/**
 * What undoes each publication of a dataset; null: nothing does any more. A publication is undone while one
 * that undoes it stands, which is so unless it is undone itself. Only later ones undo earlier ones, so `rows`
 * has the latest first.
 */
export function settleUndone(rows: readonly UndoingRow[]): ReadonlyMap<number, number | null> {
  const settled = new Map<number, number | null>();
  for (const { publicationId, undoneBy } of rows) {
    const stands = (settled.get(undoneBy) ?? null) === null;
    settled.set(publicationId, stands ? undoneBy : (settled.get(publicationId) ?? null));
  }
  return settled;
}
