/** Digests by which a client sees that an answer is the one to its question, and whole; in the form of RFC 9530. */
import { hash } from 'node:crypto';

const ENCODED = /%([\dA-F]{2})/gi;

/** The value of a digest field, such as `Repr-Digest`. */
export function digestField(bytes: string | Buffer): string {
  return `sha-256=:${hash('sha256', bytes, 'base64')}:`;
}

/**
 * `X-Request-Digest`: of path and query below the version prefix, without percent-encoding, which may change on the way.
 * A connection or a cache that mixes up two answers is found by it.
 */
export function requestDigest(target: string): string {
  // Some write a space of the query as a plus sign, and some proxies do not.
  const spaced = target.replace(/\?.*/s, (query) => query.replaceAll('+', ' '));
  const plain = spaced.replace(ENCODED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return digestField(Buffer.from(plain, 'latin1'));
}
