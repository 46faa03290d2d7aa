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

/** The column of numbers that a field has as they stand, and that nothing else is read from. */
export function columnAsItStands(reading: RecordReading, field: number): Column | null {
  const [text, ...others] = reading.texts.filter(({ parts }) => parts.includes(field));
  const isChosenBy = (each: FieldValues) => each.field === field;
  if (!text || others.length > 0 || [...reading.only, ...reading.except].some(isChosenBy)) {
    return null;
  }
  const { column, parts, ifEmpty, undefinedTexts, steps, expected } = text;
  const isAsItStands =
    parts.length === 1 && ifEmpty === null && expected === null && undefinedTexts.length === 0;
  const isNumber = ['integer', 'number', 'decimal'].includes(column.dataType);
  return isAsItStands && isNumber && steps.length === 0 ? column : null;
}

/** Begins the text of a value that could not be read: no column takes it. */
export const UNREADABLE = '\0';
