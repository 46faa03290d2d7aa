/** What differs between the parts of two versions. Pure. */
import type { IndexedPart } from '../store/lake-index.ts';
import type { PartChange, PartTotals } from '../store/publications.ts';

type Compared = Pick<IndexedPart, 'id' | 'key' | 'rowCount' | 'byteCount' | 'contentDigest'>;

function totalsOf(part: Compared | undefined): PartTotals | null {
  if (!part) return null;
  const { id, rowCount, byteCount, contentDigest } = part;
  return { partId: id, rowCount, byteCount, contentDigest };
}

/** One for each partition that is not the same part in both, in the order of the keys. */
export function partDiff(from: readonly Compared[], to: readonly Compared[]): PartChange[] {
  const was = new Map(from.map((part) => [part.key, part]));
  const is = new Map(to.map((part) => [part.key, part]));
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((key): PartChange[] => {
    const before = totalsOf(was.get(key));
    const after = totalsOf(is.get(key));
    if (before?.partId === after?.partId) return [];
    const change = before === null ? 'added' : after === null ? 'removed' : 'replaced';
    return [{ key, change, before, after }];
  });
}
