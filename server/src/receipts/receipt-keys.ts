/** The keys that receipts are signed with: one at a time signs, and those of all times are published. */
import { generateKeyPairSync } from 'node:crypto';
import { type PublicKeySet, publicKeyOf } from './jwk.ts';
import type { KeptKeys, KeyKeeper, SigningKey } from './kept-keys.ts';

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
   * The key that signs at this moment; the first use makes it. Rejects with a `StoreUnavailableError`
   * where it cannot be read or kept.
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

  /** Makes the key of receipts to come. `revokesFormer`: what the earlier ones signed does not verify any more. */
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
