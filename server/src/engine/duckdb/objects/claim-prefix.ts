/** Notes in object storage whose parts lie there, so that no two deployments share a prefix. */
import { deploymentOf } from '../../../base/deployment-id.ts';
import { UsageError } from '../../../base/errors.ts';
import { failureText } from '../../../base/failure-text.ts';
import { DEPLOYMENT_FILE } from '../../../base/home-layout.ts';
import type { ObjectClient } from './object-client.ts';
import { CLOCK_OFF, ObjectStorageError } from './object-failures.ts';

/** Stores refuse requests whose time differs by more than a quarter of an hour. */
const CLOCK_OFFSET_MAX_MS = 5 * 60_000;
const MARK = '.deployment';

async function readMark(client: ObjectClient, key: string): Promise<string | null> {
  try {
    const object = { Bucket: client.bucket, Key: key };
    const { Body } = await client.send(key, (s3) => s3.getObject(object));
    return ((await Body?.transformToString()) ?? '').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function writeMark(client: ObjectClient, key: string, text: string): Promise<void> {
  try {
    const object = { Bucket: client.bucket, Key: key, Body: `${text}\n`, IfNoneMatch: '*' };
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

/** Rejects with a `UsageError` where the store cannot be used, or the prefix is another deployment's. */
export async function claimPrefix(
  client: ObjectClient,
  prefix: string,
  home: string,
): Promise<void> {
  try {
    await claim(client, prefix, home);
  } catch (error) {
    if (!(error instanceof ObjectStorageError)) throw error;
    const { failure, cause } = error;
    throw new UsageError(failureText(new ObjectStorageError(client.urlOf(prefix), failure, cause)));
  }
}
