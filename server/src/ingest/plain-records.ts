/**
 * Recognises plain records: those in which each field has the usual form of its column's type, so
 * that any reader of CSV takes them for the same values. Digits that always fit, dates and times of
 * fixed width, text in ASCII without control characters, whole fields in quotes or not. A plain
 * record need not be good (there may be no such day), but nothing in it can be misread. Everything
 * else is left to `CsvScanner` and to the rules of values, which are exact and slower.
 */
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { columnsOfFields, type FileField } from '../catalog/header-columns.ts';
import { identifierTextColumns } from '../engine/indexed-columns.ts';
import {
  anyNumber,
  type ByteTable,
  byteOf,
  chainTables,
  compilePattern,
  DEAD,
  either,
  nothing,
  optional,
  type Pattern,
  repeat,
  START,
  sequence,
  text,
} from './byte-patterns.ts';

/** No longer than any string may be, so that no field of the record is. */
const RECORD_BYTES_MAX = 65_536;

const DIGIT = byteOf('09');
const digits = (min: number, max = min) => repeat(DIGIT, min, max);
const MINUS = optional(byteOf('-'));
/** Integers of so few digits always fit into 64 bits, and numbers always survive in a double. */
const INTEGER_DIGITS = 18;
const NUMBER_DIGITS = 15;

const DATE = sequence(
  either(text('19'), text('20'), text('21')),
  sequence(digits(2), byteOf('-'), digits(2), byteOf('-'), digits(2)),
);
const HOUR = either(sequence(byteOf('01'), DIGIT), sequence(byteOf('2'), byteOf('03')));
const SIXTY = sequence(byteOf('05'), DIGIT);
const MINUTES = sequence(HOUR, byteOf(':'), SIXTY);
const OFFSET = either(byteOf('Z'), sequence(byteOf('+', '-'), MINUTES));
const FRACTIONS = { 0: repeat(byteOf('0'), 1, 9), 9: digits(1, 9) } as const;
const UNQUOTED = byteOf(' !', '#+', '-~');

/** A decimal of up to 15 digits, on both sides of its point together. */
const NUMBER: Pattern = (edges, from) => {
  const end = edges.add();
  let whole = MINUS(edges, from);
  let fraction = edges.add();
  for (let count = 1; count <= NUMBER_DIGITS; count++) {
    const point = byteOf('.')(edges, whole);
    whole = DIGIT(edges, whole);
    const more = DIGIT(edges, fraction);
    // Behind the point as many digits count as before it: the states are shared.
    if (count > 1) edges.free[DIGIT(edges, point)]?.push(more);
    edges.free[whole]?.push(end);
    edges.free[more]?.push(end);
    fraction = more;
  }
  return end;
};

/** A decimal of no more digits than the column has, on either side of its point. */
function decimal(column: Column): Pattern {
  const { precision, scale } = decimalDigits(column);
  const whole = sequence(MINUS, digits(1, Math.max(precision - scale, 1)));
  return scale === 0 ? whole : sequence(whole, optional(sequence(byteOf('.'), digits(1, scale))));
}

function time(fractionDigits: 0 | 9, hasOffset: boolean): Pattern {
  const fraction = optional(sequence(byteOf('.'), FRACTIONS[fractionDigits]));
  const clock = sequence(MINUTES, byteOf(':'), SIXTY, fraction);
  return sequence(DATE, byteOf('T', ' '), clock, ...(hasOffset ? [OFFSET] : []));
}

/** Properties of a file or dataset that the form of a field depends on. */
interface FieldTraits {
  readonly hasOffset: boolean;
  readonly isIdentifier: boolean;
}

type FieldForm = (column: Column, traits: FieldTraits) => Pattern;

const QUOTED_TEXT = anyNumber(either(UNQUOTED, byteOf(',')));
const VISIBLE = byteOf('!', '#+', '-~');
/** Not a dot, since `.` and `..` are no identifiers. */
const FIRST = byteOf('!', '#+', '-', '/~');
/** At least one character, no space around it. */
const IDENTIFIER = sequence(FIRST, anyNumber(sequence(anyNumber(byteOf(' ')), VISIBLE)));
const quoted = (pattern: Pattern) => sequence(byteOf('"'), pattern, byteOf('"'));
const quotedOrNot = (pattern: Pattern) => either(pattern, quoted(pattern));

