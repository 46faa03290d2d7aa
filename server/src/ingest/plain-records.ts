/**
 * Recognises plain records: each field has the usual form of its column's type, so that any reader
 * of CSV takes them for the same values. Numbers of few digits, dates and times of fixed width,
 * ASCII text without control characters, whole fields in quotes or not. A plain record need not be
 * good (there may be no such day), but nothing in it can be misread. All others are left to
 * `CsvScanner` and the rules of values, which are exact and slower.
 */
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { columnsOfFields, type FileField } from '../catalog/header-columns.ts';
import { identifierTextColumns } from '../engine/indexed-columns.ts';
import {
  FIELD_VALUES,
  isOfSeveral,
  type RecordReading,
  type TypedField,
  typedField,
} from '../engine/record-reading.ts';
import { fieldsOfRecord } from './csv-scanner.ts';
import { timeForm } from './time-forms.ts';

/** No longer than any string may be, so that no field of the record is. */
const RECORD_BYTES_MAX = 65_536;

const DATE = '(?:19|20|21)\\d\\d-\\d\\d-\\d\\d';
const MINUTES = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const OFFSET = `(?:Z|[+-]${MINUTES})`;
/** Written out, as counting digits takes longer than to compare them. */
const digits = (count: number) => '\\d'.repeat(count);
const NANOS = `(?:${digits(9)}|\\d{1,8})`;
const CLOCK = `${MINUTES}:[0-5]\\d(?:\\.${NANOS})?`;
const FRACTIONS = { 0: '0{1,9}', 9: NANOS } as const;
/** Up to 15 digits, on both sides of the point together: so many always survive in a double. */
const NUMBER = `-?(?!${digits(16)}|${'[\\d.]'.repeat(17)})\\d+(?:\\.\\d+)?`;
/** So many digits always fit into 64 bits. */
const INTEGER = `-?(?!${digits(20)}|[09]${digits(18)})\\d+`;
/** Text that may stand without quotes: ASCII without quote, comma and control characters. */
const UNQUOTED = '[ !#-+\\--~]';
/** At least one character, no space around it, no dot in front. */
const IDENTIFIER = '[!#-+\\-/-~][!#-+\\--~]*(?: +[!#-+\\--~]+)*';
const ANY_TEXT = `(?:${UNQUOTED}+|"[ !#-~]*")`;

/** A decimal of no more digits than the column has, on either side of its point. */
function decimal(column: Column): string {
  const { precision, scale } = decimalDigits(column);
  const whole = `-?\\d{1,${Math.max(precision - scale, 1)}}`;
  return scale === 0 ? whole : `${whole}(?:\\.\\d{1,${scale}})?`;
}

function time(fractionDigits: 0 | 9, hasOffset: boolean): string {
  const fraction = `(?:\\.${FRACTIONS[fractionDigits]})?`;
  return `${DATE}[T ]${MINUTES}:[0-5]\\d${fraction}${hasOffset ? OFFSET : ''}`;
}

/** Properties of a file or dataset that the form of a field depends on. */
interface FieldTraits {
  readonly hasOffset: boolean;
  readonly isIdentifier: boolean;
}

const quotedOrNot = (pattern: string) => `(?:${pattern}|"${pattern}")`;

/** Matches nothing: of arrays, only null is plain. */
const NEVER = '(?!)';

/** The form of a field that is not empty, as a regular expression. */
const FIELD_FORMS: Readonly<Record<DataType, (column: Column, traits: FieldTraits) => string>> = {
  string: (_column, { isIdentifier }) => (isIdentifier ? quotedOrNot(IDENTIFIER) : ANY_TEXT),
  integer: () => quotedOrNot(INTEGER),
  number: () => quotedOrNot(NUMBER),
  decimal: (column) => quotedOrNot(decimal(column)),
  boolean: () => quotedOrNot('(?:true|false)'),
  date: () => quotedOrNot(DATE),
  'date-time': ({ fractionDigits }, { hasOffset }) => quotedOrNot(time(fractionDigits, hasOffset)),
  'array of string': () => NEVER,
  'array of integer': () => NEVER,
  'array of number': () => NEVER,
};

/** How plain records of a file look. */
export interface PlainForm {
  readonly fields: readonly FileField[];
  /** If it is not null, fields of strings are any text. */
  readonly reading: RecordReading | null;
  /** Names of the date-time columns whose times bear an offset or a `Z`; the others bear none. */
  readonly offsetColumns: ReadonlySet<string>;
  /** A column in which no field is empty, if there is one. */
  readonly neededColumn: string | null;
  /** Names of the text columns whose values requests name. */
  readonly identifierColumns: ReadonlySet<string>;
  readonly lineEnd: '\n' | '\r\n';
}

/** Any ASCII text but quotes, separators and control characters, or quotes around it. */
function readPattern({ separator }: RecordReading): string {
  return `(?:[^"\\x00-\\x1f\\x7f-\\xff${RegExp.escape(separator)}]*|"[ !#-~]*")`;
}

/** The pattern of recipes for times such as `2024-03-11T09:30:00.123Z`. */
const ISO_TIME = timeForm('YYYY-MM-DDTHH:mm:ss.nZ')?.pattern;
const FIXED_DECIMALS = /^\(-\?\[0-9\]\+\\\.\[0-9\]\{(\d)\}\)$/;

