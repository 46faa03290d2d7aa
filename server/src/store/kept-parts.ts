/**
 * The parts of all versions that are retained, and those that wait for the commit of an open publication,
 * as backups and checks of the lake go through them.
 */
import type { Part } from '../engine/part.ts';

export interface KeptPart extends Pick<Part, 'id' | 'key' | 'location' | 'digest'> {
  readonly datasetId: string;
  readonly storedByteCount: number;
  /** It belongs to the current version of its dataset. */
  readonly isCurrent: boolean;
}

export interface KeptTotals {
  readonly partCount: number;
  readonly storedByteCount: number;
}

export interface KeptParts {
  /** At most `count` of them in order of their ids, those with an id above `afterId`. */
  keptParts(afterId: number, count: number): Promise<readonly KeptPart[]>;
  keptTotals(): Promise<KeptTotals>;
  /** Whether the part at a location is one of them. */
  keepsLocation(location: string): Promise<boolean>;
}

/** A copy of an index, of one moment, that is only read. */
export interface LakeIndexCopy extends KeptParts {
  close(): Promise<void>;
}

const PARTS_AT_ONCE = 500;

/** All of them after an id, in order of their ids. */
export async function* eachKeptPart(index: KeptParts, afterId = 0): AsyncIterable<KeptPart> {
  for (let lastId = afterId; ; ) {
    const parts = await index.keptParts(lastId, PARTS_AT_ONCE);
    yield* parts;
    const last = parts.at(-1);
    if (!last) return;
    lastId = last.id;
  }
}
