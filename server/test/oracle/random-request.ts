/** Random valid requests: their structure for the oracle, their URL for the service. */
import fc from 'fast-check';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import {
  anyBoolean,
  anyCount,
  anyDate,
  anyInteger,
  anyLevel,
  anyNumber,
  anyText,
  anyTicker,
  anyUnits,
  DATES,
  MULTILINE,
} from './random-rows.ts';
import type { Cell, Row } from './read-rows.ts';
import {
  decimalText,
  halfOf,
  type OracleFilter,
  type OracleRequest,
  timeText,
} from './select-rows.ts';

export const FORMATS = ['json', 'csv', 'csv_gzip', 'arrow', 'parquet'] as const;

export interface RandomRequest extends OracleRequest {
  /** Path below the prefix and query string without `offset`. */
  readonly url: string;
  readonly format: (typeof FORMATS)[number];
  /** Column of the identifier that the path or the required filter names; null without either. */
  readonly identifiedBy: string | null;
}

const ORDERED = ['eq', 'gt', 'ge', 'lt', 'le', 'in'] as const;
const TEXT = ['eq', 'in', 'like', 'ilike'] as const;
const OPERATORS = {
  string: TEXT,
  'array of string': ['eq', 'in', 'like'],
  'array of integer': ['eq', 'in'],
  'array of number': ['eq', 'in'],
  boolean: ['eq', 'in'],
  decimal: ORDERED,
  integer: ORDERED,
  number: ORDERED,
  date: ORDERED,
  'date-time': ORDERED,
} as const;

const anyPattern = fc
  .array(fc.constantFrom('*', 'A', 'a', 'B', 'z', ',', '%', '_', '"'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''));

type Value = Exclude<Cell, null>;

function valueArbitrary(column: Column, rows: readonly Row[]): fc.Arbitrary<Value> {
  const invented: Record<string, fc.Arbitrary<Value>> = {
    string: column.name === 'Ticker' ? anyTicker : anyText,
    'array of string': fc.constantFrom('AAA', 'b', '', 'q"'),
    'array of integer': anyCount,
    'array of number': anyLevel,
    boolean: anyBoolean,
    decimal: anyUnits,
    integer: anyInteger,
    number: anyNumber,
    date: anyDate,
  };
  const seen = [...new Set(rows.map((row) => row[column.name]))].filter(
    (cell): cell is string | number | bigint | boolean =>
      cell !== null && cell !== undefined && !Array.isArray(cell) && cell !== MULTILINE,
  );
  const arbitraries = [
    ...(invented[column.dataType] ? [invented[column.dataType] as fc.Arbitrary<Value>] : []),
    ...(seen.length > 0 ? [fc.constantFrom(...seen)] : []),
  ];
  return fc.oneof(...(arbitraries as [fc.Arbitrary<Value>]));
}

export function anyFilter(column: Column, rows: readonly Row[]): fc.Arbitrary<OracleFilter> {
  const value = valueArbitrary(column, rows);
  return fc.constantFrom(...OPERATORS[column.dataType]).chain((operator) => {
    const values = {
      like: fc.tuple(anyPattern),
      ilike: fc.tuple(anyPattern),
      in: fc.array(value, { minLength: 1, maxLength: 4 }),
    } as Record<string, fc.Arbitrary<Value[]>>;
    return (values[operator] ?? fc.tuple(value)).map((chosen) => ({
      column: column.name,
      operator,
      values: chosen,
    }));
  });
}

function literal(value: Value, column: Column, dataset: Dataset): string {
  if (column.dataType === 'date-time') {
    return timeText(value as bigint, dataset.timeZone, column.fractionDigits);
  }
  if (column.dataType === 'decimal') return decimalText(value as bigint, column.scale ?? 0);
  if (typeof value === 'number') {
    return Math.abs(value) < 1e-6 || Math.abs(value) >= 1e21
      ? value.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 17 })
      : `${value}`;
  }
  return `${value}`;
}

