/** How the records of one vendor's text become rows of a dataset: what a recipe says of a file. */
import type { Column } from '../catalog/dataset.ts';

/** From one text to another. A text that a step does not take cannot be read. */
export type TextStep =
  /** The first pattern that the whole text matches, and its new text: `\1` is the first group. */
  | { readonly kind: 'rewrite'; readonly ways: readonly (readonly [pattern: string, to: string])[] }
  /** Every number of one digit gets a zero in front, unless a point stands before it. */
  | { readonly kind: 'pad' }
  /** Each of these texts, wherever it stands, becomes the other, in this order. */
  | { readonly kind: 'replace'; readonly pairs: readonly (readonly [from: string, to: string])[] }
  /** An integer with so many digits after a point that is not written. */
  | { readonly kind: 'scaled'; readonly digits: number }
  /** An integer in hexadecimal digits. */
  | { readonly kind: 'hexadecimal' }
  /**
   * So many units of `1 / 10 ** digits` seconds since 1970 in UTC, as a time or market date.
   * `isMidnight`: no other times by the clock of the market can be read, or all others; null: any.
   */
  | {
      readonly kind: 'epoch';
      readonly digits: 0 | 3 | 6 | 9;
      readonly isDate: boolean;
      readonly isMidnight: boolean | null;
    }
  /** A time `YYYY-MM-DDT` and seconds since midnight, perhaps with a fraction, by the clock. */
  | { readonly kind: 'seconds' }
  /** So many seconds before a time `YYYY-MM-DDTHH:MM:SS...` without an offset. */
  | { readonly kind: 'minus'; readonly seconds: number }
  /** The date of a time `YYYY-MM-DDTHH:MM:SS...` by the clock of the market. */
  | { readonly kind: 'date' }
  /** Texts by texts; null for others: they cannot be read. */
  | {
      readonly kind: 'table';
      readonly entries: readonly (readonly [from: string, to: string])[];
      readonly otherwise: 'refuse' | 'keep' | 'empty';
    }
  /** The sum of the bits of the codes in the text; without a separator each character is a code. */
  | {
      readonly kind: 'bits';
      readonly codes: readonly (readonly [code: string, bit: number | null])[];
      readonly separator: string | null;
      readonly otherwise: 'refuse' | 'empty';
    };

/** How the text of a column comes about. */
export interface ColumnText {
  readonly column: Column;
  /**
   * Joined by a space: fields by their place among those that are read, and texts. The value is
   * null if a field is empty and `ifEmpty` is null.
   */
  readonly parts: readonly (number | string)[];
  /** Stands for an empty field. */
  readonly ifEmpty: string | null;
  /** Texts that mean null. */
  readonly undefinedTexts: readonly string[];
  readonly steps: readonly TextStep[];
  /** The only text that may come of it; null: any. */
  readonly expected: string | null;
  /** The texts that can be read, in words. */
  readonly legal: string;
}

interface FieldValues {
  readonly field: number;
  readonly values: readonly string[];
}

export interface RecordReading {
  /** One ASCII character between the fields of a record. */
  readonly separator: string;
  /** Columns, of which several may have one name where a record becomes several rows. */
  readonly texts: readonly ColumnText[];
  /** For each row that a record becomes, the places in `texts` of its columns. */
  readonly rows: readonly (readonly number[])[];
  /** Only records with one of the values in each of these fields become rows. */
  readonly only: readonly FieldValues[];
  /** Records with one of the values in one of these fields become none. */
  readonly except: readonly FieldValues[];
}

const value = (name: string, dataType: Column['dataType']): Column => {
  return { name, dataType, description: '', fractionDigits: 9 };
};

/** Values of fields that become those of columns. */
export const FIELD_VALUES = {
  instant: value('instant', 'date-time'),
  localTime: value('local time', 'date-time'),
  epoch: value('epoch', 'integer'),
} as const;

/** A field that is read as a value, not as a text. */
export interface TypedField {
  readonly column: Column;
  /** A pattern of its text, besides the form of the type. */
  readonly pattern: string | null;
}

/** The date of a time, as it stands in it. */
const LOCAL_DATE = String.raw`\1-\2-\3`;

/** The pattern of times as they stand, of which a column is the time or the date; null: none. */
function timePattern({ column: { dataType }, steps: [first, ...others] }: ColumnText) {
  if (first?.kind !== 'rewrite' || first.ways.length !== 1) return null;
  const [[pattern, to] = ['', '']] = first.ways;
  const kinds = others.map(({ kind }) => kind).join();
  const isTime = to === '\\0' && kinds === (dataType === 'date' ? 'date' : '');
  const isDate = to === LOCAL_DATE && kinds === '' && dataType === 'date';
  return (isTime && ['date', 'date-time'].includes(dataType)) || isDate ? pattern : null;
}

/** How a field can be read as the value from which all else of it comes; null: only as a text. */
export function typedField(reading: RecordReading, field: number): TypedField | null {
  const texts = reading.texts.filter(({ parts }) => parts.includes(field));
  const isChosenBy = (each: FieldValues) => each.field === field;
  const isAlone = ({ parts, ifEmpty, undefinedTexts }: ColumnText) =>
    parts.length === 1 && ifEmpty === null && undefinedTexts.length === 0;
  const [text] = texts;
  if (!text || !texts.every(isAlone) || [...reading.only, ...reading.except].some(isChosenBy)) {
    return null;
  }
  const { column, steps, expected } = text;
  const isNumber = ['integer', 'number', 'decimal'].includes(column.dataType);
  if (steps.length === 0 && expected === null && isNumber && texts.length === 1) {
    return { column, pattern: null };
  }
  const isEpoch = ({ column: { dataType }, steps: [step, ...others] }: ColumnText) =>
    step?.kind === 'epoch' &&
    others.length === 0 &&
    dataType === (step.isDate ? 'date' : 'date-time');
  if (texts.every(isEpoch)) return { column: FIELD_VALUES.epoch, pattern: null };
  const pattern = timePattern(text);
  if (pattern === null || texts.some((each) => timePattern(each) !== pattern)) return null;
  const { instant, localTime } = FIELD_VALUES;
  return { column: pattern.includes('(Z|') ? instant : localTime, pattern };
}

/** Begins the text of a value that could not be read: no column takes it. */
export const UNREADABLE = '\0';
