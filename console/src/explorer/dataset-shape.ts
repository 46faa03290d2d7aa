/** What the form of a request takes from how a dataset is asked for. */
import type { QueryShape } from '../api/records';

export type DatasetShape = QueryShape;
export type ShapeColumn = QueryShape['columns'][number];
export type ShapeVariant = QueryShape['variants'][number];

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