const ANY_TEXT = either(sequence(UNQUOTED, anyNumber(UNQUOTED)), quoted(QUOTED_TEXT));

const FIELD_FORMS: Readonly<Record<DataType, FieldForm>> = {
  string: (_column, { isIdentifier }) => (isIdentifier ? quotedOrNot(IDENTIFIER) : ANY_TEXT),
  integer: () => quotedOrNot(sequence(MINUS, digits(1, INTEGER_DIGITS))),
  number: () => quotedOrNot(NUMBER),
  decimal: (column) => quotedOrNot(decimal(column)),
  boolean: () => quotedOrNot(either(text('true'), text('false'))),
  date: () => quotedOrNot(DATE),
  'date-time': ({ fractionDigits }, { hasOffset }) => quotedOrNot(time(fractionDigits, hasOffset)),
  // Its text is JSON, whose own quotes are doubled. Null is plain.
  'array of string': () => nothing,
  // Its commas have to be in quotes, and its text is no value that the engine reads by itself.
  'array of integer': () => nothing,
  'array of number': () => nothing,
};

/** How plain records of a file look. */
export interface PlainForm {
  readonly fields: readonly FileField[];
  /** Names of the date-time columns whose times bear an offset or a `Z`; the others bear none. */
  readonly offsetColumns: ReadonlySet<string>;
  /** A column in which no field is empty, if there is one. */
  readonly neededColumn: string | null;
  /** Names of the text columns whose values requests name. */
  readonly identifierColumns: ReadonlySet<string>;
  readonly lineEnd: '\n' | '\r\n';
}

/** Tables of fields and what ends them, by what they are made from: few kinds make all records. */
const tables = new Map<string, ByteTable>();

function fieldTable(form: PlainForm, f: number): ByteTable {
  const { fields, offsetColumns, identifierColumns, neededColumn, lineEnd } = form;
  // What is not read may be any text.
  const column = fields[f] ?? null;
  const name = column?.name ?? '';
  const hasOffset = offsetColumns.has(name);
  const isIdentifier = identifierColumns.has(name);
  // A record of one empty field is a blank line.
  const isNeeded = name === neededColumn || fields.length === 1;
  const end = f < fields.length - 1 ? ',' : lineEnd;
  const dataType = column?.dataType ?? 'string';
  const digitsOf = [column?.fractionDigits, column?.precision, column?.scale];
  const key = [dataType, ...digitsOf, hasOffset, isIdentifier, isNeeded, end].join();
  let table = tables.get(key);
  if (table === undefined) {
    const field = column ? FIELD_FORMS[dataType](column, { hasOffset, isIdentifier }) : ANY_TEXT;
    table = compilePattern(sequence(isNeeded ? field : optional(field), text(end)));
    tables.set(key, table);
  }
  return table;
}

export class PlainRecords {
  readonly form: PlainForm;
  readonly #table: ByteTable;
  /** Records found by the last call of `scan`. */
  recordCount = 0;

  constructor(form: PlainForm) {
    this.form = form;
    this.#table = chainTables(form.fields.map((_, f) => fieldTable(form, f)));
  }

  /**
   * Reads plain records from `start` up to `end`, where a line must end. Returns the place behind
   * the last one of them before anything else; leaves their number in `recordCount`.
   */
  scan(buffer: Buffer, start: number, end: number): number {
    const { next, classes, classCount } = this.#table;
    const first = START * classCount;
    let state = first;
    let recordStart = start;
    let count = 0;
    for (let at = start; at < end; at++) {
      state = next[state + (classes[buffer[at] as number] as number)] as number;
      if (state > first) continue;
      if (state === DEAD || at - recordStart > RECORD_BYTES_MAX) break;
      recordStart = at + 1;
      count += 1;
    }
    this.recordCount = count;
    return recordStart;
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
    offsetColumns: new Set(columnsOfFields(offsetFields).map(({ name }) => name)),
    neededColumn: dataset.partitioning.column,
    identifierColumns: identifierTextColumns(dataset),
    lineEnd,
  };
}
