/**
 * The keys of receipts in a folder of the home. The private one is in a file that only its owner can read, and is
 * nowhere else: a backup without it loses nothing, because the next receipt makes another one. The public
 * ones of all times are beside it, so that old receipts can be verified.
 */
import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { failureReason } from '../base/failure-text.ts';
import { RECEIPTS_FOLDER, SIGNING_KEY_FILE } from '../base/home-layout.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type TryLock, waitForLock } from '../base/process-lock.ts';
import { SECRET_FILE_MODE } from '../base/secret.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import { type PublicKeySet, parseKeySet, publicKeyOf } from './jwk.ts';
import type { KeptKeys, KeyKeeper, SigningKey } from './kept-keys.ts';
import { WatchedFile } from './watched-file.ts';

const FOLDER_MODE = 0o700;
/** Another process makes a key in the meantime, which takes some milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;

function parsePrivateKey(text: string): SigningKey {
  const privateKey = createPrivateKey(text);
  return { privateKey, kid: publicKeyOf(privateKey).kid };
}

export class KeyFiles implements KeyKeeper {
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

  read(): Promise<KeptKeys> {
    return this.#told(() => this.#read());
  }

  change(change: (kept: KeptKeys) => KeptKeys | null): Promise<void> {
    return this.#told(async () => {
      makeFolder(this.#folder, FOLDER_MODE);
      const path = join(this.#folder, 'lock');
      const timeoutError = () => new Error(`another process holds ${path}`);
      const wait = { timeoutMs: LOCK_TIMEOUT_MS, timeoutError };
      const lock = await waitForLock(this.#tryLock, path, wait);
      try {
        const changed = change(await this.#read());
        if (changed) this.#write(changed);
      } finally {
        lock.release();
      }
    });
  }

  async #read(): Promise<KeptKeys> {
    const signing = await this.#signing.read();
    return { signing, published: (await this.#published.read()) ?? { keys: [] } };
  }

  #write({ signing, published }: KeptKeys): void {
    // A key is published before it signs.
    writeWholeFile(this.#publicPath, `${JSON.stringify(published, null, 2)}\n`);
    const pem = signing?.privateKey.export({ type: 'pkcs8', format: 'pem' });
    if (pem) writeWholeFile(this.#privatePath, String(pem), SECRET_FILE_MODE);
  }

  /** Failures of the disk with the folder's path. */
  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const reason = failureReason(error);
      if (reason === null) throw error;
      const told = `the key of receipts in ${this.#folder} cannot be used: ${reason}`;
      throw new StoreUnavailableError(told, told, error);
    }
  }
}