function filterText(filter: OracleFilter, column: Column, dataset: Dataset): string {
  const texts = filter.values.map((value) => literal(value, column, dataset));
  const isList = filter.operator === 'in';
  const quoted = texts.map((text) =>
    text === '' || /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  );
  const value = isList ? quoted.join(',') : (texts[0] as string);
  const name = filter.operator === 'eq' ? filter.column : `${filter.column}.${filter.operator}`;
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

/** The identifier of the path or of the filter that the dataset requires. */
export interface RequestIdentifier {
  readonly column: string;
  readonly value: string | bigint;
}

const anyTickerIdentifier = anyTicker.map(
  (value): RequestIdentifier => ({ column: 'Ticker', value }),
);

/** Some of those that rows have, and one that none has. */
const anyAsidIdentifier = fc
  .constantFrom(0n, 1n, 2n, 7n, 1010000000000001n, 5n)
  .map((value): RequestIdentifier => ({ column: 'ASID', value }));

/** The columns of which the path or a required filter names one. */
export function identifyingColumns(dataset: Dataset): readonly string[] {
  return dataset.pathShape === 'query' ? dataset.requiredFilters : dataset.identifierColumns;
}

function anyIdentifierOf(dataset: Dataset): fc.Arbitrary<RequestIdentifier> {
  const takesAsid = identifyingColumns(dataset).includes('ASID');
  return takesAsid ? fc.oneof(anyTickerIdentifier, anyAsidIdentifier) : anyTickerIdentifier;
}

/** Every request stays inside the default look-back, so that no period hides rows. */
export function anyRequest(
  dataset: Dataset,
  rows: readonly Row[],
  anyIdentifier: fc.Arbitrary<RequestIdentifier> = anyIdentifierOf(dataset),
): fc.Arbitrary<RandomRequest> {
  return anyIdentifier.chain((identifier) => anyRequestFor(dataset, rows, identifier));
}

function anyRequestFor(
  dataset: Dataset,
  rows: readonly Row[],
  identifier: RequestIdentifier,
): fc.Arbitrary<RandomRequest> {
  const isTick = dataset.pathShape === 'tick';
  const isQuery = dataset.pathShape === 'query';
  const identified: OracleFilter = {
    column: identifier.column,
    operator: 'eq',
    values: [identifier.value],
  };
  const inPath = [...(isTick ? ['TradeDate'] : []), ...(isQuery ? [] : [identifier.column])];
  const free = dataset.columns.filter(({ name }) => !inPath.includes(name));
  const anyColumn = fc.constantFrom(...free);
  const names = dataset.columns.map(({ name }) => name);
  return fc
    .record({
      date: fc.constantFrom(...DATES),
      filters: fc.array(
        anyColumn.chain((column) => anyFilter(column, rows)),
        { maxLength: 3 },
      ),
      sort: fc.uniqueArray(
        fc.record({ column: fc.constantFrom(...names), descending: fc.boolean() }),
        {
          maxLength: 3,
          selector: ({ column }) => column,
        },
      ),
      columns: fc.option(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 5 })),
      sample: fc.constantFrom(null, null, null, halfOf(dataset)),
      limit: fc.constantFrom(29, 100, 1000),
      format: fc.constantFrom(...FORMATS),
    })
    .map(({ date, filters, sort, columns, sample, limit, format }) => {
      const needsIdentifier = dataset.requiredFilters.length > 0;
      const queried = [...(needsIdentifier ? [identified] : []), ...filters];
      const pathFilters: OracleFilter[] = [
        ...(isTick ? [{ column: 'TradeDate', operator: 'eq', values: [date] } as const] : []),
        ...(isQuery ? [] : [identified]),
      ];
      const path = [
        '',
        'data',
        dataset.group,
        dataset.segment,
        ...pathFilters.map(({ values }) => encodeURIComponent(`${values[0]}`)),
      ].join('/');
      const query = [
        ...queried.map((filter) =>
          filterText(filter, dataset.columnByName.get(filter.column) as Column, dataset),
        ),
        ...(sort.length > 0
          ? [`sort=${sort.map((s) => `${s.descending ? '-' : ''}${s.column}`).join(',')}`]
          : []),
        ...(columns ? [`columns=${columns.join(',')}`] : []),
        ...(sample ? [sample.text] : []),
        `limit=${limit}`,
        `response_format=${format}`,
      ].join('&');
      return {
        filters: [...pathFilters, ...queried],
        sort,
        columns,
        sample,
        format,
        identifiedBy: isQuery && !needsIdentifier ? null : identifier.column,
        url: `${path}?${query}`,
      };
    });
}

/** The request with another filter. */
export function narrowRequest(
  request: RandomRequest,
  filter: OracleFilter,
  dataset: Dataset,
): RandomRequest {
  const column = dataset.columnByName.get(filter.column) as Column;
  const url = `${request.url}&${filterText(filter, column, dataset)}`;
  return { ...request, filters: [...request.filters, filter], url };
}
