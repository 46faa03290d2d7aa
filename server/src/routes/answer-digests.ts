/** Digests by which a client sees that an answer is the one to its question, and whole; in the form of RFC 9530. */
import { hash } from 'node:crypto';

const ENCODED = /%([\dA-F]{2})/gi;

function digestOf(bytes: string | Buffer): string {
  return `sha-256=:${hash('sha256', bytes, 'base64')}:`;
}

/**
 * `X-Request-Digest`: of path and query below the version prefix, without percent-encoding, which may change on the way.
 * A connection or a cache that mixes up two answers is found by it.
 */
export function requestDigest(target: string): string {
  const plain = target.replace(ENCODED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return digestOf(Buffer.from(plain, 'latin1'));
}

/** `Repr-Digest` of a text. */
export function textDigest(text: string): string {
  return digestOf(text);
}
