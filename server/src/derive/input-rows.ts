/** Reads the rows of datasets for a derivation. */
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { DayCount } from '../engine/day-counts.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import { planOfRows, readRows } from './read-rows.ts';

/** Of datasets that are read as a whole, those that are kept: two computations go on at once. */
const REFERENCES_MAX = 2;

/** Without their release: each unit reads them again. */
async function gather(batches: AsyncIterable<ColumnBatch>): Promise<ColumnBatch[]> {
  const gathered: ColumnBatch[] = [];
  for await (const { rowCount, columns } of batches) gathered.push({ rowCount, columns });
  return gathered;
}

/** The parts of a dataset: as published, or as an open publication sees them. */
export type PartsOf = (dataset: Dataset) => Promise<readonly IndexedPart[]>;

export class InputRows {
  readonly partsOf: PartsOf;
  readonly #engine: EngineReader;
  readonly #signal: AbortSignal;
  /** The last datasets that were read as a whole: reference data, which each unit asks for again. */
  readonly #references = new Map<string, Promise<readonly ColumnBatch[]>>();

  constructor(partsOf: PartsOf, engine: EngineReader, signal: AbortSignal) {
    this.partsOf = partsOf;
    this.#engine = engine;
    this.#signal = signal;
  }

  /** Rows in natural order, of some dates or all. */
  async *read(
    dataset: Dataset,
    columns: readonly string[],
    dates: DateSpan | null,
  ): AsyncIterable<ColumnBatch> {
    const parts = await this.partsOf(dataset);
    if (dates) {
      yield* this.readParts(dataset, parts, columns, dates);
      return;
    }
    const plan = planOfRows(dataset, null, parts, columns, null);
    yield* await this.#readReference(plan.parts.map(({ id }) => id).join(), columns, () =>
      gather(readRows(this.#engine, plan, this.#signal)),
    );
  }

  /** Rows that some parts of a dataset have on the dates. */
  readParts(
    dataset: Dataset,
    parts: readonly IndexedPart[],
    columns: readonly string[],
    dates: DateSpan,
  ): AsyncIterable<ColumnBatch> {
    const plan = planOfRows(dataset, null, parts, columns, dates);
    return readRows(this.#engine, plan, this.#signal);
  }

  #readReference(
    partIds: string,
    columns: readonly string[],
    read: () => Promise<readonly ColumnBatch[]>,
  ): Promise<readonly ColumnBatch[]> {
    const key = `${partIds} ${columns}`;
    const batches = this.#references.get(key) ?? read();
    // The one that was asked for last is the last to go.
    this.#references.delete(key);
    this.#references.set(key, batches);
    const [oldest = ''] = this.#references.keys();
    if (this.#references.size > REFERENCES_MAX) this.#references.delete(oldest);
    return batches;
  }

  /** How many rows a dataset has on the dates. */
  async rowCount(dataset: Dataset, dates: DateSpan): Promise<number> {
    const parts = await this.partsOf(dataset);
    const { predicates, scannedRows } = planOfRows(dataset, null, parts, [], dates);
    if (predicates.length === 0) return scannedRows;
    const days = await this.#countByDay(dataset, dates);
    return days.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  /** The dates of which a dataset has rows, in their order; null: among all. */
  async datesOf(dataset: Dataset, dates: DateSpan | null = null): Promise<string[]> {
    return (await this.#countByDay(dataset, dates)).map(({ date }) => date);
  }

  async #countByDay(dataset: Dataset, dates: DateSpan | null): Promise<readonly DayCount[]> {
    const parts = await this.partsOf(dataset);
    const plan = planOfRows(dataset, null, parts, [dataset.dateColumn ?? ''], dates);
    return plan.parts.length === 0 ? [] : await this.#engine.countByDay(plan, this.#signal);
  }
}
