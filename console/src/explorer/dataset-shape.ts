/** The parts of a dataset's query shape that the form needs. */
import type { QueryForm } from '@ticklake/client';
import { isRoot } from './futures-symbols';

export type DatasetShape = QueryForm;
export type ShapeColumn = QueryForm['columns'][number];
export type ShapeVariant = QueryForm['variants'][number];

/** The parameters that choose this variant of its segment. */
export function variantParameters(shape: DatasetShape): Readonly<Record<string, string>> {
  const own = shape.variants.find(({ dataset_id }) => dataset_id === shape.dataset_id);
  return own?.parameters ?? {};
}

/** The variant that differs in nothing but its adjustment; null where there is none to read. */
export function otherAdjustment(
  shape: DatasetShape,
): { readonly datasetId: string; readonly isAdjusted: boolean } | null {
  const { adjusted, ...own } = variantParameters(shape);
  if (adjusted === undefined) return null;
  const isOther = ({ parameters, is_entitled }: ShapeVariant) =>
    is_entitled &&
    parameters.adjusted !== adjusted &&
    Object.entries(own).every(([name, value]) => parameters[name] === value);
  const other = shape.variants.find(isOther);
  return other ? { datasetId: other.dataset_id, isAdjusted: adjusted === 'true' } : null;
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

/** Whether the identifiers are roots of contracts, where rows are of contracts. */
export function areRoots(shape: DatasetShape, identifiers: readonly string[]): boolean {
  const isAsked = shape.required_filters[0]?.includes(shape.root_column ?? '') ?? false;
  return isAsked && identifiers.every(isRoot);
}

/**
 * The columns that the path gives and that cannot be filtered: of those of identifiers only the one
 * that this identifier is matched with, the integer one if it is all digits.
 */
export function columnsOfPath(shape: DatasetShape, identifier: string): readonly string[] {
  const isNumber = /^\d+$/.test(identifier.trim());
  const isInteger = (name: string | null) =>
    shape.columns.some((column) => column.name === name && column.data_type === 'integer');
  const [first] = shape.path_forms;
  const form = shape.path_forms.find((each) => isInteger(each.identifier_column) === isNumber);
  return (form ?? first)?.unfilterable_columns ?? [];
}

/** The column of the fields From and To; null where the path gives the date, or there is none. */
export function rangeColumn(shape: DatasetShape): string | null {
  return shape.path_parameters.includes('trade_date') ? null : shape.date_column;
}
