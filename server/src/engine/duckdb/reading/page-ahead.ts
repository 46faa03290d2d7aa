/**
 * The page that would come next in a walk, begun while nobody waits for another one. Whoever asks
 * for exactly that page gets it; any other page ends it.
 */
import { isDeepStrictEqual } from 'node:util';
import { LentBytes } from '../../../base/stored-bytes.ts';
import type { WrittenPage } from '../../../formats/format.ts';
import type { TextFormat } from '../../engine.ts';
import type { FolderPlan } from './folder-plan.ts';

/** Time after which a page that nobody has asked for goes, be it made or not. */
export const AHEAD_MS = 2000;

/** A page by everything that decides its bytes. */
export interface Wanted {
  readonly plan: FolderPlan;
  readonly format: TextFormat;
}

export interface PageInMaking {
  readonly leaving: AbortController;
  readonly page: Promise<WrittenPage>;
}

type MakePage = (wanted: Wanted, signal: AbortSignal) => Promise<WrittenPage>;

export class PageAhead {
  readonly #make: MakePage;
  #ahead: (Wanted & PageInMaking) | null = null;
  /** Resolves when all that were begun have ended, be they wanted or not. */
  ended: Promise<void> = Promise.resolve();
  readonly #limit = setTimeout(() => this.drop(), AHEAD_MS).unref();

  constructor(make: MakePage) {
    this.#make = make;
  }

  /** The page, begun now unless it has been. */
  take({ plan, format }: Wanted): PageInMaking {
    const begun = this.#ahead;
    const isWanted = isDeepStrictEqual([begun?.plan, begun?.format], [plan, format]);
    if (!isWanted) this.drop();
    this.#ahead = null;
    return begun && isWanted ? begun : this.#begin({ plan, format });
  }

  /** Begins a page that nobody has asked for yet. One that fails is not kept. */
  begin(wanted: Wanted): void {
    this.drop();
    const begun = { ...wanted, ...this.#begin(wanted) };
    this.#ahead = begun;
    this.#limit.refresh();
    this.ended = this.#endOf(begun, this.ended);
  }

  async #endOf(begun: PageInMaking, earlier: Promise<void>): Promise<void> {
    await begun.page.catch(() => begun === this.#ahead && this.drop());
    await earlier;
  }

  drop(): void {
    const dropped = this.#ahead;
    this.#ahead = null;
    dropped?.leaving.abort();
    dropped?.page.then(({ body }) => body instanceof LentBytes && body.release()).catch(() => null);
  }

  #begin(wanted: Wanted): PageInMaking {
    const leaving = new AbortController();
    return { leaving, page: this.#make(wanted, leaving.signal) };
  }
}
