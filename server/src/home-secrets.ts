/** The secrets of a home, for links and receipts, as shared stores keep them. */
import { join } from 'node:path';
import { LINK_SECRET_FILE } from './base/home-layout.ts';
import { makeFolder } from './base/make-folder.ts';
import { readSecretFile, writeSecretFile } from './base/secret.ts';
import { tryLockFile } from './installed.ts';
import { KeyFiles, SharedKeys } from './receipts/receipt-keys.ts';
import type { SharedSecrets } from './store/shared.ts';

/** Secrets on their way from one store to another. */
class CarriedSecrets implements SharedSecrets {
  readonly texts: Map<string, string>;

  constructor(texts: ReadonlyMap<string, string> = new Map()) {
    this.texts = new Map(texts);
  }

  async read(name: string): Promise<string | null> {
    return this.texts.get(name) ?? null;
  }

  async change<T extends string | null>(
    name: string,
    make: (current: string | null) => T,
  ): Promise<T> {
    const changed = make(await this.read(name));
    if (changed !== null) this.texts.set(name, changed);
    return changed;
  }
}

/** By the names that shared stores know; without those that the home has not made yet. */
export async function readHomeSecrets(home: string): Promise<ReadonlyMap<string, string>> {
  const secrets = new CarriedSecrets();
  const links = readSecretFile(join(home, LINK_SECRET_FILE));
  if (links !== null) secrets.texts.set('links', links);
  const kept = await new KeyFiles(home, tryLockFile).read();
  // Without its private key a home makes another one, and so does a shared store.
  if (kept.signing) await new SharedKeys(secrets).change(() => kept);
  return secrets.texts;
}

/** Writes those of a shared store into a home, in place of what it has. */
export async function writeHomeSecrets(
  home: string,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const links = texts.get('links');
  if (links !== undefined) {
    makeFolder(join(home, LINK_SECRET_FILE, '..'), 0o700);
    writeSecretFile(join(home, LINK_SECRET_FILE), links);
  }
  const kept = await new SharedKeys(new CarriedSecrets(texts)).read();
  if (kept.signing) await new KeyFiles(home, tryLockFile).change(() => kept);
}
