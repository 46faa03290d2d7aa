/**
 * Digests of rows that depend on nothing but the rows: not on their order, the parts that they lie
 * in, the engine or the format of its files. A field's digest is the MD5 of its canonical text,
 * read as a little-endian number of 128 bits. A row's digest is the exclusive or of its fields'.
 * The digest of many rows is the sum of theirs, the upper and the lower half each modulo 2^64. So
 * the digest of a version is the sum of those of its parts. It tells rows apart that differ by
 * mistake; against forgery there is the SHA-256 of what is stored.
 *
 * An engine can compute a field's digest once for each value of a dictionary, and columns have few
 * values: the MD5 of each row's text took twice the time for ticks and three times for bars.
 *
 * The canonical text is `Name=value`; nulls have none. Integers are decimal, decimals with all
 * digits of their scale; numbers are as JSON has them, shortest first, whole ones with `.0` and
 * exponents without `+`; booleans `true` and `false`; dates `YYYY-MM-DD`; date-times nanoseconds
 * since 1970 in UTC; texts as they are. Each element of an array is its length in bytes of UTF-8, a
 * colon and its text. Homes keep these digests, so with another text `lake verify --rows` would
 * find all of their parts damaged.
 */
import { createHash } from 'node:crypto';
import type { Column } from '../catalog/dataset.ts';
import type { CellValue } from './columns.ts';

type DigestColumn = Pick<Column, 'name' | 'dataType' | 'scale'>;

const LANE_BITS = 64;
const LANE_DIGITS = 16;
/** The digest of no rows. */
export const EMPTY_DIGEST = '0'.repeat(2 * LANE_DIGITS);

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

function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = `${value}`.replace('e+', 'e');
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
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

/** Columns have few values, and MD5 takes far longer than to find one of these again. */
const KNOWN_FIELDS_MAX = 10_000;

/** The digests of the fields of a column. */
function fieldDigests(column: DigestColumn): (value: CellValue) => bigint {
  const known = new Map<string, bigint>();
  return (value) => {
    if (value === null) return 0n;
    const text = valueText(column, value);
    const found = known.get(text);
    if (found !== undefined) return found;
    const bytes = createHash('md5').update(`${column.name}=${text}`).digest();
    const digest = (bytes.readBigUInt64LE(8) << BigInt(LANE_BITS)) | bytes.readBigUInt64LE(0);
    if (known.size === KNOWN_FIELDS_MAX) known.clear();
    known.set(text, digest);
    return digest;
  };
}

/** The digest of rows, cells in the order of the columns, for engines without a faster way. */
export function digestOfRows(
  columns: readonly DigestColumn[],
  rows: Iterable<readonly CellValue[]>,
): string {
  const fields = columns.map(fieldDigests);
  let [upper, lower] = [0n, 0n];
  for (const row of rows) {
    const digest = fields.reduce((sum, field, c) => sum ^ field(row[c] ?? null), 0n);
    upper += digest >> BigInt(LANE_BITS);
    lower += BigInt.asUintN(LANE_BITS, digest);
  }
  return digestOfLanes(upper, lower);
}
