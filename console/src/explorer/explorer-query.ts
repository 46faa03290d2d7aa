import type { Operator } from '@ticklake/client';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerSearch, TextName } from './explorer-search';

export const OPERATORS = {
  eq: { label: 'is', operand: 'value' },
  gt: { label: 'is more than', operand: 'value' },
  ge: { label: 'is at least', operand: 'value' },
  lt: { label: 'is less than', operand: 'value' },
  le: { label: 'is at most', operand: 'value' },
  in: { label: 'is one of', operand: 'list' },
  like: { label: 'matches', operand: 'pattern' },
  ilike: { label: 'matches, ignoring case', operand: 'pattern' },
  // The service has no such operator: it is equality with no text.
  empty: { label: 'is empty', operand: 'none' },
} as const satisfies Record<
  Operator | 'empty',
  { readonly label: string; readonly operand: string }
>;

export type FilterOperator = keyof typeof OPERATORS;

function isOperator(name: string): name is FilterOperator {
  return Object.hasOwn(OPERATORS, name);
}

export interface FilterRow {
  /** '' until one is chosen. */
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: string;
}

/** No value was entered yet. */
export function isUnfinished({ operator, value }: FilterRow): boolean {
  return value === '' && operator !== 'empty';
}

export interface SortRow {
  readonly column: string;
  readonly isDescending: boolean;
}

type QueryText = Exclude<TextName, 'columns' | 'sort'>;

export interface ExplorerQuery extends Readonly<Record<QueryText, string>> {
  /** Empty: all of them. */
  readonly columns: readonly string[];
  readonly filters: readonly FilterRow[];
  readonly sort: readonly SortRow[];
}

function readFilter(text: string): FilterRow {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? '' : text.slice(equals + 1);
  const dot = name.lastIndexOf('.');
  const operator = name.slice(dot + 1);
  if (dot === -1 || !isOperator(operator)) return { column: name, operator: 'eq', value };
  return { column: name.slice(0, dot), operator, value };
}

function readSortRow(text: string): SortRow {
  const isDescending = text.startsWith('-');
  return { column: isDescending ? text.slice(1) : text, isDescending };
}

function listOf(text = ''): string[] {
  return text === '' ? [] : text.split(',');
}

export function sortOfText(text = ''): readonly SortRow[] {
  return listOf(text).map(readSortRow);
}

export function queryOfSearch(search: ExplorerSearch): ExplorerQuery {
  return {
    dataset: search.dataset ?? '',
    date: search.date ?? '',
    identifier: search.identifier ?? '',
    from: search.from ?? '',
    to: search.to ?? '',
    period: search.period ?? '',
    version: search.version ?? '',
    columns: listOf(search.columns),
    filters: (search.filters ?? []).map(readFilter),
    sort: sortOfText(search.sort),
  };
}

/** `Volume,-TradeDate`; a column that is not chosen yet is left out. */
export function sortText(sort: readonly SortRow[]): string {
  return sort
    .filter(({ column }) => column !== '')
    .map(({ column, isDescending }) => `${isDescending ? '-' : ''}${column}`)
    .join(',');
}

/** The search without the tab and whether it runs; nothing is written of what is not set. */
export function searchOfQuery(query: ExplorerQuery): ExplorerSearch {
  const { columns, filters, sort, ...others } = query;
  const texts = { ...others, columns: columns.join(','), sort: sortText(sort) };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ...(filters.length > 0 && {
      filters: filters.map(({ column, operator, value }) => `${column}.${operator}=${value}`),
    }),
  };
}

/**
 * The query's changes for a variant, which has other versions and may lack columns. A filter by
 * one of these stays and is refused: there would be other rows without it.
 */
export function ofVariant({ columns, sort }: ExplorerQuery, variant: DatasetShape) {
  const has = (name: string) => variant.columns.some((column) => column.name === name);
  return {
    ...{ dataset: variant.dataset_id, version: '' },
    columns: columns.filter(has),
    sort: sort.filter(({ column }) => has(column)),
  };
}

/** The query as it is when another dataset is chosen: what depends on columns is dropped. */
export function withDataset(query: ExplorerQuery, dataset: string): ExplorerQuery {
  return { ...query, dataset, period: '', version: '', columns: [], filters: [], sort: [] };
}
