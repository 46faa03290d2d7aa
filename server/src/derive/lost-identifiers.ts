/** Finds the identifiers whose loaded rows would go without computed ones in their place. */
import { AllowanceMissing } from '../base/errors.ts';
import { printableLine } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, cellAt, dateOfDays } from '../engine/columns.ts';
import { identifierColumn } from '../engine/indexed-columns.ts';
import type { DerivationRun } from './derivation-run.ts';
import type { DatedUnit } from './units.ts';

const SHOWN_MAX = 3;

/** A day; null where a dataset is one whole, or a row has none. */
type Day = CellValue;

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
      const known = this.#left.get(day);
      if (known) known.add(identifier);
      else this.#left.set(day, new Set([identifier]));
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
    const shown = names.slice(0, SHOWN_MAX).join(', ');
    const more = names.length - SHOWN_MAX;
    const where = typeof day === 'number' ? ` ${dateOfDays(day)}` : '';
    const others = more > 0 ? ` and ${more.toLocaleString('en-US')} more` : '';
    const text = printableLine(
      `${this.#dataset.textId}${where} would lose the loaded rows of ${shown}${others}, which have none computed`,
    );
    return new AllowanceMissing(text, 'allow_loss');
  }
}

/** With the rows that those of a unit take the place of; null: they may all go. */
export async function replacedIdentifiers(
  { replacesLoaded, allowsLoss = false, lake, loaded, rows }: DerivationRun,
  output: Dataset,
  unit: DatedUnit,
): Promise<LostIdentifiers | null> {
  if (!replacesLoaded || allowsLoss || !identifierColumn(output)) return null;
  // What the derivation itself has written by now is of other dates.
  const parts = await lake.publishedParts(output.datasetId);
  if (!(await loaded.isLoadedSince(parts, unit))) return null;
  const lost = new LostIdentifiers(output);
  for await (const batch of rows.readParts(output, parts, lost.columns, unit.dates)) {
    lost.addPublished(batch);
  }
  return lost;
}
