import type { QueryForm } from '@ticklake/client';
import { ruleDatesText } from '../format/texts';
import { isRoot } from './futures-symbols';

export type DatasetShape = QueryForm;
export type ShapeColumn = QueryForm['columns'][number];
type ShapeVariant = QueryForm['variants'][number];

export function variantParameters(shape: DatasetShape): Readonly<Record<string, string>> {
  const own = shape.variants.find(({ dataset_id }) => dataset_id === shape.dataset_id);
  return own?.parameters ?? {};
}

/** The variant that differs in nothing but its adjustment; null where there is none to read. */
export function otherAdjustment(shape: DatasetShape) {
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
export function identifierColumns(shape: DatasetShape) {
  if (shape.path_parameters.includes('identifier')) return null;
  const names = shape.required_filters[0] ?? IDENTIFIER_COLUMNS;
  const columns = names.flatMap((name) => shape.columns.filter((column) => column.name === name));
  if (columns.length === 0) return null;
  return {
    text: columns.find(({ data_type }) => TEXT_TYPES.includes(data_type))?.name ?? null,
    integer: columns.find(({ data_type }) => data_type === 'integer')?.name ?? null,
  };
}

/** The identifiers are roots, and rows are of their contracts. */
export function areRoots(shape: DatasetShape, identifiers: readonly string[]): boolean {
  const isAsked = shape.required_filters[0]?.includes(shape.root_column ?? '') ?? false;
  return isAsked && identifiers.every(isRoot);
}

/**
 * The columns that the path gives and that cannot be filtered: of those of identifiers only the one
 * that this identifier is matched with, the integer one if it is all digits.
 */
function columnsOfPath(shape: DatasetShape, identifier: string): readonly string[] {
  const isNumber = /^\d+$/.test(identifier.trim());
  const isInteger = (name: string | null) =>
    shape.columns.some((column) => column.name === name && column.data_type === 'integer');
  const [first] = shape.path_forms;
  const form = shape.path_forms.find((each) => isInteger(each.identifier_column) === isNumber);
  return (form ?? first)?.unfilterable_columns ?? [];
}

export function filterableColumns(shape: DatasetShape, identifier: string) {
  const given = columnsOfPath(shape, identifier);
  return shape.columns.filter(
    ({ name, operators }) => !given.includes(name) && operators.length > 0,
  );
}

/** The column of the fields From and To; null where the path gives the date, or there is none. */
export function rangeColumn(shape: DatasetShape): string | null {
  return shape.path_parameters.includes('trade_date') ? null : shape.date_column;
}

const IDENTIFIERS_SHOWN = 6;

const PARAMETER_TEXTS: Readonly<Record<string, (value: string) => string>> = {
  adjusted: (value) => (value === 'true' ? 'adjusted' : 'as traded'),
  aggregation_logic: (value) => (value === 'industry_std' ? 'industry standard' : value),
};

/** `Adjusted, industry standard`. */
export function variantLabel({ parameters, dataset_name, is_entitled }: ShapeVariant): string {
  const texts = Object.entries(parameters).map(
    ([name, value]) => PARAMETER_TEXTS[name]?.(value) ?? `${name} ${value}`,
  );
  const text = texts.length > 0 ? texts.join(', ') : dataset_name;
  const label = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return is_entitled ? label : `${label} (no access)`;
}

function listText(identifiers: readonly string[]): string {
  if (identifiers.length === 0) return 'all identifiers';
  const shown = identifiers.slice(0, IDENTIFIERS_SHOWN).join(', ');
  const more = identifiers.length - IDENTIFIERS_SHOWN;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

export function accessText({ rules, is_entitled }: DatasetShape): string {
  if (!is_entitled || rules.length === 0) {
    return 'No rule gives your account access to this dataset.';
  }
  const texts = rules.map(({ start_date, end_date, universe_identifiers }) => {
    return `${ruleDatesText(start_date, end_date)}, ${listText(universe_identifiers)}`;
  });
  return `You may read: ${texts.join('; ')}.`;
}

export function identifierExample(shape: DatasetShape): string {
  const columns = identifierColumns(shape);
  if (shape.root_column !== null) return columns === null ? 'ESZ6 or ES.c.0' : 'ESZ6, ES or ES.c.0';
  if (columns === null) return 'Ticker or number';
  return [columns.text, columns.integer].filter((name) => name !== null).join(' or ');
}

export function identifierHint(shape: DatasetShape): string {
  const columns = identifierColumns(shape);
  if (columns === null) return 'A ticker, or a number where the dataset has them';
  const names = [columns.text, columns.integer].filter((name) => name !== null);
  if (shape.root_column !== null) {
    return 'A contract such as ESZ6, a root such as ES, or a continuous contract such as ES.c.0; several are separated by commas';
  }
  const instead = (shape.required_filters[0] ?? []).filter((name) => !names.includes(name));
  const orElse = instead.length > 0 ? `; or filter by ${instead.join(' or ')}` : '';
  return `${names.join(' or ')}; several are separated by commas${orElse}`;
}
