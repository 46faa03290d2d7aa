/** The rows that a snippet has to end with, from the text of the answer's own JSON. */
import type { DataType } from '@ticklake/client';

/** A value in full: an integer by its digits, a time with nine fraction digits. */
export type Cell = string | number | readonly string[] | { readonly integer: string } | null;

interface Column {
  readonly name: string;
  readonly data_type: DataType;
}

/** A number of the JSON as it is written. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function keepDigits(_: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? new Digits(context?.source ?? '') : value;
}

const FRACTION_OR_OFFSET = /(?:\.(\d+))?([+-]\d\d:\d\d)$/;

/** A time of an answer with all digits of its nanoseconds. */
export function withNineDigits(time: string): string {
  return time.replace(
    FRACTION_OR_OFFSET,
    (_, fraction = '', offset) => `.${fraction.padEnd(9, '0')}${offset}`,
  );
}

function cellOf(value: unknown, dataType: DataType): Cell {
  if (value === null) return null;
  if (!(value instanceof Digits)) {
    return dataType === 'date-time' ? withNineDigits(value as string) : (value as Cell);
  }
  return dataType === 'integer' ? { integer: value.text } : Number(value.text);
}

/** Rows of one JSON answer, each with a cell for each column. */
export function cellsOfAnswer(text: string, columns: readonly Column[]): Cell[][] {
  const { data } = JSON.parse(text, keepDigits) as { data: Record<string, unknown>[] };
  return data.map((row) => columns.map(({ name, data_type }) => cellOf(row[name], data_type)));
}

/** A time with nine fraction digits as nanoseconds since 1970. */
export function nanosecondsOf(time: string): bigint {
  const [, fraction = ''] = FRACTION_OR_OFFSET.exec(time) ?? [];
  const seconds = BigInt(Date.parse(time.replace(`.${fraction}`, ''))) / 1000n;
  return seconds * 1_000_000_000n + BigInt(fraction);
}
