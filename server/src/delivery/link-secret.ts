/**
 * The secret that links to files are sealed with, in a file of the home that only its owner can read. It
 * is in no backup: links are short-lived, and a home without it makes another one.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LINK_SECRET_FILE } from '../base/home-layout.ts';
import { readSecretFile, writeSecretFile } from '../base/secret-file.ts';

export const LINK_SECRET_BYTES = 32;

/** Made whole under another name first, so that nobody reads half of it, and the first one made counts. */
function makeSecretFile(path: string): void {
  const own = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeSecretFile(own, randomBytes(LINK_SECRET_BYTES).toString('base64url'));
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Reads the secret of a home, which the first use makes. */
export function openLinkSecret(home: string): Buffer {
  const path = join(home, LINK_SECRET_FILE);
  if (readSecretFile(path) === null) makeSecretFile(path);
  const secret = Buffer.from(readSecretFile(path) ?? '', 'base64url');
  if (secret.length === LINK_SECRET_BYTES) return secret;
  throw new Error(`${path} does not hold a secret; remove it, and another one is made`);
}
