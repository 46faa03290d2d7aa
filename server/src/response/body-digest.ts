/**
 * Digests of bodies as they are sent: made when they are asked for, and then kept with the body.
 */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoredBytes } from '../base/stored-bytes.ts';
import type { PageBody } from '../formats/format.ts';

/**
 * By their names in the registry of HTTP digest algorithms; the first one goes before the others.
 */
export const DIGEST_ALGORITHMS = ['sha-256', 'sha-512'] as const;
export type DigestAlgorithm = (typeof DIGEST_ALGORITHMS)[number];

/** Hashed before other requests have their turn: some tenths of a millisecond. */
const BYTES_PER_TURN = 256 * 1024;

const HASH_NAMES: Readonly<Record<DigestAlgorithm, string>> = {
  'sha-256': 'sha256',
  'sha-512': 'sha512',
};

async function computeDigest(body: PageBody, algorithm: DigestAlgorithm): Promise<Buffer> {
  if (body instanceof StoredBytes) return await body.digest(HASH_NAMES[algorithm]);
  const hash = createHash(HASH_NAMES[algorithm]);
  for (let start = 0; start < body.length; start += BYTES_PER_TURN) {
    if (start > 0) await nextTurn();
    hash.update(body.subarray(start, start + BYTES_PER_TURN));
  }
  return hash.digest();
}

/** Digests computed so far, kept as long as the body itself. */
const digests = new WeakMap<PageBody, Map<DigestAlgorithm, Promise<Buffer>>>();

/** The digest of a body that does not change any more. */
export function bodyDigest(body: PageBody, algorithm: DigestAlgorithm): Promise<Buffer> {
  const known = digests.get(body) ?? new Map<DigestAlgorithm, Promise<Buffer>>();
  digests.set(body, known);
  const digest = known.get(algorithm) ?? computeDigest(body, algorithm);
  known.set(algorithm, digest);
  return digest;
}
