/** Digests by which a client sees that an answer is the one to its question, and whole; in the form of RFC 9530. */
import { hash } from 'node:crypto';

const ENCODED = /%([\dA-F]{2})/gi;

/** `Repr-Digest`. */
export function bodyDigest(bytes: string | Buffer): string {
  return `sha-256=:${hash('sha256', bytes, 'base64')}:`;
}

/**
 * `X-Request-Digest`: of path and query below the version prefix, without percent-encoding, which may change on the way.
 * A connection or a cache that mixes up two answers is found by it.
 */
export function requestDigest(target: string): string {
  const [path = '', ...query] = target.split(/(?=\?)/);
  // Some write a space of the query as a plus sign, and some proxies do not.
  const spaced = `${path}${query.join('').replaceAll('+', ' ')}`;
  const plain = spaced.replace(ENCODED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return bodyDigest(Buffer.from(plain, 'latin1'));
}
