/** The keys of receipts: the private one that signs, and the public ones that verify. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
} from 'node:crypto';
import { join } from 'node:path';
import * as v from 'valibot';
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { failureReason } from '../base/failure-text.ts';
import { RECEIPTS_FOLDER, SIGNING_KEY_FILE } from '../base/home-layout.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type TryLock, waitForLock } from '../base/process-lock.ts';
import { readSecretFile, SECRET_FILE_MODE } from '../base/secret.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { SharedSecrets } from '../store/shared.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';

/** An Ed25519 key as JSON, see RFC 7517 and 8037; `x` is its 32 bytes in Base64url. */
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

/** The public half of a key. Its id is its thumbprint, RFC 7638. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x };
}

export function keyObjectOf({ kty, crv, x }: PublicKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}

/** In a set that somebody put together, keys may have more members. */
const GIVEN_KEY = v.object(PUBLIC_KEY.entries);
const ANY_KEY_SET = v.object({ keys: v.array(v.unknown()) });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The keys of a set that are for receipts. Throws a UsageError where the text from `source` is no
 * key set.
 */
export function parseKeySet(text: string, source: string): PublicKeySet {
  const set = v.safeParse(ANY_KEY_SET, jsonOf(text));
  if (!set.success) {
    throw new UsageError(`${source} should be a JSON Web Key Set, an object with the member keys`);
  }
  const keys = set.output.keys.flatMap((key) => {
    const { success, output } = v.safeParse(GIVEN_KEY, key);
    return success ? [output] : [];
  });
  return { keys };
}

/** The keys as they are kept; null: none was made yet, or it is lost. */
export interface KeptKeys {
  /** The private key as PEM. */
  readonly signing: string | null;
  /** The public keys of all receipts that verify, as a JSON Web Key Set. */
  readonly published: string | null;
}

export interface KeyKeeper {
  /** Place of the keys, for messages. */
  readonly place: string;
  /** Reads the current keys. Rejects with a `StoreUnavailableError` if they cannot be read. */
  read(): Promise<KeptKeys>;
  /**
   * Keeps what `change` makes of what there is, which nobody else changes meanwhile; null: leaves
   * it. Rejects with a `StoreUnavailableError` where it cannot be kept.
   */
  change(change: (kept: KeptKeys) => KeptKeys | null): Promise<void>;
}

const FOLDER_MODE = 0o700;
/** Another process makes a key in the meantime, which takes some milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;

/** Keys in files of a home. */
export class KeyFiles implements KeyKeeper {
  readonly place: string;
  readonly #tryLock: TryLock;
  readonly #privatePath: string;
  readonly #publicPath: string;

  /** Reads and makes nothing yet. */
  constructor(home: string, tryLock: TryLock) {
    this.place = join(home, RECEIPTS_FOLDER);
    this.#tryLock = tryLock;
    this.#privatePath = join(this.place, SIGNING_KEY_FILE);
    this.#publicPath = join(this.place, 'public-keys.json');
  }

  read(): Promise<KeptKeys> {
    return this.#told(async () => this.#read());
  }

