/**
 * The tickers and other identifiers that a plan names, and those of a list that have no rows. Pure.
 */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { type CellValue, type ColumnBatch, cellAt } from '../engine/columns.ts';
import type { BoundValue } from '../engine/part.ts';
import type { ListPredicate, Predicate, QueryPlan } from '../engine/query-plan.ts';
import type { RowSource } from '../engine/row-source.ts';
import { isKeptSymbol } from '../store/usage.ts';
import { isNaming, valuesOf } from './conditions.ts';
import { type Days, findDays } from './date-range.ts';

/**
 * The columns in which datasets of equities have a symbol and the permanent number of the company.
 */
export const TICKER = 'Ticker';
export const PERMANENT_NUMBER = 'ASID';

export interface AskedTickers {
  /** Tickers that some condition names and none excludes. */
  readonly tickers: readonly string[];
  /** True if any condition names tickers, even if the conditions exclude each other. */
  readonly areNamed: boolean;
  /** Null: of any company. */
  readonly ids: ReadonlySet<string> | null;
  readonly days: Days;
}

/**
 * The texts that all conditions on a column that name some agree on; null: there is no such
 * condition.
 */
function namedIn({ dataset, predicates }: Pick<QueryPlan, 'dataset' | 'predicates'>, name: string) {
  const column = dataset.columnByName.get(name);
  const named = predicates
    .filter((each) => each.column === column && isNaming(each))
    .map((each) => new Set(valuesOf(each).map(String)));
  const [first, ...others] = named;
  return first ? others.reduce((kept, each) => kept.intersection(each), first) : null;
}

/** True if rows have dates and tell which company their ticker means. */
function tellsCompanies({ dateColumn, columnByName }: Dataset): boolean {
  const isOf = (name: string, type: string) => columnByName.get(name)?.dataType === type;
  return dateColumn !== null && isOf(TICKER, 'string') && isOf(PERMANENT_NUMBER, 'integer');
}

/** Null where the rows of the dataset are no companies' on any dates. */
export function askedTickers(plan: Pick<QueryPlan, 'dataset' | 'predicates'>): AskedTickers | null {
  const { dataset, predicates } = plan;
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column || !tellsCompanies(dataset)) return null;
  const tickers = namedIn(plan, TICKER);
  return {
    tickers: [...(tickers ?? [])],
    areNamed: tickers !== null,
    ids: namedIn(plan, PERMANENT_NUMBER),
    days: findDays(column, predicates),
  };
}

/** The ledger keeps no more of one request. */
export const NAMED_IDENTIFIERS_MAX = 1000;

function namesOf(predicate: Predicate): readonly unknown[] {
  if (predicate.operator === 'eq') return [predicate.value];
  return predicate.operator === 'in' ? predicate.values : [];
}

/**
 * Tickers, permanent ids and roots, each once, in the order of the request; those of patterns and
 * ranges are not known, and texts that no security can have are left out.
 */
export function namedIdentifiers({
  dataset,
  predicates,
}: Pick<QueryPlan, 'dataset' | 'predicates'>): string[] {
  const columns = new Set([...dataset.identifierColumns, ...dataset.universeColumns]);
  const named = predicates.filter(({ column }) => columns.has(column.name)).flatMap(namesOf);
  return [...new Set(named.map(String).filter(isKeptSymbol))].slice(0, NAMED_IDENTIFIERS_MAX);
}

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

  /** True if watched rows were read; making a file reads none. */
  get areRowsSeen(): boolean {
    return this.#areRowsSeen;
  }

  /** Identifiers without a row so far, in the order of the request. */
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
    // Without the engine's own text, whose rows nobody sees.
    return { rows: rows.bind(this), parquet: source.parquet };
  }
}

/**
 * Null where the plan lists no identifiers, and on later pages, which repeat nothing of the first.
 */
export function listedIdentifiers(plan: QueryPlan): ListedIdentifiers | null {
  const lists = listsOf(plan);
  if (lists.length === 0 || plan.offset > 0) return null;
  return new ListedIdentifiers(lists.map((list) => ({ list, unseen: new Set(list.values) })));
}

/** True for an identifier column and for the date column. */
export function isOfIdentifierOrDate(dataset: Dataset, column: Column): boolean {
  return column.name === dataset.dateColumn || isIdentifier(dataset, column);
}

/** True if a filter may hide rows of identifiers that have some on these dates. */
function hasOtherFilters({ dataset, predicates }: QueryPlan): boolean {
  return predicates.some(({ column }) => !isOfIdentifierOrDate(dataset, column));
}

/** True if the rows of the plan would have shown any row of a listed identifier. */
export function isToldByRows(plan: QueryPlan, { lists, areRowsSeen }: ListedIdentifiers): boolean {
  const names = new Set(plan.columns.map(({ name }) => name));
  const areAnswered = lists.every(({ list }) => names.has(list.column.name));
  return areRowsSeen && areAnswered && !hasOtherFilters(plan);
}
