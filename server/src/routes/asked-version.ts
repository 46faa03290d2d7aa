/** The version of a dataset that a request asks for. */
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { Lake } from '../lake/lake.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { type AskedVersion, readMoment } from '../request/version-parameters.ts';

const MS_PER_SECOND = 1000;

/** A version of that number, which messages call `what`. Rejects with an ApiError 'gone' or 'not found'. */
export async function snapshotOf(
  lake: Lake,
  { datasetId }: Dataset,
  version: number,
  what = 'Dataset version',
): Promise<DatasetSnapshot> {
  const snapshot = await lake.snapshotAt(datasetId, version);
  if (snapshot === 'gone') {
    throw new ApiError('gone', `${what} ${version} is no longer available`);
  }
  if (snapshot !== 'unknown') return snapshot;
  throw new ApiError('not found', `${what} ${version} has never been published`);
}

/**
 * Times of publications are told in whole seconds, so a version counts from the second on in which it
 * was published: the time of a version finds that version, or one of the same second.
 */
async function versionAsOf(lake: Lake, dataset: Dataset, asOf: string): Promise<number> {
  const atMs = readMoment(asOf, dataset.filterTimeZone) ?? 0;
  const second = Math.floor(atMs / MS_PER_SECOND) * MS_PER_SECOND;
  const version = await lake.versionAsOf(dataset.datasetId, second + MS_PER_SECOND - 1);
  if (version !== null) return version;
  throw new ApiError('not found', `The dataset had no version yet at ${isoSeconds(second)}`);
}

/** Null: nothing is published, and no version was asked for. Rejects as `snapshotOf` does. */
export async function askedSnapshot(
  lake: Lake,
  dataset: Dataset,
  asked: AskedVersion | null,
): Promise<DatasetSnapshot | null> {
  if (asked === null) return await lake.snapshot(dataset.datasetId);
  const version = 'version' in asked ? asked.version : await versionAsOf(lake, dataset, asked.asOf);
  return await snapshotOf(lake, dataset, version);
}
