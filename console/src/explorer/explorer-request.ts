import { dateOf } from '../format/dates';
import {
  areRoots,
  type DatasetShape,
  hasPeriod,
  identifierColumns,
  rangeColumn,
  variantParameters,
} from './dataset-shape';
import { type ExplorerQuery, type FilterOperator, sortText } from './explorer-query';
import type { TextName } from './explorer-search';
import { continuousName } from './futures-symbols';
import { periodOver } from './look-back';

/** A field of the form; filters are counted: `filter-0`. */
export type FieldName = TextName | `filter-${number}`;

export interface RequestParameter {
  readonly name: string;
  readonly value: string;
  /** Null for what the dataset's variant decides. */
  readonly field: FieldName | null;
}

export interface ExplorerRequest {
  /** Decoded segments below `/data` or `/data-scan`. */
  readonly segments: readonly string[];
  readonly parameters: readonly RequestParameter[];
}

/** A column and an operator; equality needs none. */
function filterName(column: string, operator: FilterOperator): string {
  return operator === 'eq' || operator === 'empty' ? column : `${column}.${operator}`;
}

/** An identifier as the service takes it: of continuous contracts there is one spelling alone. */
function spelled(text: string, { root_column: root }: DatasetShape): string {
  return root === null ? text.trim() : continuousName(text.trim());
}

function identifierParameters(query: ExplorerQuery, shape: DatasetShape): RequestParameter[] {
  const columns = identifierColumns(shape);
  const value = query.identifier.trim();
  if (columns === null || value === '') return [];
  const isInteger = /^[\d,\s]+$/.test(value) && columns.integer !== null;
  const values = value.split(',').map((text) => spelled(text, shape));
  const text = areRoots(shape, values) ? shape.root_column : columns.text;
  const column = (isInteger ? columns.integer : text) ?? columns.integer ?? '';
  const name = filterName(column, values.length > 1 ? 'in' : 'eq');
  return [{ name, value: values.join(','), field: 'identifier' }];
}

/** Nothing where the field is empty. */
function given(name: string, value: string, field: FieldName): RequestParameter[] {
  return value === '' ? [] : [{ name, value, field }];
}

function rangeParameters(query: ExplorerQuery, shape: DatasetShape): RequestParameter[] {
  const column = rangeColumn(shape);
  if (column === null) return [];
  const { from, to } = query;
  if (from !== '' && from === to) return [{ name: column, value: from, field: 'from' }];
  return [
    ...given(filterName(column, 'ge'), from, 'from'),
    ...given(filterName(column, 'le'), to, 'to'),
  ];
}

function filterParameters({ filters }: ExplorerQuery): RequestParameter[] {
  return filters.flatMap(({ column, operator, value: entered }, index) => {
    const value = operator === 'empty' ? '' : entered;
    const field = `filter-${index}` as const;
    return column === '' ? [] : [{ name: filterName(column, operator), value, field }];
  });
}

/** The chosen period, else the one that lets through all days that were asked for. */
function periodParameters(
  { period, from, to }: ExplorerQuery,
  shape: DatasetShape,
  today: string,
): RequestParameter[] {
  if (!hasPeriod(shape)) return [];
  const isOneDay = from !== '' && from === to;
  const value = period.trim() || (isOneDay ? null : periodOver(shape, from, to, today));
  return given('period', value ?? '', 'period');
}

export function requestOf(
  query: ExplorerQuery,
  shape: DatasetShape,
  today = dateOf(Date.now()),
): ExplorerRequest {
  const fromPath = { trade_date: query.date.trim(), identifier: spelled(query.identifier, shape) };
  const variant = Object.entries(variantParameters(shape));
  return {
    segments: [
      shape.group,
      shape.segment,
      ...shape.path_parameters.map((parameter) => fromPath[parameter]),
    ],
    parameters: [
      ...variant.map(([name, value]) => ({ name, value, field: null })),
      ...identifierParameters(query, shape),
      ...rangeParameters(query, shape),
      ...filterParameters(query),
      ...periodParameters(query, shape, today),
      ...given('columns', query.columns.join(','), 'columns'),
      ...given('sort', sortText(query.sort), 'sort'),
      ...given('dataset_version', query.version, 'version'),
    ],
  };
}

/** Escapes too what `encodeURIComponent` leaves and a shell or a reader of links may not. */
function encodeAll(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** In values commas and colons stay as they are, which the service allows and people can read. */
function encodeValue(text: string): string {
  return encodeAll(text).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** Path and query below the version prefix; `more`: what no field gives, as the format and page. */
export function requestPath(
  request: ExplorerRequest,
  more: Readonly<Record<string, string | number>> = {},
  root: 'data' | 'data-scan' = 'data',
): string {
  const path = request.segments.map((segment) => encodeAll(segment)).join('/');
  const pairs = [
    ...request.parameters.map(({ name, value }) => [name, value] as const),
    ...Object.entries(more),
  ].map(([name, value]) => `${encodeAll(name)}=${encodeValue(String(value))}`);
  return `/${root}/${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}