  change(change: (kept: KeptKeys) => KeptKeys | null): Promise<void> {
    return this.#told(async () => {
      makeFolder(this.place, FOLDER_MODE);
      const path = join(this.place, 'lock');
      const timeoutError = () => new Error(`another process holds ${path}`);
      const wait = { timeoutMs: LOCK_TIMEOUT_MS, timeoutError };
      const lock = await waitForLock(this.#tryLock, path, wait);
      using _lock = atEnd(() => lock.release());
      const { signing, published } = change(this.#read()) ?? {};
      // A key is published before it signs.
      if (published) writeWholeFile(this.#publicPath, `${published}\n`);
      if (signing) writeWholeFile(this.#privatePath, signing, SECRET_FILE_MODE);
    });
  }

  #read(): KeptKeys {
    const signing = readSecretFile(this.#privatePath);
    return { signing, published: readSecretFile(this.#publicPath) };
  }

  /** Failures of the disk with the folder's path. */
  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const reason = failureReason(error);
      if (reason === null) throw error;
      const told = `the key of receipts in ${this.place} cannot be used: ${reason}`;
      throw new StoreUnavailableError(told, told, error);
    }
  }
}

/** The name and the text of the keys among the secrets of a store. */
export const SHARED_KEYS = 'receipts';

export function sharedKeysText({ signing, published }: KeptKeys): string {
  return JSON.stringify({ signing, published: JSON.parse(published ?? 'null') });
}

export function keysOfSharedText(text: string | null): KeptKeys {
  if (text === null) return { signing: null, published: null };
  const { signing, published } = JSON.parse(text) as {
    signing: string;
    published: object | null;
  };
  return { signing, published: published && JSON.stringify(published, null, 2) };
}

/** Keys in a store that several servers share. */
export class SharedKeys implements KeyKeeper {
  readonly place = 'the store';
  readonly #secrets: SharedSecrets;

  constructor(secrets: SharedSecrets) {
    this.#secrets = secrets;
  }

  async read(): Promise<KeptKeys> {
    return keysOfSharedText(await this.#secrets.read(SHARED_KEYS));
  }

  async change(change: (kept: KeptKeys) => KeptKeys | null): Promise<void> {
    await this.#secrets.change(SHARED_KEYS, (text) => {
      const changed = change(keysOfSharedText(text));
      return changed ? sharedKeysText(changed) : text;
    });
  }
}

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly kid: string;
}

export interface NewSigningKey {
  readonly kid: string;
  /** How many keys are published, the new one included. */
  readonly publishedCount: number;
}

export class ReceiptKeys {
  readonly #keeper: KeyKeeper;
  /** The last key that was read, and the text of it. */
  #known: { readonly pem: string; readonly key: SigningKey } | null = null;

  /** Reads and makes nothing yet. */
  constructor(keeper: KeyKeeper) {
    this.#keeper = keeper;
  }

  /**
   * The key that signs at this moment; the first use makes it. Rejects with a
   * `StoreUnavailableError` where it cannot be read or kept.
   */
  async signingKey(): Promise<SigningKey> {
    let { signing: pem } = await this.#keeper.read();
    if (pem === null) {
      // Another one may have made it in the meantime.
      await this.#keeper.change((kept) =>
        kept.signing === null ? this.#withNew(kept).kept : null,
      );
      pem = (await this.#keeper.read()).signing as string;
    }
    if (this.#known?.pem === pem) return this.#known.key;
    const privateKey = createPrivateKey(pem);
    const key = { privateKey, kid: publicKeyOf(privateKey).kid };
    this.#known = { pem, key };
    return key;
  }

  /** The public keys of all receipts that verify. */
  async published(): Promise<PublicKeySet> {
    return this.#publishedIn(await this.#keeper.read());
  }

  /**
   * Makes the key of receipts to come. `revokesFormer`: what the earlier ones signed does not
   * verify any more.
   */
  async rotate({ revokesFormer }: { readonly revokesFormer: boolean }): Promise<NewSigningKey> {
    let made: NewSigningKey | undefined;
    await this.#keeper.change((kept) => {
      const changed = this.#withNew(revokesFormer ? { ...kept, published: null } : kept);
      made = changed.made;
      return changed.kept;
    });
    return made as NewSigningKey;
  }

  #publishedIn({ published }: KeptKeys): PublicKeySet {
    return published === null ? { keys: [] } : parseKeySet(published, this.#keeper.place);
  }

  #withNew(former: KeptKeys): { readonly kept: KeptKeys; readonly made: NewSigningKey } {
    const { privateKey } = generateKeyPairSync('ed25519');
    const publicKey = publicKeyOf(privateKey);
    const keys = [...this.#publishedIn(former).keys, publicKey];
    const signing = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const published = JSON.stringify({ keys }, null, 2);
    return {
      kept: { signing, published },
      made: { kid: publicKey.kid, publishedCount: keys.length },
    };
  }
}