/** Values of a field that a recipe reads, as they may stand in quotes. */
function typedPattern({ column, pattern }: TypedField, { separator }: RecordReading): string {
  const decimals = Number(FIXED_DECIMALS.exec(pattern ?? '')?.[1] ?? 0);
  // Both forms in one, as a second look at prices takes longer than all else.
  if (column.dataType === 'number' && decimals > 0) {
    return `(?:${quotedOrNot(`-?\\d{1,${15 - decimals}}\\.${digits(decimals)}`)})?`;
  }
  if (column === FIELD_VALUES.digits && pattern !== null) return `(?:${quotedOrNot(pattern)})?`;
  if (pattern === ISO_TIME) return `(?:${quotedOrNot(`${DATE}T${CLOCK}${OFFSET}`)})?`;
  const hasOffset = column === FIELD_VALUES.instant;
  const ofType = FIELD_FORMS[column.dataType](column, { hasOffset, isIdentifier: false });
  const form = column === FIELD_VALUES.clock ? quotedOrNot(CLOCK) : ofType;
  const end = `(?:["\\r\\n${RegExp.escape(separator)}]|$)`;
  return `(?:${pattern === null ? '' : `(?="?${pattern}${end})`}${form})?`;
}

function fieldPattern(form: PlainForm, field: FileField, f: number): string {
  const { fields, reading, offsetColumns, identifierColumns, neededColumn } = form;
  if (reading) {
    const place = fields.slice(0, f).filter((each) => each !== null).length;
    const typed = field && field.dataType !== 'string' ? typedField(reading, place) : null;
    return typed ? typedPattern(typed, reading) : readPattern(reading);
  }
  // Fields that are not read may be any text. A record of one empty field is a blank line.
  if (!field) return fields.length === 1 ? ANY_TEXT : `${ANY_TEXT}?`;
  const { name, dataType } = field;
  const traits = {
    hasOffset: offsetColumns.has(name),
    isIdentifier: identifierColumns.has(name),
  };
  const isNeeded = name === neededColumn || fields.length === 1;
  return `(?:${FIELD_FORMS[dataType](field, traits)})${isNeeded ? '' : '?'}`;
}

export class PlainRecords {
  readonly form: PlainForm;
  /** Matches one record with its line end, where the last one ended. */
  readonly #record: RegExp;
  /** Records found by the last call of `scan`. */
  recordCount = 0;

  constructor(form: PlainForm) {
    this.form = form;
    const fields = form.fields.map((field, f) => fieldPattern(form, field, f));
    const separator = RegExp.escape(form.reading?.separator ?? ',');
    // An empty record of one field is a blank line.
    const isLine = fields.length === 1 ? '(?=[^\\r\\n])' : '';
    this.#record = new RegExp(`${isLine}${fields.join(separator)}${form.lineEnd}`, 'y');
  }

  /**
   * Reads plain records from `start` up to `end`; returns the place behind the last one of them
   * before anything else, and leaves their number in `recordCount`. Strings of a piece each cost
   * the garbage collector nothing; long ones lie outside its heap and have it mark all of that.
   */
  scan(buffer: Buffer, start: number, end: number): number {
    const record = this.#record;
    let place = start;
    let count = 0;
    for (let at = 1; at > 0 && place < end; place += at) {
      const text = buffer.toString('latin1', place, Math.min(end, place + RECORD_BYTES_MAX));
      at = 0;
      record.lastIndex = 0;
      while (record.test(text)) {
        at = record.lastIndex;
        count++;
      }
    }
    this.recordCount = count;
    return place;
  }
}

/** The number of records that are looked at to find out whether times have an offset. */
const SAMPLE_RECORDS = 20;
const HAS_OFFSET = /(Z|[+-]\d\d:\d\d)"?$/;

/** The form that the file's first records, in `sample`, seem to have. */
export function plainFormOf(
  fields: readonly FileField[],
  dataset: Dataset,
  lineEnd: '\n' | '\r\n',
  sample: Buffer,
): PlainForm {
  const text = sample.toString('latin1');
  const lines = text.split('\n', SAMPLE_RECORDS);
  const offsetFields = fields.filter((field, f) => {
    if (field?.dataType !== 'date-time') return false;
    const texts = lines.map((line) => line.replace(/\r$/, '').split(',')[f] ?? '');
    return texts.some((text) => HAS_OFFSET.test(text));
  });
  return {
    fields,
    reading: null,
    offsetColumns: new Set(columnsOfFields(offsetFields).map(({ name }) => name)),
    neededColumn: dataset.partitioning.column,
    identifierColumns: identifierTextColumns(dataset),
    lineEnd,
  };
}

/**
 * The form of records whose fields are read by a recipe. Fields of numbers and times as they stand,
 * which the first records show, are read as such.
 */
export function readFormOf(
  fields: readonly FileField[],
  reading: RecordReading,
  lineEnd: '\n' | '\r\n',
  sample: Buffer,
): PlainForm {
  const none = { offsetColumns: new Set<string>(), identifierColumns: new Set<string>() };
  const lines = sample.toString('latin1').split(lineEnd, SAMPLE_RECORDS);
  const records = lines.map((line) => fieldsOfRecord(line, reading.separator));
  const read = fields.filter((field) => field !== null);
  const typed = fields.map((field, f) => {
    const typed = field && typedField(reading, read.indexOf(field));
    if (!typed) return field;
    const form = new RegExp(`^${typedPattern(typed, reading)}$`);
    const texts = records.map((record) => record[f] ?? '');
    return texts.some(Boolean) && texts.every((text) => form.test(text)) ? typed.column : field;
  });
  const joined = new Set(reading.texts.filter(isOfSeveral).flatMap(({ parts }) => parts));
  const isJoined = (field: FileField) => field !== null && joined.has(read.indexOf(field));
  const areTexts = fields.some((field, f) => isJoined(field) && typed[f] === field);
  const found = areTexts ? fields.map((field, f) => (isJoined(field) ? field : typed[f])) : typed;
  return { fields: found as FileField[], reading, ...none, neededColumn: null, lineEnd };
}
