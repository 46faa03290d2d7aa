/**
 * The published version of one dataset at one moment. Immutable: a query plans against one
 * snapshot.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Part, RowGroup } from '../engine/part.ts';
import { CatchUp } from '../store/catch-up.ts';
import type { IndexedPart, LakeIndex } from '../store/lake-index.ts';
import { vendorsByRows } from './current-parts.ts';

export interface DatasetSnapshot {
  readonly datasetId: string;
  /** 1 for the first publication, one more for each later one. */
  readonly version: number;
  /** UTC, whole seconds, `Z`. */
  readonly publishedAt: string;
  readonly vendor: string;
  readonly rowCount: number;
  readonly byteCount: number;
  /** First and last value of the dataset's date column, or null without rows or date column. */
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** In natural order: the rows of all parts, one after the other, are the dataset's rows. */
  readonly parts: readonly Part[];
  /**
   * The row groups of each of some parts, in the order in which these are named. Rejects where
   * one was replaced so long ago that the index has forgotten it.
   */
  rowGroups(parts: readonly Part[]): Promise<readonly (readonly RowGroup[])[]>;
  /** The row groups of their identifier orders likewise; null for a part that has none. */
  identifierOrders(parts: readonly Part[]): Promise<readonly (readonly RowGroup[] | null)[]>;
}

/** About 50 MB of row groups. */
const ROW_GROUPS_MAX = 100_000;

/** The row groups of each of the parts, in the same order. */
type ReadRowGroups<Groups> = (partIds: readonly number[]) => Promise<readonly Groups[]>;

/** `Groups`: the row groups of a part, or null where it may have none. */
export class RowGroupCache<Groups extends readonly RowGroup[] | null> {
  readonly #read: ReadRowGroups<Groups>;
  readonly #byPart: LRUCache<number, { readonly groups: Groups }>;

  constructor(read: ReadRowGroups<Groups>, rowGroupsMax = ROW_GROUPS_MAX) {
    this.#read = read;
    this.#byPart = new LRUCache({
      maxSize: rowGroupsMax,
      // A part with more row groups than there is room for takes all of it. No size may be 0.
      sizeCalculation: ({ groups }) => Math.min(Math.max(groups?.length ?? 0, 1), rowGroupsMax),
    });
  }

  /** The row groups of each of the parts, in the same order; what is not kept is read at once. */
  async get(partIds: readonly number[]): Promise<readonly Groups[]> {
    const known = new Map(partIds.map((partId) => [partId, this.#byPart.get(partId)]));
    const missing = partIds.filter((partId) => known.get(partId) === undefined);
    const read = missing.length > 0 ? await this.#read(missing) : [];
    for (const [index, partId] of missing.entries()) {
      known.set(partId, { groups: read[index] as Groups });
    }
    const found = partIds.map((partId) => known.get(partId) as { readonly groups: Groups });
    for (const [index, partId] of partIds.entries()) {
      this.#byPart.set(partId, found[index] as { readonly groups: Groups });
    }
    // A request for a whole history reads many parts; others get their turns meanwhile.
    if (missing.length > 0) await nextTurn();
    return found.map(({ groups }) => groups);
  }
}

type Published = DatasetSnapshot | null;
/** `gone`: the version is no longer retained; `unknown`: there never was one. */
export type PastSnapshot = DatasetSnapshot | 'gone' | 'unknown';

/** Earlier versions in memory. */
const PAST_MAX = 32;

function sumOf(parts: readonly IndexedPart[], name: 'rowCount' | 'byteCount'): number {
  return parts.reduce((sum, part) => sum + part[name], 0);
}

function partOf(part: IndexedPart): Part {
  const { id, key, location, digest, contentDigest, rowCount, byteCount } = part;
  const { lastDate, storedColumns } = part;
  const stored = { location, digest, contentDigest, rowCount, byteCount };
  return { id, key, ...stored, lastDate, storedColumns };
}

export class Snapshots {
  readonly #index: LakeIndex;
  readonly #catchUp = new CatchUp(() => this.#readMark());
  /** Row groups are read when they are asked for: there may be millions. */
  readonly #rowGroups: RowGroupCache<readonly RowGroup[]>;
  readonly #identifierOrders: RowGroupCache<readonly RowGroup[] | null>;
  #mark: string | null = null;
  /** Datasets that were read since the index last changed. */
  #current = new Map<string, Promise<Published>>();
  /** The last ones read. */
  readonly #known = new Map<string, DatasetSnapshot>();

  /** Earlier versions, by dataset and version. They never change. */
  readonly #past = new LRUCache<string, Promise<Published>>({ max: PAST_MAX });

  constructor(index: LakeIndex) {
    this.#index = index;
    this.#rowGroups = new RowGroupCache((partIds) => index.versions.rowGroups(partIds));
    this.#identifierOrders = new RowGroupCache((partIds) =>
      index.versions.identifierOrders(partIds),
    );
  }

  /**
   * The published version of a dataset at this moment, by whichever process; null: there is none.
   */
  async get(datasetId: string): Promise<Published> {
    await this.#catchUp.now();
    const current = this.#current;
    const known = current.get(datasetId);
    if (known) return await known;
    const reading = this.#read(datasetId);
    current.set(datasetId, reading);
    reading.catch(() => current.delete(datasetId));
    return await reading;
  }

  /** A version of a dataset, if it can still be read. */
  async getAt(datasetId: string, version: number): Promise<PastSnapshot> {
    const current = await this.get(datasetId);
    if (!current || version > current.version || version < 1) return 'unknown';
    if (version === current.version) return current;
    const { firstVersion = version } = (await this.#index.versions.dataset(datasetId)) ?? {};
    if (version < firstVersion) return 'gone';
    const key = `${datasetId} ${version}`;
    const known = this.#past.get(key);
    const reading = known ?? this.#load(datasetId, version);
    // All pages of a walk that are asked for at once wait for one reading.
    if (!known) this.#past.set(key, reading);
    const snapshot = await reading.catch((error) => {
      this.#past.delete(key);
      throw error;
    });
    if (!snapshot) this.#past.delete(key);
    return snapshot ?? 'gone';
  }

  async #readMark(): Promise<void> {
    const mark = await this.#index.changeMark();
    if (mark !== this.#mark) this.#current = new Map();
    this.#mark = mark;
  }

  async #read(datasetId: string): Promise<Published> {
    const known = this.#known.get(datasetId);
    const dataset = await this.#index.versions.dataset(datasetId);
    if (known && known.version === dataset?.version) return known;
    const snapshot = dataset && (await this.#load(datasetId));
    if (snapshot) this.#known.set(datasetId, snapshot);
    return snapshot;
  }

  async #load(datasetId: string, asked?: number): Promise<Published> {
    const indexed = await this.#index.versions.version(datasetId, asked);
    if (!indexed) return null;
    const { version, publishedAt, parts } = indexed;
    const dates = parts
      .flatMap(({ firstDate, lastDate }) => [firstDate, lastDate])
      .filter((date) => date !== null)
      .sort();
    return {
      datasetId,
      version,
      publishedAt,
      vendor: vendorsByRows(parts).join(', '),
      rowCount: sumOf(parts, 'rowCount'),
      byteCount: sumOf(parts, 'byteCount'),
      firstDate: dates[0] ?? null,
      lastDate: dates.at(-1) ?? null,
      parts: parts.map(partOf),
      rowGroups: (asked) => this.#rowGroups.get(asked.map(({ id }) => id)),
      identifierOrders: (asked) => this.#identifierOrders.get(asked.map(({ id }) => id)),
    };
  }
}
