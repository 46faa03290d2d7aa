/**
 * The keys that receipts are signed with, in a folder of the home. The private one is in a file that only
 * its owner can read, and is nowhere else: a backup without it loses nothing, because the next receipt
 * makes another one. The public ones of all times are beside it, so that old receipts can be verified.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { failureReason } from '../base/failure-text.ts';
import { RECEIPTS_FOLDER, SIGNING_KEY_FILE } from '../base/home-layout.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type TryLock, waitForLock } from '../base/process-lock.ts';
import { SECRET_FILE_MODE } from '../base/secret-file.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import { type PublicKey, type PublicKeySet, parseKeySet, publicKeyOf } from './jwk.ts';
import { WatchedFile } from './watched-file.ts';

const FOLDER_MODE = 0o700;
/** Another process makes a key in the meantime, which takes some milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly kid: string;
}

export interface NewSigningKey {
  readonly kid: string;
  /** How many keys are published, the new one included. */
  readonly publishedCount: number;
}

function parsePrivateKey(text: string): SigningKey {
  const privateKey = createPrivateKey(text);
  return { privateKey, kid: publicKeyOf(privateKey).kid };
}

export class ReceiptKeys {
  readonly #folder: string;
  readonly #tryLock: TryLock;
  readonly #privatePath: string;
  readonly #publicPath: string;
  readonly #signing: WatchedFile<SigningKey>;
  readonly #published: WatchedFile<PublicKeySet>;

  /** Reads and makes nothing yet. */
  constructor(home: string, tryLock: TryLock) {
    this.#folder = join(home, RECEIPTS_FOLDER);
    this.#tryLock = tryLock;
    this.#privatePath = join(this.#folder, SIGNING_KEY_FILE);
    this.#publicPath = join(this.#folder, 'public-keys.json');
    this.#signing = new WatchedFile(this.#privatePath, parsePrivateKey);
    this.#published = new WatchedFile(this.#publicPath, (text) =>
      parseKeySet(text, this.#publicPath),
    );
  }

  /**
   * The key that signs at this moment; the first use makes it. Rejects with a `StoreUnavailableError`
   * where it cannot be read or kept.
   */
  async signingKey(): Promise<SigningKey> {
    try {
      return await this.#findOrMake();
    } catch (error) {
      const reason = failureReason(error);
      if (reason === null) throw error;
      const told = `the key of receipts in ${this.#folder} cannot be used: ${reason}`;
      throw new StoreUnavailableError(told, told, error);
    }
  }

  async #findOrMake(): Promise<SigningKey> {
    const key = await this.#signing.read();
    if (key) return key;
    await this.#locked(async () => {
      // Another one may have made it in the meantime.
      if (!(await this.#signing.read())) await this.#make({ revokesFormer: false });
    });
    return (await this.#signing.read()) as SigningKey;
  }

  /** The public keys of all receipts that verify. */
  async published(): Promise<PublicKeySet> {
    return (await this.#published.read()) ?? { keys: [] };
  }

  /** Makes the key of receipts to come. `revokesFormer`: what the earlier ones signed does not verify any more. */
  async rotate(how: { readonly revokesFormer: boolean }): Promise<NewSigningKey> {
    return await this.#locked(() => this.#make(how));
  }

  async #make({ revokesFormer }: { readonly revokesFormer: boolean }): Promise<NewSigningKey> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const publicKey: PublicKey = publicKeyOf(privateKey);
    const former = revokesFormer ? [] : (await this.published()).keys;
    const keys = [...former, publicKey];
    // A key is published before it signs.
    writeWholeFile(this.#publicPath, `${JSON.stringify({ keys }, null, 2)}\n`);
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeWholeFile(this.#privatePath, String(pem), SECRET_FILE_MODE);
    return { kid: publicKey.kid, publishedCount: keys.length };
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    makeFolder(this.#folder, FOLDER_MODE);
    const path = join(this.#folder, 'lock');
    const timeoutError = () => new Error(`another process holds ${path}`);
    const wait = { timeoutMs: LOCK_TIMEOUT_MS, timeoutError };
    const lock = await waitForLock(this.#tryLock, path, wait);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}
