/** Reads the rows of datasets for a derivation. */
import { typeText } from '../catalog/column-types.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { DayCount, EngineReader } from '../engine/engine.ts';
import type { Part } from '../engine/part.ts';
import { spanOfKey } from '../engine/partition-key.ts';
import { planOfAll } from '../engine/plan-of-all.ts';
import type { DateSpan, Predicate, QueryPlan } from '../engine/query-plan.ts';
import { columnsOf, dateColumnOf } from '../plan/conditions.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import { overlaps } from './slices.ts';

function datesOf(dataset: Dataset, { start, end }: DateSpan): Predicate[] {
  const column = dateColumnOf(dataset);
  return [
    { column, operator: 'ge', value: start },
    { column, operator: 'le', value: end },
  ];
}

function partsOf(dataset: Dataset, parts: readonly Part[], { start, end }: DateSpan) {
  if (dataset.partitioning.column !== dataset.dateColumn) return parts;
  return parts.filter(({ key }) => overlaps(spanOfKey(key), { start, end }));
}

function isInside(span: DateSpan, { start, end }: DateSpan): boolean {
  return span.start >= start && span.end <= end;
}

/** The plan of rows that an operator's command reads: no account's rules apply. */
function planOfRows(
  dataset: Dataset,
  parts: readonly Part[],
  names: readonly string[],
  dates: DateSpan | null,
): QueryPlan {
  const read = dates ? partsOf(dataset, parts, dates) : parts;
  const isWhole = !dates || read.every(({ key }) => isInside(spanOfKey(key), dates));
  return {
    ...planOfAll(dataset, read),
    predicates: isWhole ? [] : datesOf(dataset, dates),
    columns: columnsOf(dataset, names),
  };
}

/** Datasets read as a whole that are kept: two computations run at once. */
const REFERENCES_MAX = 2;

/** Keeps the batches, unreleased: each slice reads them again. */
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
  /** Reference data: the datasets read last as a whole. Each slice asks for them again. */
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
    const plan = planOfRows(dataset, parts, columns, null);
    const typed = plan.columns.map((column) => `${column.name} ${typeText(column)}`);
    yield* await this.#readReference(plan, `${plan.parts.map(({ id }) => id)} ${typed}`);
  }

  /** Rows that some parts of a dataset have on the dates. */
  readParts(
    dataset: Dataset,
    parts: readonly IndexedPart[],
    columns: readonly string[],
    dates: DateSpan,
  ): AsyncIterable<ColumnBatch> {
    const plan = planOfRows(dataset, parts, columns, dates);
    return this.#scan(plan);
  }

  async *#scan(plan: QueryPlan): AsyncIterable<ColumnBatch> {
    if (plan.parts.length > 0) yield* this.#engine.scan(plan, this.#signal);
  }

  #readReference(plan: QueryPlan, key: string): Promise<readonly ColumnBatch[]> {
    const batches = this.#references.get(key) ?? gather(this.#scan(plan));
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
    const { predicates, scannedRows } = planOfRows(dataset, parts, [], dates);
    if (predicates.length === 0) return scannedRows;
    const days = await this.countByDay(dataset, dates);
    return days.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  /** The dates that a dataset has rows of, ascending; `dates` null: among all. */
  async datesOf(dataset: Dataset, dates: DateSpan | null = null): Promise<string[]> {
    return (await this.countByDay(dataset, dates)).map(({ date }) => date);
  }

  /** Rows of each date that has any, in order. */
  async countByDay(dataset: Dataset, dates: DateSpan | null): Promise<readonly DayCount[]> {
    const parts = await this.partsOf(dataset);
    const plan = planOfRows(dataset, parts, [dataset.dateColumn ?? ''], dates);
    return plan.parts.length === 0 ? [] : await this.#engine.countByDay(plan, this.#signal);
  }
}
