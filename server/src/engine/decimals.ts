/**
 * Decimals as whole numbers of their last digit: 12.5 with two digits after the point is 1250n.
 * Exact, whatever their number of digits.
 */
import type { DecimalDigits } from '../catalog/column-types.ts';

const DECIMAL = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$/;

/** Parses without exponent; null: no decimal, or too many digits. */
export function parseDecimal(text: string, { precision, scale }: DecimalDigits): bigint | null {
  const match = /\d/.test(text) ? DECIMAL.exec(text) : null;
  if (!match) return null;
  const [, sign, whole = '', fraction = ''] = match;
  if (fraction.length > scale || whole.length > precision - scale) return null;
  const units = BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
  return sign === '-' ? -units : units;
}

/** The shortest decimal text of the value, in plain notation. */
export function decimalText(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = `${units < 0n ? -units : units}`.padStart(scale + 1, '0');
  const pointAt = digits.length - scale;
  const fraction = digits.slice(pointAt).replace(/0+$/, '');
  return `${sign}${digits.slice(0, pointAt)}${fraction && `.${fraction}`}`;
}
