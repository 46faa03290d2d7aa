/** Which published rows the rows of a feed take the place of. */
import type { RemovedRows } from '../../engine/engine.ts';
import type { PublishMode } from '../../lake/publish-mode.ts';
import type { Feed, LeanRow } from './feed.ts';

type Pieces = AsyncIterable<readonly LeanRow[]>;

export class PlaceOfRows {
  readonly #mode: PublishMode;
  /** The numbers of the companies that rows are of; null: they do not matter. */
  readonly #companies: Set<string> | null;

  constructor({ replaces }: Feed, mode: PublishMode) {
    this.#mode = replaces === 'all' ? 'replace' : mode;
    this.#companies = replaces === 'companies' && mode === 'append' ? new Set() : null;
  }

  noting(pieces: Pieces): Pieces {
    return this.#companies ? this.#noteCompanies(pieces, this.#companies) : pieces;
  }

  /** Of the rows that were noted. */
  options(): { readonly mode: PublishMode; readonly removed?: RemovedRows } {
    if (!this.#companies) return { mode: this.#mode };
    return { mode: this.#mode, removed: { dates: null, identifiers: [...this.#companies] } };
  }

  async *#noteCompanies(pieces: Pieces, companies: Set<string>) {
    for await (const rows of pieces) {
      for (const { ASID } of rows) if (ASID) companies.add(`${ASID}`);
      yield rows;
    }
  }
}
