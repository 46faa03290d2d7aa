/**
 * Samples of rows. Each row has a place below a million, computed of the columns of its dataset's
 * natural order, which no rule hides. A sample is the rows below a place: the same ones for every
 * engine, key and page, and among those of each larger sample. Other places are other samples.
 */
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import type { Predicate } from './query-plan.ts';

export const PLACE_COUNT = 1_000_000;

/** Digits of the MD5 of a text that its whole number is made of, as hexadecimal ones. */
export const TEXT_DIGITS = 7;
/** Numbers count in thousandths, those beyond as 0. */
export const THOUSANDTHS = 1000;
export const NUMBER_MAX = 1e12;

/** The column of the places, whose name is illegal in datasets; null: nothing tells rows apart. */
function placeColumn({ naturalOrder, columnByName }: Dataset): Column | null {
  const columns = naturalOrder.map((name) => columnByName.get(name) as Column);
  // Engines round decimals otherwise.
  const madeOf = columns.filter(({ dataType }) => dataType !== 'decimal');
  if (madeOf.length === 0) return null;
  return { name: 'sample', dataType: 'integer', description: '', fractionDigits: 0, madeOf };
}

/** The condition that a row is below the place; null: all rows pass, or there are no places. */
export function samplePredicate(dataset: Dataset, place: number | null): Predicate | null {
  const column = place === null ? null : placeColumn(dataset);
  return column && { column, operator: 'lt', value: BigInt(place as number) };
}

/** The share of the rows that such a condition lets pass. */
export const shareOf = (predicate: Predicate) =>
  'value' in predicate ? Number(predicate.value) / PLACE_COUNT : 1;

/** The columns of parts that a column of a condition is read from. */
export const readFrom = (column: Column): readonly Column[] => column.madeOf ?? [column];

/** Whole numbers of 64 bits as an engine computes with them. None of the steps exceeds them. */
export interface Arithmetic<T> {
  /** The whole number of a column's value; 0 of none. */
  wholeOf(column: Column): T;
  constant(value: number): T;
  /** The bits of `WORD_MAX`, past `first` others. */
  bits(value: T, first: number): T;
  xor(a: T, b: T): T;
  timesModulo(value: T, factor: number, modulus: number): T;
}

const WORD_BITS = 31;
export const WORD_MAX = 2 ** WORD_BITS - 1;
const WIDE: readonly DataType[] = ['integer', 'number', 'date-time'];
const [KEY, FACTOR, LAST_FACTOR] = [1_540_483_477, 1_500_450_271, 1_812_433_253];
/** Primes, of which the last ones are more than 31 bits. */
const [PRIME, WIDE_PRIME, LAST_PRIME] = [2_147_483_629, 4_294_967_291, 4_294_967_279];

/** The place of a row. Clients keep samples: what it computes may not change between releases. */
export function placeOf<T>(columns: readonly Column[], arithmetic: Arithmetic<T>): T {
  const { wholeOf, constant, bits, xor, timesModulo } = arithmetic;
  const words = columns.flatMap((column) => {
    const whole = wholeOf(column);
    const firsts = WIDE.includes(column.dataType) ? [0, WORD_BITS] : [0];
    return firsts.map((first) => bits(whole, first));
  });
  const key = constant(KEY);
  const mixed = words.reduce(
    (sum, word) => timesModulo(xor(sum, word), 1_103_515_245, PRIME),
    constant(0),
  );
  const spread = timesModulo(xor(mixed, key), FACTOR, WIDE_PRIME);
  return timesModulo(timesModulo(xor(spread, key), LAST_FACTOR, LAST_PRIME), 1, PLACE_COUNT);
}
