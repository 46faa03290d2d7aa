/** The published versions of recently requested datasets, in memory, and never older than the request. */

import { LRUCache } from 'lru-cache';
import type { Part, RowGroup } from '../engine/part.ts';
import { CatchUp } from '../store/catch-up.ts';
import type { IndexedPart, LakeIndex } from '../store/lake-index.ts';
import { RowGroupCache } from './row-group-cache.ts';
import type { DatasetSnapshot } from './snapshot.ts';
import { vendorsByRows } from './vendors.ts';

type Published = DatasetSnapshot | null;
/** `gone`: the version is no longer retained; `unknown`: there never was one. */
export type PastSnapshot = DatasetSnapshot | 'gone' | 'unknown';

/** Earlier versions in memory. */
const PAST_MAX = 32;

function sumOf(parts: readonly IndexedPart[], name: 'rowCount' | 'byteCount'): number {
  return parts.reduce((sum, part) => sum + part[name], 0);
}

function partOf(part: IndexedPart): Part {
  const { id, key, location, digest, contentDigest, rowCount, byteCount, storedColumns } = part;
  return { id, key, location, digest, contentDigest, rowCount, byteCount, storedColumns };
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

  /** The published version of a dataset at this moment, by whichever process; null: there is none. */
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
