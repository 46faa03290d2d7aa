/** Versions of a table, which are those of its dataset; 0 is that of a dataset without a publication. */
import { isoSeconds } from '../base/clock.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { Lake } from '../lake/lake.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { badValue } from './sharing-parameters.ts';

const MS_PER_SECOND = 1000;

export async function currentVersion(lake: Lake, { datasetId }: Dataset): Promise<number> {
  return (await lake.snapshot(datasetId))?.version ?? 0;
}

/** An ApiError 'invalid' for one that cannot be read, or never was; null for version 0. */
export async function requireSnapshot(
  lake: Lake,
  { datasetId }: Dataset,
  version: number,
): Promise<DatasetSnapshot | null> {
  if (version === 0) return null;
  const snapshot = await lake.snapshotAt(datasetId, version);
  if (snapshot === 'unknown') throw badValue(`Version ${version} has never been published`);
  if (snapshot === 'gone') throw badValue(`Version ${version} is no longer retained`);
  return snapshot;
}

/** The last version that was published at or before a time. */
export async function versionAt(lake: Lake, dataset: Dataset, atMs: number): Promise<number> {
  const version = await lake.versionAsOf(dataset.datasetId, atMs);
  if (version !== null) return version;
  throw badValue(`The table had no version yet at ${isoSeconds(atMs)}`);
}

/** The first version that was published at or after a time; publications are told in whole seconds. */
export async function versionFrom(lake: Lake, dataset: Dataset, atMs: number): Promise<number> {
  const second = Math.ceil(atMs / MS_PER_SECOND);
  const before = await lake.versionAsOf(dataset.datasetId, (second - 1) * MS_PER_SECOND);
  const version = (before ?? 0) + 1;
  if (version <= (await currentVersion(lake, dataset))) return version;
  throw badValue(`The table has no version at or after ${isoSeconds(second * MS_PER_SECOND)}`);
}
