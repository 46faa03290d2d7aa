/** An engine in a home of its own, and the few things that its tests do with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { repetitions } from '../../../test/repetitions.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import { tryLockFile } from '../../installed.ts';
import { batchOfRows } from '../columns.ts';
import type {
  Engine,
  EngineConfig,
  EngineReader,
  ExistingPart,
  PartStorage,
  PartWriter,
} from '../engine.ts';
import type { Part, WrittenPart } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';
import { ALL_ROWS } from './random-plans.ts';
import { type Row, rowsOfBatch } from './select-rows.ts';

export const never = new AbortController().signal;

/** A plan for all rows of the parts, changed. */
export function planOver(
  dataset: Dataset,
  parts: readonly Part[],
  changes: Partial<QueryPlan> = {},
): QueryPlan {
  return {
    ...{ dataset, version: 1, parts, predicates: [], grants: [ALL_ROWS], closedDates: null },
    ...{ columns: dataset.columns, sort: [], offset: 0, limit: 1_000_000 },
    ...{ scannedRows: 0, scannedBytes: 0 },
    ...changes,
  };
}

export type NewPart = Part & WrittenPart;

/** Opens the engine in a home. */
export type OpenEngine = (home: string) => {
  readonly storage: PartStorage;
  readonly reader: Promise<EngineReader>;
};

/** Opens an engine with the settings of its own, apart from the home. */
export function openingOf<Config extends EngineConfig>(
  engine: Engine<Config>,
  settings: Omit<Config, 'home'>,
): OpenEngine {
  return (home) => {
    const config = { ...settings, home } as Config;
    return { storage: engine.openStorage(config, tryLockFile), reader: engine.openReader(config) };
  };
}

export class TestedEngine {
  readonly #openEngine: OpenEngine;
  readonly #scale: number;
  readonly #share: number;
  #home = '';
  #storage: PartStorage | undefined;
  #reader: EngineReader | undefined;
  #partCount = 0;

  /** `scale` and `share`: see `describeEngine`. */
  constructor(openEngine: OpenEngine, { scale = 1, share = 1 } = {}) {
    this.#openEngine = openEngine;
    this.#scale = scale;
    this.#share = share;
  }

  /** How often a property is tried of this engine: `count` times in a usual run. */
  runs(count: number): number {
    return Math.ceil(runsOf(count) * this.#share);
  }

  /** As many rows for this engine as `count` is for one of scale 1. */
  many(count: number): number {
    return Math.ceil(count * this.#scale);
  }

  async open(): Promise<void> {
    this.#home = mkdtempSync(join(tmpdir(), 'ticklake-engine-'));
    const { storage, reader } = this.#openEngine(this.#home);
    this.#storage = storage;
    this.#reader = await reader;
  }

  async close(): Promise<void> {
    await this.reader.close();
    await this.storage.close?.();
    rmSync(this.#home, { recursive: true, force: true });
  }

  get home(): string {
    return this.#home;
  }

  /** Does something with the same engine in another home, which is empty at first. */
  async withOther<T>(use: (other: TestedEngine) => Promise<T>): Promise<T> {
    const other = new TestedEngine(this.#openEngine, { scale: this.#scale });
    await other.open();
    try {
      return await use(other);
    } finally {
      await other.close();
    }
  }

  get storage(): PartStorage {
    return this.#storage as PartStorage;
  }

  get reader(): EngineReader {
    return this.#reader as EngineReader;
  }

  async scan(plan: QueryPlan): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const batch of this.reader.scan(plan, never)) rows.push(...rowsOfBatch(batch));
    return rows;
  }

  async withWriter<T>(
    dataset: Dataset,
    batches: readonly (readonly Row[])[],
    use: (writer: PartWriter) => Promise<T>,
  ): Promise<T> {
    const writer = await this.storage.openWriter(dataset);
    try {
      for (const rows of batches) await writer.append(batchOfRows(dataset.columns, rows));
      return await use(writer);
    } finally {
      await writer.close();
    }
  }

  /**
   * Writes the rows as parts, in natural order; among equal keys, rows of `existing` come first.
   */
  async writeParts(
    dataset: Dataset,
    batches: readonly (readonly Row[])[],
    existing: readonly (Part & ExistingPart)[] = [],
  ): Promise<NewPart[]> {
    return await this.withWriter(dataset, batches, async (writer) => {
      const parts: NewPart[] = [];
      for (const key of await writer.partitionKeys()) {
        const location = this.storage.newLocation(dataset, key);
        const old = existing.find((part) => part.key === key) ?? null;
        const written = await writer.write(key, location, old);
        this.#partCount += 1;
        parts.push({ id: this.#partCount, key, location, ...written });
      }
      await writer.flush();
      return parts;
    });
  }
}

/** How often the properties of the conformance tests are tried: the long suite asks for more. */
const FACTOR = repetitions('TICKLAKE_ENGINE_RUNS_FACTOR', 1);

export function runsOf(sampleRuns: number): number {
  return sampleRuns * FACTOR;
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return Object.is(one, other);
  return one.length === other.length && one.every((each, i) => isSame(each, other[i]));
}

/** As `expect(found).toEqual(due)`, but many times faster for many equal rows. */
export function expectRows(found: readonly Row[], due: readonly Row[]): void {
  if (!isSame(found, due)) expect(found).toEqual(due);
}
