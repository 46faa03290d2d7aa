/** The keys of receipts in the store that several servers share: what one signs, all of them publish. */
import { createPrivateKey } from 'node:crypto';
import type { SharedSecrets } from '../store/shared-secrets.ts';
import { parseKeySet, publicKeyOf } from './jwk.ts';
import type { KeptKeys, KeyKeeper } from './kept-keys.ts';

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
