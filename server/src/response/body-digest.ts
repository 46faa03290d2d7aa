/**
 * Digests of bodies as they are sent: made when they are asked for, and then kept with the body.
 */
import { LentBytes, StoredBytes } from '../base/stored-bytes.ts';
import type { PageBody } from '../formats/format.ts';

/**
 * By their names in the registry of HTTP digest algorithms; the first one goes before the others.
 */
export const DIGEST_ALGORITHMS = ['sha-256', 'sha-512'] as const;
export type DigestAlgorithm = (typeof DIGEST_ALGORITHMS)[number];

const HASH_NAMES: Readonly<Record<DigestAlgorithm, string>> = {
  'sha-256': 'sha256',
  'sha-512': 'sha512',
};

/** Digests computed so far by what tells bodies apart, kept as long as that. */
const digests = new WeakMap<object, Map<DigestAlgorithm, Promise<Buffer>>>();

/** The digest of a body that does not change any more. */
export function bodyDigest(body: PageBody, algorithm: DigestAlgorithm): Promise<Buffer> {
  const bytes = Buffer.isBuffer(body) ? new StoredBytes([{ bytes: body }]) : body;
  // All who share bytes have the same pieces.
  const key = body instanceof LentBytes ? body.pieces : body;
  return digests
    .getOrInsertComputed(key, () => new Map())
    .getOrInsertComputed(algorithm, () => bytes.digest(HASH_NAMES[algorithm]));
}
