/**
 * The identifiers that a request lists. Lists are answered with the rows that there are for the account, so
 * whoever asks has to be told which of them have none. Pure.
 */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, cellAt } from '../engine/columns.ts';
import type { BoundValue, Part } from '../engine/part.ts';
import type { ListPredicate, QueryPlan } from '../engine/query-plan.ts';
import type { RowSource } from '../engine/row-source.ts';
import { partsFrom } from './plan-bulk.ts';
import type { Question } from './plan-query.ts';

function isIdentifier({ identifierColumns, universeColumns }: Dataset, { name }: Column): boolean {
  return identifierColumns.includes(name) || universeColumns.includes(name);
}

/** None of a continuous contract, where a list stands in for one name, or of changes. */
function listsOf({ dataset, predicates, rolls, comparedParts }: QueryPlan): ListPredicate[] {
  if (rolls || comparedParts) return [];
  return predicates.filter(
    (each): each is ListPredicate => 'values' in each && isIdentifier(dataset, each.column),
  );
}

/** A list, and those of it that no row has had yet. */
export interface UnseenValues {
  readonly list: ListPredicate;
  readonly unseen: Set<BoundValue>;
}

/** About what a value takes up beside its text, in a list and in a set. */
const VALUE_BYTES = 100;

export class ListedIdentifiers {
  /** How many are listed. */
  readonly count: number;
  readonly lists: readonly UnseenValues[];
  #areRowsSeen = false;

  constructor(lists: readonly UnseenValues[]) {
    this.count = lists.reduce((sum, { list }) => sum + list.values.length, 0);
    this.lists = lists.map(({ list, unseen }) => ({ list, unseen: new Set(unseen) }));
  }

  /** About what they take up in memory. */
  get byteCount(): number {
    const values = this.lists.flatMap(({ list }) => list.values);
    return values.reduce<number>((sum, value) => sum + VALUE_BYTES + `${value}`.length, 0);
  }

  /** Whether rows that were watched were read: a file is made without any. */
  get areRowsSeen(): boolean {
    return this.#areRowsSeen;
  }

  /** Those without a row so far, in the order of the request. */
  get unseen(): string[] {
    return this.lists.flatMap(({ unseen }) => [...unseen].map(String));
  }

  /** Looks at rows in these columns. */
  see(columns: readonly Column[], { rowCount, columns: vectors }: ColumnBatch): void {
    for (const { list, unseen } of this.lists) {
      const vector = vectors[columns.findIndex(({ name }) => name === list.column.name)];
      for (let row = 0; vector && unseen.size > 0 && row < rowCount; row++) {
        const cell: CellValue = cellAt(vector, row);
        for (const value of Array.isArray(cell) ? cell : [cell]) unseen.delete(value);
      }
    }
  }

  /** The source of a page, whose rows are looked at on their way. */
  watched(columns: readonly Column[], source: RowSource): RowSource {
    const rows = async function* (this: ListedIdentifiers) {
      this.#areRowsSeen = true;
      for await (const batch of source.rows()) {
        this.see(columns, batch);
        yield batch;
      }
    };
    return { ...source, rows: rows.bind(this) };
  }
}

/** Null where the plan lists no identifiers, and on later pages, which repeat nothing of the first. */
export function listedIdentifiers(plan: QueryPlan): ListedIdentifiers | null {
  const lists = listsOf(plan);
  if (lists.length === 0 || plan.offset > 0) return null;
  return new ListedIdentifiers(lists.map((list) => ({ list, unseen: new Set(list.values) })));
}

function isOfIdentifierOrDate(dataset: Dataset, column: Column): boolean {
  return column.name === dataset.dateColumn || isIdentifier(dataset, column);
}

/** Whether a filter leaves out rows of identifiers that have some on these dates. */
function hasOtherFilters({ dataset, predicates }: QueryPlan): boolean {
  return predicates.some(({ column }) => !isOfIdentifierOrDate(dataset, column));
}

/** Whether a list has no rows but those that the rows of a plan would have shown. */
export function isToldByRows(plan: QueryPlan, { lists, areRowsSeen }: ListedIdentifiers): boolean {
  const names = new Set(plan.columns.map(({ name }) => name));
  const areAnswered = lists.every(({ list }) => names.has(list.column.name));
  return areRowsSeen && areAnswered && !hasOtherFilters(plan);
}

/** Asks for the rows of the plan's dates that have one of the values; only those that the account may read. */
export function questionForUnseen(
  { dataset, restatement, predicates, grants }: QueryPlan,
  { list, unseen }: UnseenValues,
): Question {
  const asked = restatement?.raw ?? dataset;
  const kept = predicates.filter(({ column }) => isOfIdentifierOrDate(dataset, column));
  return {
    dataset: asked,
    ...{ predicates: [...kept, { ...list, values: [...unseen] }], grants, closedDates: null },
    ...{ columns: [list.column], sort: [], offset: 0, limit: 1 },
  };
}

/** How a search reads. */
export interface SearchStages {
  /** Plans the rows with any of the values. */
  planFor(values: UnseenValues): Promise<QueryPlan>;
  /** Looks at the rows of a plan. False: there are more than it may look at. */
  seeRows(plan: QueryPlan): Promise<boolean>;
}

/** Of the parts that a round of a search looks at, unless one is larger; all of their columns counted. */
const ROUND_BYTES_MAX = 64 * 1024 * 1024;
const ROUNDS_MAX = 50;

/** What is still unseen is in no part that a round has read to its end. */
async function* roundsOf(values: UnseenValues, { planFor, seeRows }: SearchStages) {
  const readParts = new Set<Part>();
  let plan: QueryPlan | null = null;
  let plannedCount = 0;
  while (values.unseen.size > 0) {
    if (plan === null || plannedCount !== values.unseen.size) {
      plannedCount = values.unseen.size;
      plan = await planFor(values);
    }
    const first = plan.parts.findIndex((part) => !readParts.has(part));
    if (first < 0) return;
    const some = partsFrom(plan, first, ROUND_BYTES_MAX);
    if (await seeRows(some)) for (const part of some.parts) readParts.add(part);
    yield;
  }
}

/** Looks for those that are left, fewer or further on in each round. False: it is not known of all of them. */
export async function searchUnseen(
  { lists }: ListedIdentifiers,
  stages: SearchStages,
): Promise<boolean> {
  let rounds = 0;
  for (const values of lists) {
    for await (const _ of roundsOf(values, stages)) if (++rounds >= ROUNDS_MAX) return false;
  }
  return true;
}
