/** Public keys as JSON, see RFC 7517 and 8037. */
import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import * as v from 'valibot';
import { UsageError } from '../base/errors.ts';

/** The key of an Ed25519 signature; `x` is its 32 bytes in Base64url. */
export const PUBLIC_KEY = v.strictObject({
  kty: v.literal('OKP'),
  crv: v.literal('Ed25519'),
  alg: v.literal('EdDSA'),
  use: v.literal('sig'),
  kid: v.string(),
  x: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)),
});
export type PublicKey = v.InferOutput<typeof PUBLIC_KEY>;

export interface PublicKeySet {
  /** The oldest first. */
  readonly keys: readonly PublicKey[];
}

/** The id of a key is its thumbprint, RFC 7638. */
function thumbprint(x: string): string {
  return hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
}

/** The public half of a key. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: thumbprint(x), x };
}

export function keyObjectOf({ kty, crv, x }: PublicKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}

/** In a set from elsewhere, keys may have more members. */
const GIVEN_KEY = v.object(PUBLIC_KEY.entries);
const ANY_KEY_SET = v.object({ keys: v.array(v.unknown()) });

/**
 * The keys of a set that are for receipts. Throws a UsageError where the text from `source` is no
 * key set.
 */
export function parseKeySet(text: string, source: string): PublicKeySet {
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // The check below refuses text that is no JSON.
  }
  const set = v.safeParse(ANY_KEY_SET, json);
  if (!set.success) {
    throw new UsageError(`${source} should be a JSON Web Key Set, an object with the member keys`);
  }
  // Others may be in a set that somebody put together.
  const keys = set.output.keys.flatMap((key) => {
    const { success, output } = v.safeParse(GIVEN_KEY, key);
    return success ? [output] : [];
  });
  return { keys };
}
