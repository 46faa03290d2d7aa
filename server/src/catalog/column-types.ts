/** Properties of column types. Pure. */
import type { Column, DataType } from './dataset.ts';

/** Digits of the longest decimals. */
export const DECIMAL_DIGITS_MAX = 38;

/** The type of the elements of an array, or the type itself. */
const ELEMENT_TYPES: Readonly<Partial<Record<DataType, DataType>>> = {
  'array of string': 'string',
  'array of integer': 'integer',
  'array of number': 'number',
};

export function isArray(dataType: DataType): boolean {
  return ELEMENT_TYPES[dataType] !== undefined;
}

/** The type that a filter's value is compared with: an array's elements, or the column's. */
export function elementType(dataType: DataType): DataType {
  return ELEMENT_TYPES[dataType] ?? dataType;
}

/** Digits of a decimal column. */
export interface DecimalDigits {
  readonly precision: number;
  readonly scale: number;
}

/** The digits of a column that is known to be a decimal. */
export function decimalDigits({ name, precision, scale }: Column): DecimalDigits {
  if (precision === undefined || scale === undefined) throw new Error(`${name} is no decimal`);
  return { precision, scale };
}

/** The type as people read it: `integer`, `decimal(18, 4)`. */
export function typeText(column: Pick<Column, 'dataType' | 'precision' | 'scale'>): string {
  const { dataType, precision, scale } = column;
  return dataType === 'decimal' ? `decimal(${precision}, ${scale})` : dataType;
}
