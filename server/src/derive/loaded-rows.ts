/** Keeps computed rows from replacing loaded ones. */
import { AllowanceMissing } from '../base/errors.ts';
import { firstNames, printableLine } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { inputsOf } from '../catalog/derivation.ts';
import { type CellValue, type ColumnBatch, cellAt, dateOfDays } from '../engine/columns.ts';
import { identifierColumn } from '../engine/indexed-columns.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import type { Ledger } from '../store/ledger.ts';
import type { PublishedSource } from '../store/publications.ts';
import type { InputRows } from './input-rows.ts';
import { latestSources, type Slice, slicesOf } from './slices.ts';

/** A slice and the source that it was computed from last; null: it never was. */
interface SourcedSlice extends Pick<Slice, 'dates' | 'outputKey'> {
  readonly source: PublishedSource | null;
}

const SHOWN_MAX = 3;

/** A day; null where a dataset is one whole, or a row has none. */
type Day = CellValue;

/** Finds the identifiers whose loaded rows would go without computed ones in their place. */
export class LostIdentifiers {
  readonly #dataset: Dataset;
  readonly #left = new Map<Day, Set<CellValue>>();
  /** The identifier first, then the day if rows are told apart by it. */
  readonly columns: readonly string[];

  constructor(dataset: Dataset) {
    const { partitioning, dateColumn } = dataset;
    const day = partitioning.unit === 'whole' ? null : dateColumn;
    this.#dataset = dataset;
    this.columns = [identifierColumn(dataset)?.name, day].filter(
      (name) => typeof name === 'string',
    );
  }

  /** Rows that are there now, with `columns` alone. */
  addPublished({ rowCount, columns: [identifiers, days] }: ColumnBatch): void {
    for (let row = 0; row < rowCount; row++) {
      const identifier = identifiers ? cellAt(identifiers, row) : null;
      if (identifier === null) continue;
      const day = days ? cellAt(days, row) : null;
      this.#left.getOrInsertComputed(day, () => new Set()).add(identifier);
    }
  }

  /** Rows that take their place, with all columns of the dataset. */
  addComputed({ rowCount, columns }: ColumnBatch): void {
    if (this.#left.size === 0) return;
    const [identifiers, days] = this.columns.map(
      (name) => columns[this.#dataset.columns.findIndex((column) => column.name === name)],
    );
    if (!identifiers) return;
    for (let row = 0; row < rowCount; row++) {
      this.#left.get(days ? cellAt(days, row) : null)?.delete(cellAt(identifiers, row));
    }
  }

  /** Names what is lost on the first day that loses something; null: nothing is lost. */
  refusal(): AllowanceMissing | null {
    const lossy = [...this.#left].filter(([, identifiers]) => identifiers.size > 0);
    const [first] = lossy.sort(([a], [b]) => Number(a) - Number(b));
    if (!first) return null;
    const [day, identifiers] = first;
    const names = [...identifiers].map(String).sort();
    const where = typeof day === 'number' ? ` ${dateOfDays(day)}` : '';
    const text = `${this.#dataset.textId}${where} would lose the loaded rows of ${firstNames(names, SHOWN_MAX)}, which have none computed`;
    return new AllowanceMissing(printableLine(text), 'allow_loss');
  }
}

export class LoadedRows {
  readonly #ledger: Pick<Ledger, 'publication' | 'publishedSources'>;
  readonly #rows: InputRows;
  readonly #isLoad = new Map<string, Promise<boolean>>();

  constructor(ledger: Pick<Ledger, 'publication' | 'publishedSources'>, rows: InputRows) {
    this.#ledger = ledger;
    this.#rows = rows;
  }

  /** True if a dataset has rows on the dates of a slice that may have been loaded. */
  async mayBeIn(
    dataset: Dataset,
    parts: readonly IndexedPart[],
    slice: SourcedSlice,
  ): Promise<boolean> {
    if (!(await this.#isLoadedSince(dataset, parts, slice))) return false;
    return (await this.#rows.rowCount(dataset, slice.dates)) > 0;
  }

  /**
   * The keys of the dates, months or years whose rows were computed since something was last loaded
   * into their partition.
   */
  async derivedKeys(dataset: Dataset, parts: readonly IndexedPart[]): Promise<Set<string>> {
    const sources = latestSources(await this.#ledger.publishedSources(dataset.datasetId));
    const slices = inputsOf(dataset).flatMap((textId) =>
      slicesOf(dataset, { textId }, [], sources),
    );
    const slicesOfPart = Map.groupBy(slices, ({ outputKey }) => outputKey);
    const keys = new Set<string>();
    for (const part of parts) {
      const lastLoad = await this.#lastLoad(dataset, part.publicationIds);
      if (lastLoad === null) keys.add(part.key);
      for (const { key, label } of slicesOfPart.get(part.key) ?? []) {
        if ((sources.get(label)?.publicationId ?? 0) > (lastLoad ?? 0)) keys.add(key);
      }
    }
    return keys;
  }

  /** True if something was loaded into the partition since the slice was last computed. */
  async #isLoadedSince(
    dataset: Dataset,
    parts: readonly IndexedPart[],
    { outputKey, source }: SourcedSlice,
  ): Promise<boolean> {
    const part = parts.find(({ key }) => key === outputKey);
    const lastLoad = part ? await this.#lastLoad(dataset, part.publicationIds) : null;
    return lastLoad !== null && !(source && source.publicationId > lastLoad);
  }

  /**
   * The identifiers of published rows that the rows of a slice take the place of; null: none of
   * them were loaded. `parts`: the published ones; what the derivation itself has written by now is
   * of other dates.
   */
  async replacedIdentifiers(
    dataset: Dataset,
    parts: readonly IndexedPart[],
    slice: SourcedSlice,
  ): Promise<LostIdentifiers | null> {
    if (!identifierColumn(dataset) || !(await this.#isLoadedSince(dataset, parts, slice)))
      return null;
    const lost = new LostIdentifiers(dataset);
    for await (const batch of this.#rows.readParts(dataset, parts, lost.columns, slice.dates)) {
      lost.addPublished(batch);
    }
    return lost;
  }

  async #lastLoad(
    { datasetId }: Dataset,
    publicationIds: readonly number[],
  ): Promise<number | null> {
    const newestFirst = publicationIds.toSorted((a, b) => b - a);
    for (const publicationId of newestFirst) {
      if (await this.#isLoaded(publicationId, datasetId)) return publicationId;
    }
    return null;
  }

  /** A publication that loads one dataset may derive others. */
  #isLoaded(publicationId: number, datasetId: string): Promise<boolean> {
    const key = `${publicationId} ${datasetId}`;
    return this.#isLoad.getOrInsertComputed(key, async () => {
      const record = await this.#ledger.publication(publicationId);
      const own = record?.sources.filter((source) => source.datasetId === datasetId) ?? [];
      const isDerived = own.some(({ derivation }) => (derivation ?? null) !== null);
      return record?.kind !== 'derivation' && !isDerived;
    });
  }
}
