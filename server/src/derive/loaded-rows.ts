/** Keeps computed rows from taking the place of rows that somebody has loaded. */
import type { Dataset } from '../catalog/dataset.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import type { Ledger } from '../store/publications.ts';
import type { InputRows } from './input-rows.ts';
import type { DatedUnit } from './units.ts';

export class LoadedRows {
  readonly #ledger: Pick<Ledger, 'publication'>;
  readonly #rows: Pick<InputRows, 'rowCount'>;
  readonly #isLoad = new Map<number, Promise<boolean>>();

  constructor(ledger: Pick<Ledger, 'publication'>, rows: Pick<InputRows, 'rowCount'>) {
    this.#ledger = ledger;
    this.#rows = rows;
  }

  /** Whether a dataset has rows on the dates of a unit that may have been loaded. */
  async mayBeIn(
    dataset: Dataset,
    parts: readonly IndexedPart[],
    unit: DatedUnit,
  ): Promise<boolean> {
    if (!(await this.isLoadedSince(parts, unit))) return false;
    return (await this.#rows.rowCount(dataset, unit.dates)) > 0;
  }

  /** Whether something was loaded into the partition of a unit since the unit was computed last, if it ever was. */
  async isLoadedSince(
    parts: readonly IndexedPart[],
    { outputKey, source }: DatedUnit,
  ): Promise<boolean> {
    const part = parts.find(({ key }) => key === outputKey);
    const lastLoad = part ? await this.#lastLoad(part.publicationIds) : null;
    return lastLoad !== null && !(source && source.publicationId > lastLoad);
  }

  async #lastLoad(publicationIds: readonly number[]): Promise<number | null> {
    const newestFirst = publicationIds.toSorted((a, b) => b - a);
    for (const publicationId of newestFirst) {
      if (await this.#isLoaded(publicationId)) return publicationId;
    }
    return null;
  }

  #isLoaded(publicationId: number): Promise<boolean> {
    const known = this.#isLoad.get(publicationId);
    if (known) return known;
    const reading = this.#ledger
      .publication(publicationId)
      .then((record) => record?.kind !== 'derivation');
    this.#isLoad.set(publicationId, reading);
    return reading;
  }
}
