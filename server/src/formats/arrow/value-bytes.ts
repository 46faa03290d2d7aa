import type { DataType } from '../../catalog/dataset.ts';

/** Bytes of a value in a record batch, or about as many; of a text, those of its code. */
export const VALUE_BYTES: Readonly<Record<DataType, number>> = {
  string: 4,
  integer: 8,
  number: 8,
  decimal: 16,
  boolean: 1,
  date: 4,
  'date-time': 8,
  'array of string': 32,
  'array of integer': 32,
  'array of number': 32,
};
