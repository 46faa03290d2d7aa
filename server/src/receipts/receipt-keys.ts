/** Storage of the keys of receipts. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { failureReason } from '../base/failure-text.ts';
import { RECEIPTS_FOLDER, SIGNING_KEY_FILE } from '../base/home-layout.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type TryLock, waitForLock } from '../base/process-lock.ts';
import { SECRET_FILE_MODE } from '../base/secret.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { SharedSecrets } from '../store/shared.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import { type PublicKeySet, parseKeySet, publicKeyOf } from './jwk.ts';

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly kid: string;
}

export interface KeptKeys {
  /** Null: none was made yet, or it is lost. */
  readonly signing: SigningKey | null;
  /** The public keys of all receipts that verify. */
  readonly published: PublicKeySet;
}

export interface KeyKeeper {
  /** Reads the current keys. Rejects with a `StoreUnavailableError` if they cannot be read. */
  read(): Promise<KeptKeys>;
  /**
   * Keeps what `change` makes of what there is, which nobody else changes meanwhile; null: leaves
   * it. Rejects with a `StoreUnavailableError` where it cannot be kept.
   */
  change(change: (kept: KeptKeys) => KeptKeys | null): Promise<void>;
}

async function markOf(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export class WatchedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #mark: string | null = null;
  #value: T | null = null;

  /** `parse` throws where the file is not what it should be. */
  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
  }

  /** Reads the current file; null: there is none. */
  async read(): Promise<T | null> {
    const mark = await markOf(this.#path);
    if (mark !== this.#mark) {
      // If the file is replaced between the two reads, the next call sees another mark.
      this.#value = mark === null ? null : this.#parse(await readFile(this.#path, 'utf8'));
      this.#mark = mark;
    }
    return this.#value;
  }
}

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

const NAME = 'receipts';
const NONE: KeptKeys = { signing: null, published: { keys: [] } };

function keysOf(text: string | null): KeptKeys {
  if (text === null) return NONE;
  const { signing, published } = JSON.parse(text) as { signing: string; published: object };
  const privateKey = createPrivateKey(signing);
  return {
    signing: { privateKey, kid: publicKeyOf(privateKey).kid },
    published: parseKeySet(JSON.stringify(published), 'the store'),
  };
}

function textOf({ signing, published }: KeptKeys): string {
  const pem = signing?.privateKey.export({ type: 'pkcs8', format: 'pem' });
  return JSON.stringify({ signing: String(pem), published });
}

export class SharedKeys implements KeyKeeper {
  readonly #secrets: SharedSecrets;
  #text: string | null = null;
  #keys: KeptKeys = NONE;

  constructor(secrets: SharedSecrets) {
    this.#secrets = secrets;
  }

  async read(): Promise<KeptKeys> {
    const text = await this.#secrets.read(NAME);
    if (text !== this.#text) {
      this.#keys = keysOf(text);
      this.#text = text;
    }
    return this.#keys;
  }

  async change(change: (kept: KeptKeys) => KeptKeys | null): Promise<void> {
    await this.#secrets.change(NAME, (text) => {
      const changed = change(keysOf(text));
      return changed ? textOf(changed) : text;
    });
  }
}

export interface NewSigningKey {
  readonly kid: string;
  /** How many keys are published, the new one included. */
  readonly publishedCount: number;
}

function withNewKey({ published }: KeptKeys, revokesFormer: boolean) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = publicKeyOf(privateKey);
  const former = revokesFormer ? [] : published.keys;
  const signing: SigningKey = { privateKey, kid: publicKey.kid };
  return { signing, published: { keys: [...former, publicKey] } };
}

export class ReceiptKeys {
  readonly #keeper: KeyKeeper;

  /** Reads and makes nothing yet. */
  constructor(keeper: KeyKeeper) {
    this.#keeper = keeper;
  }

  /**
   * The key that signs at this moment; the first use makes it. Rejects with a
   * `StoreUnavailableError` where it cannot be read or kept.
   */
  async signingKey(): Promise<SigningKey> {
    const { signing } = await this.#keeper.read();
    if (signing) return signing;
    // Another one may have made it in the meantime.
    await this.#keeper.change((kept) => (kept.signing ? null : withNewKey(kept, false)));
    return (await this.#keeper.read()).signing as SigningKey;
  }

  /** The public keys of all receipts that verify. */
  async published(): Promise<PublicKeySet> {
    return (await this.#keeper.read()).published;
  }

  /**
   * Makes the key of receipts to come. `revokesFormer`: what the earlier ones signed does not
   * verify any more.
   */
  async rotate({ revokesFormer }: { readonly revokesFormer: boolean }): Promise<NewSigningKey> {
    let made: NewSigningKey | undefined;
    await this.#keeper.change((kept) => {
      const { signing, published } = withNewKey(kept, revokesFormer);
      made = { kid: signing.kid, publishedCount: published.keys.length };
      return { signing, published };
    });
    return made as NewSigningKey;
  }
}
