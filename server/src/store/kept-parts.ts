/**
 * The parts of all versions that are retained, and those that wait for the commit of an open
 * publication, as backups and checks of the lake go through them.
 */
import type { Part } from '../engine/part.ts';
import { isThere, type Queries } from './queries.ts';

export interface KeptPart extends Pick<Part, 'id' | 'key' | 'location' | 'digest'> {
  readonly datasetId: string;
  readonly storedByteCount: number;
  /** True if the part belongs to the current version of its dataset. */
  readonly isCurrent: boolean;
}

export interface KeptTotals {
  readonly partCount: number;
  readonly storedByteCount: number;
}

export const IS_CURRENT = `EXISTS (SELECT 1 FROM part_span AS span
  WHERE span.part_id = part.part_id AND end_version IS NULL)`;

export const TOTALS = `count(*) AS "partCount",
  coalesce(sum(stored_byte_count), 0) AS "storedByteCount"`;

const SQL = {
  keptParts: `SELECT part_id AS id, dataset_id AS "datasetId", key, location, digest,
      stored_byte_count AS "storedByteCount", ${IS_CURRENT} AS "isCurrent"
    FROM part AS part
    WHERE part_id > $1 AND retired_at IS NULL ORDER BY part_id LIMIT $2`,
  keptTotals: `SELECT ${TOTALS} FROM part WHERE retired_at IS NULL`,
  kept: 'SELECT 1 FROM part WHERE location = $1 AND retired_at IS NULL',
  known: `SELECT 1 FROM part WHERE location = $1
    UNION ALL SELECT 1 FROM pending_part WHERE location = $1`,
};

export class KeptParts {
  readonly #queries: Pick<Queries, 'all' | 'get'>;

  constructor(queries: Pick<Queries, 'all' | 'get'>) {
    this.#queries = queries;
  }

  /** At most `count` of them in order of their ids, those with an id above `afterId`. */
  keptParts(afterId: number, count: number): Promise<KeptPart[]> {
    return this.#queries.all(SQL.keptParts, afterId, count);
  }

  async keptTotals(): Promise<KeptTotals> {
    return (await this.#queries.get<KeptTotals>(SQL.keptTotals)) as KeptTotals;
  }

  /** True if the part at a location is one of them. */
  keepsLocation(location: string): Promise<boolean> {
    return isThere(this.#queries, SQL.kept, location);
  }

  /**
   * True if something may be stored at a location: a part, also a replaced one, or one on its way
   * in.
   */
  knowsLocation(location: string): Promise<boolean> {
    return isThere(this.#queries, SQL.known, location);
  }
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
