/** How a dataset is asked for, as the service tells it. */
import { queryOptions } from '@tanstack/react-query';
import { getJson } from '../api/client';
import type { CatalogueRow, DataType } from '../api/records';
import type { Operator } from './operators';

export interface ShapeColumn {
  readonly name: string;
  readonly data_type: DataType | 'array of string';
  readonly operators: readonly Operator[];
}

export interface ShapeVariant {
  readonly dataset_id: string;
  readonly dataset_name: string;
  /** Parameters that choose it, such as `adjusted: "true"`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly is_entitled: boolean;
}

interface RowLimits {
  readonly default: number;
  readonly maximum: number;
}

export interface DatasetShape {
  readonly dataset_id: string;
  readonly group: string;
  readonly segment: string;
  readonly path_parameters: readonly ('trade_date' | 'identifier')[];
  readonly parameters: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly variants: readonly ShapeVariant[];
  /** Of each list one column has to be filtered, by equality or a list. */
  readonly required_filters: readonly (readonly string[])[];
  readonly unfilterable_columns: readonly string[];
  readonly default_period: string | null;
  readonly date_column: string | null;
  readonly time_zone: string;
  readonly sort_columns: readonly string[];
  readonly columns: readonly ShapeColumn[];
  readonly limits: Readonly<Record<'json' | 'csv' | 'csv_gzip', RowLimits>>;
  readonly is_entitled: boolean;
  readonly rules: readonly {
    readonly start_date: string;
    readonly end_date: string | null;
    readonly universe_identifiers: readonly string[];
  }[];
}

export const myDatasetsQuery = queryOptions({
  queryKey: ['catalogue', 'my'],
  queryFn: ({ signal }) => getJson<readonly CatalogueRow[]>('/meta/datasets/my', signal),
});

export function shapeQuery(datasetId: string) {
  return queryOptions({
    queryKey: ['dataset', datasetId, 'query'],
    queryFn: ({ signal }) =>
      getJson<DatasetShape>(`/meta/datasets/${encodeURIComponent(datasetId)}/query`, signal),
    enabled: datasetId !== '',
  });
}

/** The parameters that choose this variant of its segment. */
export function variantParameters(shape: DatasetShape): Readonly<Record<string, string>> {
  const own = shape.variants.find(({ dataset_id }) => dataset_id === shape.dataset_id);
  return own?.parameters ?? {};
}

export function hasPeriod(shape: DatasetShape): boolean {
  return shape.parameters.some(({ name }) => name === 'period');
}

const IDENTIFIER_COLUMNS = ['Ticker', 'ASID', 'SecId'];
const TEXT_TYPES: readonly string[] = ['string', 'array of string'];

/**
 * The columns that an identifier is looked for in: those that the dataset wants filtered, else the
 * usual ones. Null where the path takes it, or where rows name nothing.
 */
export function identifierColumns(
  shape: DatasetShape,
): { readonly text: string | null; readonly integer: string | null } | null {
  if (shape.path_parameters.includes('identifier')) return null;
  const names = shape.required_filters[0] ?? IDENTIFIER_COLUMNS;
  const columns = names.flatMap((name) => shape.columns.filter((column) => column.name === name));
  if (columns.length === 0) return null;
  return {
    text: columns.find(({ data_type }) => TEXT_TYPES.includes(data_type))?.name ?? null,
    integer: columns.find(({ data_type }) => data_type === 'integer')?.name ?? null,
  };
}

/** The column of the fields From and To; null where the path gives the date, or there is none. */
export function rangeColumn(shape: DatasetShape): string | null {
  return shape.path_parameters.includes('trade_date') ? null : shape.date_column;
}
