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
   * `isUtc`: the clock is that of UTC, also for dates.
   */
  | {
      readonly kind: 'epoch';
      readonly digits: 0 | 3 | 6 | 9;
      readonly isDate: boolean;
      readonly isMidnight: boolean | null;
      readonly isUtc: boolean;
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

/** Which field is read, by the texts of others. */
export interface FieldChoice {
  /** Places of fields, whose texts are joined by a space. */
  readonly by: readonly number[];
  readonly fields: readonly (readonly [text: string, field: number])[];
  /** Other texts choose no field, which means null; or they cannot be read. */
  readonly mayBeNone: boolean;
}

/** How the text of a column comes about. */
export interface ColumnText {
  readonly column: Column;
  /**
   * Joined by a space: fields by their place among those that are read, and texts. The value is
   * null if a field is empty and `ifEmpty` is null.
   */
  readonly parts: readonly (number | string)[];
  /** Not null: `parts` are the fields of which one is read. */
  readonly choice: FieldChoice | null;
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
  /** The place of a field, or a text that all records have. */
  readonly field: number | string;
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
  /** The digits of a date `YYYYMMDD`, or of a time of day and its fraction: all in its pattern. */
  digits: value('digits', 'integer'),
  /** A time of day `HH:MM:SS`, perhaps with a fraction. */
  clock: value('clock', 'date-time'),
} as const;

/** A field that is read as a value, not as a text. */
export interface TypedField {
  readonly column: Column;
  /** A pattern of its text, besides the form of the type. */
  readonly pattern: string | null;
}

/** The date of a time, as it stands in it. */
const LOCAL_DATE = String.raw`\1-\2-\3`;
const DATE_DIGITS = '([0-9]{4})([0-9]{2})([0-9]{2})';
const DATE_TEXT = /^(?:19|20|21)\d\d-\d\d-\d\d$/;
const isDateOf = (text: string, pattern = '') =>
  DATE_TEXT.test(text) && new RegExp(`^${pattern}$`).test(text);
const DAY: TypedField = { column: FIELD_VALUES.digits, pattern: '(?:19|20|21)[0-9]{6}' };
const CLOCK_DIGITS = /^(?:\(\[0-9\]\{2\}\)){3}(?:\(\[0-9\]\{(\d)\}\))?$/;
const CLOCK_TEXT = /^\(\[0-9\]\{2\}\)(?:\\x3a\(\[0-9\]\{2\}\)){2}(?:\(\\\.\[0-9\]\{1,9\}\)\?)?$/;
/** A group of digits, signs and points, which is the whole of a text or a part of no other. */
const NUMBER_GROUP = /^\((?:-|\\\.|\[0-9\]|[?+*]|\{\d+(?:,\d*)?\})+\)$/;

/** A time of the market that is joined from its date and its time of day. */
interface JoinedTime {
  /** A text `YYYY-MM-DD`, or the place of a field `YYYYMMDD`. */
  readonly date: string | number;
  readonly clock: TypedField;
  /** The number of digits of the fraction, if the time of day is digits. */
  readonly fractionDigits: number;
}

/** Null: the text is none, or has to be read as a text. */
export function joinedTime({ column, parts, steps }: ColumnText): JoinedTime | null {
  const [step, ...others] = steps;
  const [date, field, ...more] = parts;
  if (
    step?.kind !== 'rewrite' ||
    others.length + more.length > 0 ||
    column.dataType !== 'date-time'
  )
    return null;
  const [[pattern, to] = ['', ''], ...ways] = step.ways;
  const [datePattern, clockPattern = '', ...rest] = pattern.split('\\x20');
  if (typeof field !== 'number' || date === undefined || ways.length + rest.length > 0) return null;
  const isDate =
    typeof date === 'number' ? datePattern === DATE_DIGITS : isDateOf(date, datePattern);
  const digits = CLOCK_DIGITS.exec(clockPattern);
  const fractionDigits = Number(digits?.[1] ?? 0);
  const hasFraction = clockPattern.endsWith('?') || fractionDigits > 0;
  const fraction = `${fractionDigits > 0 ? '.' : ''}${hasFraction ? '\\7' : ''}`;
  if (!isDate || to !== String.raw`${LOCAL_DATE}T\4:\5:\6${fraction}`) return null;
  const seconds = '(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]';
  const ofDigits = {
    column: FIELD_VALUES.digits,
    pattern: `${seconds}${'[0-9]'.repeat(fractionDigits)}`,
  };
  if (digits) return { date, clock: ofDigits, fractionDigits };
  const clock = { column: FIELD_VALUES.clock, pattern: clockPattern };
  return CLOCK_TEXT.test(clockPattern) ? { date, clock, fractionDigits } : null;
}

/** True if all its fields are read as values, or all as texts. */
export const isOfSeveral = (text: ColumnText) => text.choice !== null || joinedTime(text) !== null;

/** The pattern of times as they stand, of which a column is the time or the date; null: none. */
function timePattern({ column: { dataType }, steps: [first, ...others] }: ColumnText) {
  if (first?.kind !== 'rewrite' || first.ways.length !== 1) return null;
  const [[pattern, to] = ['', '']] = first.ways;
  const kinds = others.map(({ kind }) => kind).join();
  const isTime = to === '\\0' && kinds === (dataType === 'date' ? 'date' : '');
  const isDate = to === LOCAL_DATE && kinds === '' && dataType === 'date';
  return (isTime && ['date', 'date-time'].includes(dataType)) || isDate ? pattern : null;
}

/** The pattern of numbers as they stand, if there is one besides the form of the type. */
function numberPattern({ steps: [step, ...others] }: ColumnText): string | null | undefined {
  if (!step) return null;
  if (step.kind !== 'rewrite' || step.ways.length + others.length > 1) return undefined;
  const [[pattern, to] = ['', '']] = step.ways;
  return to === '\\1' && NUMBER_GROUP.test(pattern) ? pattern : undefined;
}

/** The value of a field from which a text comes; null: it has to be read as a text. */
function valueOfField(text: ColumnText, field: number): TypedField | null {
  const { column, parts, ifEmpty, undefinedTexts, steps, expected } = text;
  if (ifEmpty !== null || undefinedTexts.length > 0) return null;
  const joined = joinedTime(text);
  if (joined) return joined.date === field ? DAY : joined.clock;
  if (parts.length > 1 && !text.choice) return null;
  if (['integer', 'number', 'decimal'].includes(column.dataType)) {
    const pattern = expected === null ? numberPattern(text) : undefined;
    return pattern === undefined ? null : { column, pattern };
  }
  const [step, ...others] = steps;
  if (step?.kind === 'epoch' && others.length === 0) {
    const isOfType = column.dataType === (step.isDate ? 'date' : 'date-time');
    return isOfType ? { column: FIELD_VALUES.epoch, pattern: null } : null;
  }
  const pattern = timePattern(text);
  if (pattern === DATE_DIGITS) return DAY;
  const { instant, localTime } = FIELD_VALUES;
  if (pattern === null) return null;
  return { column: pattern.includes('(Z|') ? instant : localTime, pattern };
}

/** How a field can be read as the value from which all else of it comes; null: only as a text. */
export function typedField(reading: RecordReading, field: number): TypedField | null {
  const texts = reading.texts.filter(({ parts }) => parts.includes(field));
  const isChosenBy = (each: FieldValues) => each.field === field;
  if (reading.texts.some(({ choice }) => choice?.by.includes(field))) return null;
  const [first = null, ...others] = texts.map((text) => valueOfField(text, field));
  const isSame = (other: TypedField | null) =>
    other?.column === first?.column && other?.pattern === first?.pattern;
  return others.every(isSame) && ![...reading.only, ...reading.except].some(isChosenBy)
    ? first
    : null;
}

/** Begins the text of a value that could not be read: no column takes it. */
export const UNREADABLE = '\0';
