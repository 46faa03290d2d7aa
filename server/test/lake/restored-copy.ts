/** Drill: copies a store during a load and opens the copy beside the original. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import type { Lake } from '../../src/lake/lake.ts';
import { openLake } from '../../src/open-home.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset } from './sample-dataset.ts';

type Config = Parameters<typeof openLake>[0];

const daily = sampleDataset('day');
const KEEP_NOTHING = { retentionDays: 0, retentionVersions: 0, retentionBytesMax: 0 };
const READS_ONLY = /the parts belong to another store \(deployment [0-9a-f-]{36}, epoch \d+\)/;

export interface Drill {
  readonly production: Config;
  /** Copies production's store, and tells how the copy is opened. */
  readonly copy: () => Promise<Config>;
  /** Folder on this machine that holds production's parts. */
  readonly partsFolder: string;
}

function publish(lake: Lake, ticker: string) {
  const row = (day: number) => [20_770 + day, ticker, 1n, 1, 1n, null];
  const batches = async function* () {
    yield batchOfRows(daily.columns, [row(0), row(1)]);
  };
  return publishBatches(lake, { dataset: daily, mode: 'replace-all', batches: batches() });
}

/** Each file of production with its digest. Locks and rows on their way are not among them. */
function bytesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const parts = names.filter((name) => name.endsWith('.parquet') && !name.startsWith('.')).sort();
  expect(parts).not.toEqual([]);
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(parts.map((name) => [name, digest(name)]));
}

/** An engine whose storage has something else happen before the last part of a load is written. */
function withBeforeLastPart(act: () => Promise<void>): typeof INSTALLED_ENGINE {
  return {
    ...INSTALLED_ENGINE,
    openStorage: (...options) => {
      const storage = INSTALLED_ENGINE.openStorage(...options);
      return {
        ...storage,
        openWriter: async (...words) => {
          const writer = await storage.openWriter(...words);
          const write = writer.write.bind(writer);
          let writtenCount = 0;
          writer.write = async (...target) => {
            if (++writtenCount === 2) await act();
            return await write(...target);
          };
          return writer;
        },
      };
    },
  };
}

const monthLater = () => fixedClock('2026-12-20T21:00:00Z');

async function opened<T>(config: Config, work: (lake: Lake) => Promise<T>): Promise<T> {
  const lake = await openLake(config, monthLater());
  return await work(lake).finally(() => lake.close());
}

/** Everything that the copy does by itself, and requests that somebody may make by mistake. */
async function tryEverything(lake: Lake): Promise<void> {
  expect(lake.owner.problem).toMatch(READS_ONLY);
  await lake.publisher.tidy(KEEP_NOTHING);
  await expect(lake.publisher.sweep()).rejects.toThrow(READS_ONLY);
  await expect(lake.publisher.prune(KEEP_NOTHING)).rejects.toThrow(READS_ONLY);
  await expect(publish(lake, 'COPY')).rejects.toThrow(READS_ONLY);
}

export async function drill({ production, copy, partsFolder }: Drill): Promise<void> {
  const clock = fixedClock('2026-11-20T21:00:00Z');
  let copied: Config | null = null;
  const engine = withBeforeLastPart(async () => {
    if ((await lake.snapshot(daily.datasetId))?.version === 1) copied = await copy();
  });
  const lake = await openLake(production, clock, engine);
  await publish(lake, 'A');
  await publish(lake, 'B');
  const config = copied as Config | null;
  if (config === null) throw new Error('nothing was copied');
  const before = bytesOf(partsFolder);

  await opened(config, async (restored) => {
    await tryEverything(restored);
    // The copy still reads.
    const snapshot = await restored.snapshot(daily.datasetId);
    expect(snapshot).toMatchObject({ version: 1, rowCount: 2 });
    // Parts published in production since then are foreign to the copy; a plain sweep would remove
    // them.
    const { pending } = await restored.publisher.sweep({ isDryRun: true });
    const published = await lake.publishedParts(daily.datasetId);
    expect(pending.toSorted()).toEqual(published.map(({ location }) => location).sort());
  });
  expect(bytesOf(partsFolder)).toEqual(before);
  expect(lake.owner.problem).toBeNull();

  // Whoever claims them on purpose has them, and the other one only reads from then on.
  await opened(config, async (restored) => {
    const claimed = await restored.owner.claim();
    expect(claimed).toMatchObject({ epoch: 2, takenFrom: { epoch: 1 } });
    expect(await restored.owner.claim()).toEqual({ epoch: 2, takenFrom: null });
  });
  await expect(publish(lake, 'C')).rejects.toThrow(READS_ONLY);
  expect(await lake.owner.claim()).toMatchObject({ epoch: 3, takenFrom: { epoch: 2 } });
  await publish(lake, 'C');
  await opened(config, tryEverything);
  await lake.close();
}
