/** A line of a factor file. */
import { BadField, dateField, decimalField, expectFields } from './fields.ts';

export interface FactorRow {
  /** The last date that the factors apply to. */
  readonly lastDate: string;
  readonly priceFactor: number;
  readonly splitFactor: number;
}

function factorField(field: string, text: string): number {
  const factor = decimalField(field, text);
  if (factor === 0) throw new BadField(field, text, 'a number greater than 0');
  return factor;
}

export function readFactorRow(fields: readonly string[]): FactorRow {
  expectFields(fields, 4);
  const [date, priceFactor, splitFactor] = fields as readonly [string, string, string, string];
  return {
    lastDate: dateField(date),
    priceFactor: factorField('price factor', priceFactor),
    splitFactor: factorField('split factor', splitFactor),
  };
}
