/** Column batches -> rows of text, in JSON or CSV. */
import type { Column, DataType, TimeZone } from '../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector } from '../engine/columns.ts';
import { dateFormatter, numberText, timeFormatter } from './cell-text.ts';

/** The text of one row's value in one column, as it stands in the format. */
type CellReader = (row: number) => string;

/** How a format writes values; what does not differ by format is in `cell-text.ts`. */
interface CellStyle {
  readonly nullText: string;
  readonly string: (value: string) => string;
  readonly array: (value: readonly string[]) => string;
  /** Around dates and times. */
  readonly quote: string;
}

function jsonString(value: string): string {
  return JSON.stringify(value);
}

const NEEDS_QUOTES = /[",\n\r]/;

/** RFC 4180. An empty string is quoted, so that it differs from null. */
export function csvString(value: string): string {
  if (value === '') return '""';
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

const JSON_STYLE: CellStyle = {
  nullText: 'null',
  string: jsonString,
  array: (value) => JSON.stringify(value),
  quote: '"',
};

const CSV_STYLE: CellStyle = {
  nullText: '',
  string: csvString,
  array: (value) => `"${JSON.stringify(value).replaceAll('"', '""')}"`,
  quote: '',
};

/** Strings repeat down a column, so their written form is remembered, up to a bound. */
const REMEMBERED_STRINGS_MAX = 4096;

function rememberStrings(write: (value: string) => string): (value: string) => string {
  const written = new Map<string, string>();
  return (value) => {
    let text = written.get(value);
    if (text === undefined) {
      text = write(value);
      if (written.size < REMEMBERED_STRINGS_MAX) written.set(value, text);
    }
    return text;
  };
}

/** Prices repeat as well; only the last one is remembered. */
function rememberNumber(): (value: number) => string {
  let last = Number.NaN;
  let lastText = '';
  return (value) => {
    if (value !== last) {
      last = value;
      lastText = numberText(value);
    }
    return lastText;
  };
}

type ReaderMaker = (vector: ColumnVector) => CellReader;

function withNulls(nulls: Uint8Array | null, style: CellStyle, read: CellReader): CellReader {
  return nulls === null ? read : (row) => (nulls[row] === 1 ? style.nullText : read(row));
}

type VectorOf<T extends DataType> = Extract<ColumnVector, { type: T }>;

const MAKERS: Record<DataType, (style: CellStyle, column: Column, zone: TimeZone) => ReaderMaker> =
  {
    integer: (style) => (vector) => {
      const { values, nulls } = vector as VectorOf<'integer'>;
      return withNulls(nulls, style, (row) => `${values[row]}`);
    },
    number: (style) => {
      const write = rememberNumber();
      return (vector) => {
        const { values, nulls } = vector as VectorOf<'number'>;
        return withNulls(nulls, style, (row) => write(values[row] as number));
      };
    },
    date: (style) => {
      const write = dateFormatter();
      return (vector) => {
        const { values, nulls } = vector as VectorOf<'date'>;
        const { quote } = style;
        return withNulls(nulls, style, (row) => quote + write(values[row] as number) + quote);
      };
    },
    'date-time': (style, column, zone) => {
      const write = timeFormatter(zone, column.fractionDigits);
      return (vector) => {
        const { values, nulls } = vector as VectorOf<'date-time'>;
        const { quote } = style;
        return withNulls(nulls, style, (row) => quote + write(values[row] as bigint) + quote);
      };
    },
    string: (style) => {
      const write = rememberStrings(style.string);
      return (vector) => {
        const { values } = vector as VectorOf<'string'>;
        return (row) => {
          const value = values[row] as string | null;
          return value === null ? style.nullText : write(value);
        };
      };
    },
    'array of string': (style) => (vector) => {
      const { values } = vector as VectorOf<'array of string'>;
      return (row) => {
        const value = values[row] as readonly string[] | null;
        return value === null ? style.nullText : style.array(value);
      };
    },
  };

/** Writes the rows of a batch, one after the other. One writer serves the batches of one page. */
export type RowWriter = (batch: ColumnBatch, rowCount: number) => string;

function makeWriter(
  columns: readonly Column[],
  zone: TimeZone,
  style: CellStyle,
  before: readonly string[],
  after: string,
): RowWriter {
  const makers = columns.map((column) => MAKERS[column.dataType](style, column, zone));
  return (batch, rowCount) => {
    const readers = makers.map((make, c) => make(batch.columns[c] as ColumnVector));
    let text = '';
    for (let row = 0; row < rowCount; row++) {
      for (let c = 0; c < readers.length; c++) {
        text += before[c] as string;
        text += (readers[c] as CellReader)(row);
      }
      text += after;
    }
    return text;
  };
}

/** Rows as JSON objects, each followed by a comma. */
export function jsonRowWriter(columns: readonly Column[], zone: TimeZone): RowWriter {
  const before = columns.map(({ name }, c) => `${c === 0 ? '{' : ','}${jsonString(name)}:`);
  return makeWriter(columns, zone, JSON_STYLE, before, '},');
}

/** Rows as CSV lines, each ended by `\n`. */
export function csvRowWriter(columns: readonly Column[], zone: TimeZone): RowWriter {
  const before = columns.map((_, c) => (c === 0 ? '' : ','));
  return makeWriter(columns, zone, CSV_STYLE, before, '\n');
}

export function csvHeader(columns: readonly Column[]): string {
  return `${columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(',')}\n`;
}
