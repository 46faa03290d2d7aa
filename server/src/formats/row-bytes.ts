/** Column batches -> rows of text as bytes, in the style of a format. */
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, DataType } from '../catalog/dataset.ts';
import {
  type ColumnBatch,
  type ColumnVector,
  type StringVector,
  writeCodes,
} from '../engine/columns.ts';
import { NO_CODE, TextCodes } from '../engine/text-codes.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { ByteSink, isSameText, joinedText, NO_TEXT, type Text, textOf } from './byte-sink.ts';
import {
  CELL_BYTES_MAX,
  dateWriter,
  numberText,
  timeWriter,
  writeDecimal,
  writeInteger,
  writeShortDecimal,
} from './cell-bytes.ts';

/** How a format writes values; what does not differ by format is in `cell-bytes.ts`. */
export interface CellStyle {
  readonly nullText: Text;
  readonly string: (value: string) => string;
  /** Around the JSON text of an array. */
  readonly array: (json: string) => string;
  /** Around dates and times. */
  readonly quote: string;
  /** Around 64-bit integers and decimals. */
  readonly exactQuote: string;
}

/** Making a text to copy costs as much as writing its string so often. */
const COPIED_FROM = 8;

/**
 * Writes strings: letter by letter, until one has come so often in a row that a text to copy pays.
 * Looking for one among all that came before costs as much as the letters.
 */
function stringWriter(
  { nullText, string: write }: CellStyle,
  before: Text,
): (sink: ByteSink, value: string | null) => void {
  const nothing = joinedText(before, nullText);
  let last: string | null = null;
  let lastText: Text | null = nothing;
  let timesInRow = 0;
  return (sink, value) => {
    if (value !== last) {
      last = value;
      lastText = value === null ? nothing : null;
      timesInRow = 0;
    }
    if (lastText !== null) {
      sink.makeRoom(lastText.length);
      sink.copy(lastText);
      return;
    }
    const written = write(value as string);
    sink.copyString(before, written);
    timesInRow += 1;
    if (timesInRow === COPIED_FROM) lastText = joinedText(before, textOf(written));
  };
}

/** Writes one row's value of a column, and the text before it. */
type CellWriter = (sink: ByteSink, row: number) => void;
type WriterMaker = (vector: ColumnVector, before: Text) => CellWriter;
/** Writes the cells of a column, and tells whether all of them are the same. */
interface Cells {
  readonly write: CellWriter;
  readonly isConstant: () => boolean;
}
type CellsMaker = (vector: ColumnVector, before: Text, rowCount: number) => Cells;
type VectorOf<T extends DataType> = Extract<ColumnVector, { type: T }>;

export interface CellContext {
  readonly style: CellStyle;
  readonly zone: TimeZone;
}

/** Calls `make` only when the text has changed; mostly it stays the same for a whole page. */
function madeOnce<T>(make: (before: Text) => T): (before: Text) => T {
  let lastBefore: Text | null = null;
  let last: T;
  return (before) => {
    if (lastBefore === null || !isSameText(before, lastBefore)) last = make(before);
    lastBefore = before;
    return last;
  };
}

function withNulls(nulls: Uint8Array | null, nullText: Text, write: CellWriter): CellWriter {
  if (nulls === null) return write;
  return (sink, row) => {
    if (nulls[row] === 1) sink.copy(nullText);
    else write(sink, row);
  };
}

/** 64-bit integers as pairs of 32 bits, the low one first, as all supported machines keep them. */
function halvesOf(values: BigInt64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2);
}

/** Writes a text after each cell. */
function closedBy(after: Text, write: CellWriter): CellWriter {
  if (after.length === 0) return write;
  return (sink, row) => {
    write(sink, row);
    sink.copy(after);
  };
}

/** The first so many rows of a column tell whether its texts repeat, and how often they have to. */
const SEEN_ROWS = 128;
const ROWS_PER_TEXT_MIN = 4;
/** More texts of a column than these are not kept. */
const TEXTS_MAX = 4096;

/**
 * Writes strings that repeat as texts, which are found by the engine's own words: no string is made
 * for a row. Others are written letter by letter.
 */
