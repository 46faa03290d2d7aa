/** Reads rows of a dataset for a computation: all that a version has, or those of some dates. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { Part } from '../engine/part.ts';
import { planOfAll } from '../engine/plan-of-all.ts';
import type { DateSpan, Predicate, QueryPlan } from '../engine/query-plan.ts';
import { spanOfKey } from './part-spans.ts';

function columnsOf(dataset: Dataset, names: readonly string[]): Column[] {
  return names.map((name) => {
    const column = dataset.columnByName.get(name);
    if (!column) throw new Error(`${dataset.textId} has no column ${name}`);
    return column;
  });
}

function datesOf(dataset: Dataset, { start, end }: DateSpan): Predicate[] {
  const [column] = columnsOf(dataset, [dataset.dateColumn ?? '']);
  return [
    { column: column as Column, operator: 'ge', value: start },
    { column: column as Column, operator: 'le', value: end },
  ];
}

function partsOf(dataset: Dataset, parts: readonly Part[], { start, end }: DateSpan) {
  if (dataset.partitioning.column !== dataset.dateColumn) return parts;
  return parts.filter(({ key }) => {
    const span = spanOfKey(key);
    return span.start <= end && span.end >= start;
  });
}

function isInside(span: DateSpan, { start, end }: DateSpan): boolean {
  return span.start >= start && span.end <= end;
}

/** The plan of rows that an operator's command reads: no account's rules apply. */
export function planOfRows(
  dataset: Dataset,
  version: number | null,
  parts: readonly Part[],
  names: readonly string[],
  dates: DateSpan | null,
): QueryPlan {
  const read = dates ? partsOf(dataset, parts, dates) : parts;
  const isWhole = !dates || read.every(({ key }) => isInside(spanOfKey(key), dates));
  return {
    ...planOfAll(dataset, read),
    ...{ version, predicates: isWhole ? [] : datesOf(dataset, dates) },
    columns: columnsOf(dataset, names),
  };
}

/** Rows of the parts in natural order. */
export async function* readRows(
  engine: EngineReader,
  plan: QueryPlan,
  signal: AbortSignal,
): AsyncIterable<ColumnBatch> {
  if (plan.parts.length > 0) yield* engine.scan(plan, signal);
}
