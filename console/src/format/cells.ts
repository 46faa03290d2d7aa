/** How values look in the table. What is copied and downloaded stays as the service wrote it. */
import type { QueryForm } from '@ticklake/client';

type Cell = string | null;
type DataType = QueryForm['columns'][number]['data_type'];

const PLAIN_NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/;
const THOUSANDS = /\B(?=(\d{3})+$)/g;
/** Longer fractions are seldom: they are shown whole, and nothing else is filled up to them. */
const DECIMALS_MAX = 9;
const SEPARATOR = ',';

export interface CellFormat {
  /** Digits after the point that shorter values are filled up to. */
  readonly decimals: number;
  readonly hasSeparators: boolean;
}

export function isNumeric(dataType: DataType | null): boolean {
  return dataType === 'number' || dataType === 'integer' || dataType === 'decimal';
}

/** As many digits after the point as the longest of these values has. */
export function decimalsOf(
  dataType: DataType | null,
  cells: readonly (Cell | undefined)[],
): number {
  if (dataType !== 'number' && dataType !== 'decimal') return 0;
  const fractions = cells.map((cell) => PLAIN_NUMBER.exec(cell ?? '')?.[3]?.length ?? 0);
  return Math.min(
    DECIMALS_MAX,
    fractions.reduce((most, length) => Math.max(most, length), 0),
  );
}

/** Prices stand beside each other and are told alike: each as the longest of them. */
export function withEqualPrices(names: readonly string[], decimals: readonly number[]): number[] {
  const isPrice = (at: number) => names[at]!.endsWith('Price');
  const most = Math.max(0, ...decimals.filter((_, at) => isPrice(at)));
  return decimals.map((own, at) => (isPrice(at) ? most : own));
}

/** The empty text is two quotes, a missing value nothing. Digits are added, never taken away. */
export function cellText(cell: Cell | undefined, format: CellFormat | null): string {
  if (cell === '') return '""';
  const match = format === null ? null : PLAIN_NUMBER.exec(cell ?? '');
  if (format === null || match === null) return cell ?? '';
  const [, sign = '', whole = '', fraction = ''] = match;
  const filled = fraction.padEnd(format.decimals, '0');
  const grouped = format.hasSeparators ? whole.replace(THOUSANDS, SEPARATOR) : whole;
  return `${sign}${grouped}${filled === '' ? '' : `.${filled}`}`;
}