function stringCells({ style }: CellContext): CellsMaker {
  const lettersAfter = madeOnce((before) => stringWriter(style, before));
  const textsAfter = madeOnce<(Text | undefined)[]>(() => []);
  let ofRows = new Int32Array(0);
  /** Null: the texts do not repeat; undefined: not enough of them have been seen. */
  let kept: TextCodes | null | undefined;

  /** The codes of the texts, with those of the rows in `ofRows`; null: they are not kept. */
  function find(vector: StringVector, rowCount: number): TextCodes | null {
    if (kept === null) return null;
    const isFirst = kept === undefined;
    if (isFirst && rowCount < SEEN_ROWS) return null;
    const codes = kept ?? new TextCodes();
    if (ofRows.length < rowCount) ofRows = new Int32Array(rowCount);
    const seen = isFirst ? SEEN_ROWS : 0;
    writeCodes(vector, codes, ofRows, 0, 0, seen);
    const repeats = !isFirst || codes.count * ROWS_PER_TEXT_MIN <= seen;
    if (repeats) writeCodes(vector, codes, ofRows, seen, seen, rowCount);
    kept = repeats && codes.count <= TEXTS_MAX ? codes : null;
    return kept;
  }

  return (vector, before, rowCount) => {
    const strings = vector as StringVector;
    const codes = find(strings, rowCount);
    if (codes === null) {
      const { values } = strings;
      const write = lettersAfter(before);
      return {
        write: (sink, row) => write(sink, values[row] as string | null),
        isConstant: () => isConstant(vector),
      };
    }
    const texts = textsAfter(before);
    const nothing = joinedText(before, style.nullText);
    const textOfCode = (code: number) => {
      if (code === NO_CODE) return nothing;
      const known = texts[code];
      if (known) return known;
      const string = Buffer.from(codes.texts[code] as Uint8Array).toString();
      const text = joinedText(before, textOf(style.string(string)));
      texts[code] = text;
      return text;
    };
    return {
      write: (sink, row) => {
        const text = textOfCode(ofRows[row] as number);
        sink.makeRoom(text.length);
        sink.copy(text);
      },
      isConstant: () => ofRows.subarray(0, rowCount).every((code) => code === ofRows[0]),
    };
  };
}

type Maker = (context: CellContext, column: Column) => WriterMaker;

const MAKERS: Record<Exclude<DataType, 'string'>, Maker> = {
  integer:
    ({ style }) =>
    (vector, before) => {
      const { values, nulls } = vector as VectorOf<'integer'>;
      const halves = halvesOf(values);
      const quote = textOf(style.exactQuote);
      const opened = joinedText(before, quote);
      const write = closedBy(quote, (sink, row) => {
        sink.copy(opened);
        writeInteger(sink, halves[row * 2] as number, halves[row * 2 + 1] as number);
      });
      return withNulls(nulls, joinedText(before, style.nullText), write);
    },
  number:
    ({ style }) =>
    (vector, before) => {
      const { values, nulls } = vector as VectorOf<'number'>;
      return withNulls(nulls, joinedText(before, style.nullText), (sink, row) => {
        const value = values[row] as number;
        sink.copy(before);
        if (writeShortDecimal(sink, value)) return;
        const text = numberText(value);
        sink.makeRoom(text.length);
        sink.copyAscii(text);
      });
    },
  date: ({ style }) => {
    const writerAfter = madeOnce((before) => dateWriter(style.quote, before));
    return (vector, before) => {
      const { values, nulls } = vector as VectorOf<'date'>;
      const write = writerAfter(before);
      return withNulls(nulls, joinedText(before, style.nullText), (sink, row) =>
        write(sink, values[row] as number),
      );
    };
  },
  'date-time': ({ style, zone }, { fractionDigits }) => {
    const writerAfter = madeOnce((before) => timeWriter(zone, fractionDigits, style.quote, before));
    return (vector, before) => {
      const { values, nulls } = vector as VectorOf<'date-time'>;
      const halves = halvesOf(values);
      const write = writerAfter(before);
      return withNulls(nulls, joinedText(before, style.nullText), (sink, row) => {
        write(sink, halves[row * 2] as number, halves[row * 2 + 1] as number);
      });
    };
  },
  decimal: ({ style }, column) => {
    const { scale } = decimalDigits(column);
    return (vector, before) => {
      const { values } = vector as VectorOf<'decimal'>;
      const nullText = joinedText(before, style.nullText);
      const quote = textOf(style.exactQuote);
      const opened = joinedText(before, quote);
      const write = closedBy(quote, (sink, row) => {
        sink.copy(opened);
        writeDecimal(sink, values[row] as bigint, scale);
      });
      return (sink, row) => {
        if (values[row] === null) sink.copy(nullText);
        else write(sink, row);
      };
    };
  },
  boolean:
    ({ style }) =>
    (vector, before) => {
      const { values } = vector as VectorOf<'boolean'>;
      const nullText = joinedText(before, style.nullText);
      const [yes, no] = ['true', 'false'].map((text) => joinedText(before, textOf(text)));
      return (sink, row) => {
        const value = values[row] as boolean | null;
        sink.copy(value === null ? nullText : ((value ? yes : no) as Text));
      };
    },
  'array of string': listWriter<string>((items) => JSON.stringify(items)),
  'array of integer': listWriter<bigint>(
    (items, { exactQuote }) =>
      `[${items.map((item) => `${exactQuote}${item}${exactQuote}`).join(',')}]`,
  ),
  'array of number': listWriter<number>((items) => `[${items.map(numberText).join(',')}]`),
};

