/**
 * The secret that links to files are sealed with: of all servers that share a store, or in a file of the home
 * that only its owner can read. The file is in no backup: links are short-lived, and a home without it
 * makes another one.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LINK_SECRET_FILE } from '../base/home-layout.ts';
import { readSecretFile, writeSecretFile } from '../base/secret.ts';
import type { SharedSecrets } from '../store/shared-secrets.ts';

export const LINK_SECRET_BYTES = 32;

/** Made whole under another name first, so that nobody reads half of it, and the first one made counts. */
function makeSecretFile(path: string): void {
  const own = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeSecretFile(own, newSecret());
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function newSecret(): string {
  return randomBytes(LINK_SECRET_BYTES).toString('base64url');
}

function homeSecret(path: string): string {
  if (readSecretFile(path) === null) makeSecretFile(path);
  return readSecretFile(path) ?? '';
}

/** Reads the secret, which the first use makes. */
export async function openLinkSecret(home: string, shared: SharedSecrets | null): Promise<Buffer> {
  const path = join(home, LINK_SECRET_FILE);
  const text = shared
    ? await shared.change('links', (current) => current ?? newSecret())
    : homeSecret(path);
  const secret = Buffer.from(text, 'base64url');
  if (secret.length === LINK_SECRET_BYTES) return secret;
  throw new Error(`${path} does not hold a secret; remove it, and another one is made`);
}
