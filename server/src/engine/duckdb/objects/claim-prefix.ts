/**
 * Notes in object storage whose parts lie there, so that no two deployments, and no two stores,
 * share a prefix.
 */

import { UsageError } from '../../../base/errors.ts';
import { failureText } from '../../../base/failure-text.ts';
import { DEPLOYMENT_FILE, deploymentOf } from '../../../base/home-layout.ts';
import { nullIfMissing } from '../../../base/if-there.ts';
import { lastKnown } from '../../../base/last-known.ts';
import type { PlaceMark } from '../../engine.ts';
import { MARK as OWNER_MARK } from '../folder-files.ts';
import type { ObjectClient } from './object-client.ts';
import { CLOCK_OFF, isAway, ObjectStorageError } from './object-failures.ts';

/** Stores refuse requests whose time differs by more than a quarter of an hour. */
const CLOCK_OFFSET_MAX_MS = 5 * 60_000;
const MARK = '.deployment';
/** Sooner than readiness itself gives up. */
const WARNED_AFTER_MS = 400;

async function readMark(client: ObjectClient, key: string): Promise<string | null> {
  const object = { Bucket: client.bucket, Key: key };
  const found = await client.send(key, (s3) => s3.getObject(object)).catch(nullIfMissing);
  return found && ((await found.Body?.transformToString()) ?? '').trim();
}

async function writeMark(
  client: ObjectClient,
  key: string,
  text: string,
  isFirst = true,
): Promise<void> {
  try {
    const place = { Bucket: client.bucket, Key: key, Body: `${text}\n` };
    const object = isFirst ? { ...place, IfNoneMatch: '*' } : place;
    await client.send(key, (s3) => s3.putObject(object));
  } catch (error) {
    // Somebody was quicker.
    if ((error as Error).name !== 'PreconditionFailed') throw error;
  }
}

async function claim(client: ObjectClient, prefix: string, home: string): Promise<void> {
  const key = `${prefix}/${MARK}`;
  const own = deploymentOf(home);
  let found = await readMark(client, key);
  if (found === null) {
    await writeMark(client, key, own);
    found = await readMark(client, key);
  }
  const url = client.urlOf(prefix);
  if (Math.abs(await client.clockOffsetMs()) >= CLOCK_OFFSET_MAX_MS) {
    throw new ObjectStorageError(url, CLOCK_OFF);
  }
  if (found === own) return;
  throw new UsageError(
    `${url} holds the parts of another deployment; choose another prefix, ` +
      `or give this home the file ${DEPLOYMENT_FILE} of a home of that deployment`,
  );
}

/** The failure, restated for everything below the prefix. */
function ofPrefix(client: ObjectClient, prefix: string, error: unknown): unknown {
  if (!(error instanceof ObjectStorageError)) return error;
  return new ObjectStorageError(client.urlOf(prefix), error.failure, error.cause);
}

/**
 * Rejects with a `UsageError` where the store cannot be used, or the prefix is another
 * deployment's, and with an `ObjectStorageError` where the store is away.
 */
export async function claimPrefix(
  client: ObjectClient,
  prefix: string,
  home: string,
): Promise<void> {
  try {
    await claim(client, prefix, home);
  } catch (error) {
    const told = ofPrefix(client, prefix, error);
    // A store that is away may be back at the next try.
    if (!(told instanceof ObjectStorageError) || isAway(told)) throw told;
    throw new UsageError(failureText(told));
  }
}

/**
 * The mark that says whose the parts below a prefix are. A bucket by another name is another place.
 */
export function objectMark(client: ObjectClient, prefix: string): PlaceMark {
  const key = `${prefix}/${OWNER_MARK}`;
  return {
    place: async () => client.urlOf(prefix),
    read: () => readMark(client, key),
    write: (text, isFirst) => writeMark(client, key, text.trim(), isFirst),
  };
}

/** Why the store cannot be asked about a prefix, in one line for the operator; null: it can be. */
export function storageWarning(client: ObjectClient, prefix: string) {
  const failed = (error: unknown) => failureText(ofPrefix(client, prefix, error));
  const ask = () => readMark(client, `${prefix}/${MARK}`).then(() => null, failed);
  const asked = lastKnown<string | null>(ask, null, WARNED_AFTER_MS);
  return async () => {
    const { value, isOld } = await asked();
    return isOld ? `${client.urlOf(prefix)} does not answer` : value;
  };
}