/** Writes arrays as the JSON text that `jsonOf` makes of their elements. */
function listWriter<Item>(
  jsonOf: (items: readonly Item[], style: CellStyle) => string,
): (context: CellContext) => WriterMaker {
  return ({ style }) =>
    ({ values }, before) =>
    (sink, row) => {
      const items = values[row] as unknown as readonly Item[] | null;
      const text = items === null ? style.nullText : textOf(style.array(jsonOf(items, style)));
      sink.copy(before);
      sink.makeRoom(text.length);
      sink.copy(text);
    };
}

/** True if all rows of the batch have one value, or none has any. */
function isConstant(vector: ColumnVector): boolean {
  const { values } = vector;
  if (Array.isArray(values)) return values.every((value) => value === values[0]);
  const { nulls } = vector as VectorOf<'integer' | 'number' | 'date'>;
  if (nulls !== null) return nulls.every((isNull) => isNull === 1);
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = values as Float64Array;
  const words = new Int32Array(buffer, byteOffset, byteLength / 4);
  const stride = BYTES_PER_ELEMENT / 4;
  for (let i = stride; i < words.length; i++) if (words[i] !== words[i - stride]) return false;
  return true;
}

/** The text that a cell writes for the first row; `beforeBytes` is room for the text before it. */
function cellText(write: CellWriter, beforeBytes: number): Text {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  sink.expectRows(1, beforeBytes + CELL_BYTES_MAX);
  sink.makeRoom(0);
  write(sink, 0);
  sink.flush();
  return textOf(Buffer.concat(blocks));
}

function cellsMaker(context: CellContext, column: Column): CellsMaker {
  if (column.dataType === 'string') return stringCells(context);
  const make = MAKERS[column.dataType](context, column);
  return (vector, before) => ({
    write: make(vector, before),
    isConstant: () => isConstant(vector),
  });
}

/** From so many rows on, looking for columns of one value pays. */
const FOLDED_ROWS_MIN = 64;

/** Writes rows of a batch, from `firstRow` up to `endRow`. */
export type BatchWriter = (firstRow: number, endRow: number) => void;
/** One of them serves the batches of one page, in turn. */
export type RowWriter = (batch: ColumnBatch) => BatchWriter;

/**
 * Writes rows into the sink: before the value of each column the text of that place, and one after
 * the last.
 */
export function rowWriter(
  sink: ByteSink,
  columns: readonly Column[],
  context: CellContext,
  before: readonly Text[],
  after: Text,
): RowWriter {
  const makers = columns.map((column) => cellsMaker(context, column));
  return (batch) => {
    // A cell that is the same in every row is part of the text before the next one.
    const cells: CellWriter[] = [];
    const isFolding = batch.rowCount >= FOLDED_ROWS_MIN;
    let textBytes = after.length;
    let folded = NO_TEXT;
    makers.forEach((make, c) => {
      const vector = batch.columns[c] as ColumnVector;
      const text = joinedText(folded, before[c] as Text);
      const { write, isConstant } = make(vector, text, batch.rowCount);
      const isFolded = isFolding && isConstant();
      folded = isFolded ? cellText(write, text.length) : NO_TEXT;
      if (isFolded) return;
      cells.push(write);
      textBytes += text.length;
    });
    const rowBytesMax = textBytes + folded.length + cells.length * CELL_BYTES_MAX;
    const end = joinedText(folded, after);
    return (firstRow, endRow) => {
      sink.expectRows(endRow - firstRow, rowBytesMax);
      for (let r = firstRow; r < endRow; r++) {
        sink.makeRoom(0);
        for (const write of cells) write(sink, r);
        sink.copy(end);
      }
    };
  };
}
