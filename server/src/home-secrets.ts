/** The secrets of a home, for links and receipts, as shared stores keep them. */
import { dirname, join } from 'node:path';
import { LINK_SECRET_FILE } from './base/home-layout.ts';
import { makeFolder } from './base/make-folder.ts';
import { readSecretFile, writeSecretFile } from './base/secret.ts';
import { tryLockFile } from './installed.ts';
import {
  KeyFiles,
  keysOfSharedText,
  SHARED_KEYS,
  sharedKeysText,
} from './receipts/receipt-keys.ts';

/** By the names that shared stores know; without those that the home has not made yet. */
export async function readHomeSecrets(home: string): Promise<ReadonlyMap<string, string>> {
  const links = readSecretFile(join(home, LINK_SECRET_FILE));
  const kept = await new KeyFiles(home, tryLockFile).read();
  return new Map([
    ...(links === null ? [] : [['links', links] as const]),
    // Without its private key a home makes another one, and so does a shared store.
    ...(kept.signing === null ? [] : [[SHARED_KEYS, sharedKeysText(kept)] as const]),
  ]);
}

/** Writes those of a shared store into a home, in place of what it has. */
export async function writeHomeSecrets(
  home: string,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const links = texts.get('links');
  if (links !== undefined) {
    const path = join(home, LINK_SECRET_FILE);
    makeFolder(dirname(path), 0o700);
    writeSecretFile(path, links);
  }
  const kept = keysOfSharedText(texts.get(SHARED_KEYS) ?? null);
  if (kept.signing !== null) await new KeyFiles(home, tryLockFile).change(() => kept);
}
