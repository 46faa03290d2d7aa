/** Which published rows the rows of a feed take the place of. */
import type { Dataset } from '../../catalog/dataset.ts';
import type { RemovedRows } from '../../engine/engine.ts';
import { defaultMode, type PublishMode } from '../../lake/publication-options.ts';
import type { Feed, LeanRow } from './feed.ts';

type Pieces = AsyncIterable<readonly LeanRow[]>;

export class PlaceOfRows {
  readonly #mode: PublishMode;
  /** The numbers of the companies that rows are of; null: they do not matter. */
  readonly #companies: Set<string> | null;

  /** `mode` null: as the dataset's default is. */
  constructor({ replaces }: Feed, dataset: Dataset, mode: PublishMode | null) {
    this.#mode = replaces === 'all' ? 'replace' : (mode ?? defaultMode(dataset));
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
