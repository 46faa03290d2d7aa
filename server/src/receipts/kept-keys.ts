/** Where the keys of receipts are kept. */
import type { KeyObject } from 'node:crypto';
import type { PublicKeySet } from './jwk.ts';

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
  /** What is kept at this moment. Rejects with a `StoreUnavailableError` where it cannot be read. */
  read(): Promise<KeptKeys>;
  /**
   * Keeps what `change` makes of what there is, which nobody else changes meanwhile; null: leaves it.
   * Rejects with a `StoreUnavailableError` where it cannot be kept.
   */
  change(change: (kept: KeptKeys) => KeptKeys | null): Promise<void>;
}
