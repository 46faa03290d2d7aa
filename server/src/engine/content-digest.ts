/**
 * Digests of rows that depend on nothing but the rows: not on their order, the parts that they lie
 * in, the engine or the format of its files. The digest of a row is the MD5 of its canonical text,
 * read as a little-endian number of 128 bits, in an upper half and a lower one; the digest of many
 * rows is the sum of theirs, each half modulo 2^64. So the digest of a version is the sum of those
 * of its parts. It tells rows apart that differ by mistake; against forgery there is the SHA-256 of
 * what is stored.
 *
 * The canonical text has `Name=value` for each column that is not null, in the order of the names,
 * with NUL between them. Integers are decimal, decimals with all digits of their scale; numbers are
 * the shortest text that reads back, in the form of Python's `repr`; booleans `true` and `false`;
 * dates `YYYY-MM-DD`; date-times nanoseconds since 1970 in UTC; texts as they are. Each element of
 * an array is its length in bytes of UTF-8, a colon and its text. Homes keep these digests, so with
 * another text `lake verify --rows` would find all of their parts damaged.
 */
import { createHash } from 'node:crypto';
import type { Column } from '../catalog/dataset.ts';
import type { CellValue } from './columns.ts';

type DigestColumn = Pick<Column, 'name' | 'dataType' | 'scale'>;

const LANE_BITS = 64;
const LANE_DIGITS = 16;
/** The digest of no rows. */
export const EMPTY_DIGEST = '0'.repeat(2 * LANE_DIGITS);
export const ROW_SEPARATOR_CODE = 0;

/** The columns in the order of the canonical text. */
export function inDigestOrder<T extends Pick<Column, 'name'>>(columns: readonly T[]): T[] {
  return columns.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A digest out of the sums of its halves, which may be greater than 64 bits. */
export function digestOfLanes(upper: bigint, lower: bigint): string {
  return [upper, lower]
    .map((lane) => BigInt.asUintN(LANE_BITS, lane).toString(16).padStart(LANE_DIGITS, '0'))
    .join('');
}

/** The digest of the rows of several digests together. */
export function sumOfDigests(digests: Iterable<string>): string {
  let [upper, lower] = [0n, 0n];
  for (const digest of digests) {
    upper += BigInt(`0x${digest.slice(0, LANE_DIGITS)}`);
    lower += BigInt(`0x${digest.slice(LANE_DIGITS)}`);
  }
  return digestOfLanes(upper, lower);
}

/** As Python's `repr` writes it. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const size = `${Math.abs(exponent)}`.padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  const text = Object.is(value, -0) ? '-0' : BigInt(Math.trunc(value)).toString();
  return Number.isInteger(value) ? `${text}.0` : `${value}`;
}

function decimalText(value: bigint, scale: number): string {
  const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const text = scale === 0 ? whole : `${whole}.${digits.slice(-scale)}`;
  return value < 0n ? `-${text}` : text;
}

function elementText(value: unknown): string {
  const text = typeof value === 'number' ? numberText(value) : `${value}`;
  return `${Buffer.byteLength(text)}:${text}`;
}

function valueText({ dataType, scale = 0 }: DigestColumn, value: Exclude<CellValue, null>): string {
  if (dataType === 'decimal') return decimalText(BigInt(value as bigint), scale);
  if (typeof value === 'number' && dataType === 'number') return numberText(value);
  return Array.isArray(value) ? value.map(elementText).join('') : `${value}`;
}

/** The canonical text of a row, whose cells are in the order of the columns. */
function canonicalRow(columns: readonly DigestColumn[], row: readonly CellValue[]): string {
  const cells = columns.map((column, c) => ({ ...column, value: row[c] ?? null }));
  return inDigestOrder(cells)
    .flatMap(({ value, ...column }) =>
      value === null ? [] : [`${column.name}=${valueText(column, value)}`],
    )
    .join(String.fromCharCode(ROW_SEPARATOR_CODE));
}

/** The digest of rows, for engines without a faster way. */
export function digestOfRows(
  columns: readonly DigestColumn[],
  rows: Iterable<readonly CellValue[]>,
): string {
  let [upper, lower] = [0n, 0n];
  for (const row of rows) {
    const digest = createHash('md5').update(canonicalRow(columns, row)).digest();
    lower += digest.readBigUInt64LE(0);
    upper += digest.readBigUInt64LE(8);
  }
  return digestOfLanes(upper, lower);
}
