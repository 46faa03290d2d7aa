/** Columns of an Arrow page as numbers. Comes with the first chart, as it brings the library that reads Arrow. */
import { type Data, DataType, type Decimal, type Dictionary, Vector } from 'apache-arrow';
import type { ClockOffset } from './market-clock';

const SECONDS_PER_DAY = 86_400;
const NANOSECONDS_PER_SECOND = 1e9;
const WORD = 2 ** 32;

function decimals({ values, type }: Data, count: number): Float64Array {
  const words = values as Uint32Array;
  const scale = 10 ** (type as Decimal).scale;
  return Float64Array.from({ length: count }, (_, at) => {
    const [low, middle, high, top] = words.subarray(at * 4, at * 4 + 4) as unknown as number[];
    const signed = (top! | 0) * WORD ** 3;
    return (signed + high! * WORD ** 2 + middle! * WORD + low!) / scale;
  });
}

/** Seconds on the market's clock. */
function times({ values }: Data, count: number, offset: ClockOffset): Float64Array {
  const nanoseconds = values as BigInt64Array;
  const seconds = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const utc = Number(nanoseconds[at]) / NANOSECONDS_PER_SECOND;
    seconds[at] = utc + offset(utc);
  }
  return seconds;
}

function plainNumbers({ values, type }: Data, count: number): Float64Array {
  if (DataType.isFloat(type)) return (values as Float64Array).slice(0, count);
  const factor = DataType.isDate(type) ? SECONDS_PER_DAY : 1;
  const numbers = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    numbers[at] = Number((values as BigInt64Array | Int32Array)[at]) * factor;
  }
  return numbers;
}

/** NaN where a value is missing. Dates are seconds too, times those of the market's clock. */
export function numbersOf(column: Data, offset: ClockOffset): Float64Array {
  const { type, length } = column;
  const numbers = DataType.isTimestamp(type)
    ? times(column, length, offset)
    : DataType.isDecimal(type)
      ? decimals(column, length)
      : plainNumbers(column, length);
  if (column.nullCount > 0) {
    for (let at = 0; at < length; at++) if (!column.getValid(at)) numbers[at] = Number.NaN;
  }
  return numbers;
}

/** The text of each row, '' where it is missing; texts of a dictionary are read once. */
export function textsOf(column: Data): (row: number) => string {
  const { dictionary } = column;
  const texts = dictionary ?? new Vector([column]);
  const codes = dictionary ? (column.values as Dictionary['TArray']) : null;
  const known: string[] = [];
  return (row) => {
    if (column.nullCount > 0 && !column.getValid(row)) return '';
    const code = codes ? Number(codes[row]) : row;
    known[code] ??= String(texts.get(code) ?? '');
    return known[code];
  };
}
