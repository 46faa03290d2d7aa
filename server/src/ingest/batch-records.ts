/**
 * Loads records into any engine: parses their values, strictly and exactly, and appends batches.
 */
import { UsageError } from '../base/errors.ts';
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import {
  acceptedByColumn,
  BOOLEAN_PATTERN,
  DATE_TIME_PATTERN,
  DECIMAL_PATTERN,
  EXACT_DECIMAL_CHARACTERS,
  FIRST_DATE,
  INTEGER_PATTERN,
  LAST_DATE,
  MIDNIGHT_PATTERN,
  NUMBER_PATTERN,
  TEXT_CHARACTERS_MAX,
} from '../engine/accepted-values.ts';
import { batchOfRows, type CellValue, dateOfDays, daysOfDate } from '../engine/columns.ts';
import { parseDecimal } from '../engine/decimals.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { BadField, BlockReport, NumberedBlock, RecordLoader } from '../engine/file-loading.ts';
import { localOfUtcNanos, NANOS_PER_SECOND, utcOfLocalNanos } from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type RowRule, rowRule } from './row-rules.ts';

/** The value of a text; undefined: the text does not fit. */
type ParseValue = (text: string, column: Column, zone: TimeZone) => CellValue | undefined;

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const INTEGER = whole(INTEGER_PATTERN);
const DECIMAL = whole(DECIMAL_PATTERN);
const NUMBER = whole(NUMBER_PATTERN);
const BOOLEAN = whole(BOOLEAN_PATTERN);
const DATE = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)(?:${MIDNIGHT_PATTERN})?$`);
const DATE_TIME = whole(DATE_TIME_PATTERN);
const OFFSET = /(?:Z|([+-])(\d\d):?(\d\d))$/;

const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 63n - 1n;

function parseInteger(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+|\..*$/g, ''));
  return value >= INTEGER_MIN && value <= INTEGER_MAX ? value : undefined;
}

/** The digits of a decimal without sign, point, exponent and the zeros around them. */
function significantDigits(text: string): string {
  const [mantissa = ''] = text.toLowerCase().split('e');
  return mantissa
    .replace('.', '')
    .replace(/^[+\-0]+/, '')
    .replace(/0+$/, '');
}

/** A number and the double nearest to it are the same decimal when their digits are the same. */
function parseNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (text.length <= EXACT_DECIMAL_CHARACTERS && DECIMAL.test(text)) return value;
  return significantDigits(text) === significantDigits(String(value)) ? value : undefined;
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && dateOfDays(daysOfDate(text)) === text;
}

function parseDate(text: string): string | undefined {
  const date = DATE.exec(text)?.[1];
  if (date === undefined || date < FIRST_DATE || date > LAST_DATE) return undefined;
  return isDate(date) ? date : undefined;
}

/** Nanoseconds since 1970 on a clock of which `text` without an offset tells the time. */
function clockNanos(text: string): bigint | undefined {
  if (!isDate(text.slice(0, 10))) return undefined;
  const seconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
  return BigInt(seconds) * NANOS_PER_SECOND + BigInt(text.slice(20).padEnd(9, '0'));
}

function utcOfLocal(zone: TimeZone, local: bigint): bigint | undefined {
  const utc = utcOfLocalNanos(zone, local);
  return localOfUtcNanos(zone, utc) === local ? utc : undefined;
}

function parseDateTime(text: string, column: Column, zone: TimeZone): bigint | undefined {
  if (!DATE_TIME.test(text)) return undefined;
  // The date itself ends like an offset.
  const offset = OFFSET.exec(text.slice(19));
  const local = clockNanos(offset ? text.slice(0, -offset[0].length) : text);
  if (local === undefined) return undefined;
  if (column.fractionDigits !== 9 && local % NANOS_PER_SECOND !== 0n) return undefined;
  if (!offset) return utcOfLocal(zone, local);
  const [, sign, hours = '0', minutes = '0'] = offset;
  const minuteCount = BigInt(Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1n : 1n);
  return local - minuteCount * 60n * NANOS_PER_SECOND;
}

/** By characters, of which one may be two units of a string. */
function isText(text: string): boolean {
  if (text.includes('\0')) return false;
  return text.length <= TEXT_CHARACTERS_MAX || [...text].length <= TEXT_CHARACTERS_MAX;
}

function parseStrings(text: string): string[] | undefined {
  if (!/^ *\[/.test(text)) return undefined;
  try {
    const items: unknown[] = JSON.parse(text);
    const areStrings = items.every(
      (item) => typeof item === 'string' && item.isWellFormed() && !item.includes('\0'),
    );
    return areStrings ? (items as string[]) : undefined;
  } catch {
    return undefined;
  }
}

function trimmed(text: string): string {
  return text.replace(/^ +/, '').replace(/ +$/, '');
}

/** An array in brackets, of which each element is read like a value of its own. */
function arrayOf<Item>(
  parse: (text: string) => Item | undefined,
): (text: string) => Item[] | undefined {
  return (text) => {
    const whole = trimmed(text);
    if (whole.length < 2 || !whole.startsWith('[') || !whole.endsWith(']')) return undefined;
    const inside = trimmed(whole.slice(1, -1));
    const items = inside === '' ? [] : inside.split(',').map((item) => parse(trimmed(item)));
    return items.includes(undefined) ? undefined : (items as Item[]);
  };
}

const PARSERS: Readonly<Record<DataType, ParseValue>> = {
  integer: parseInteger,
  number: parseNumber,
  decimal: (text, column) => parseDecimal(text, decimalDigits(column)) ?? undefined,
  boolean: (text) => (BOOLEAN.test(text) ? text.toLowerCase() === 'true' : undefined),
  date: parseDate,
  'date-time': parseDateTime,
  string: (text) => (isText(text) ? text : undefined),
  'array of string': parseStrings,
  'array of integer': arrayOf(parseInteger) as ParseValue,
  'array of number': arrayOf(parseNumber) as ParseValue,
};

export function parseValue(column: Column, zone: TimeZone, text: string): CellValue | undefined {
  return PARSERS[column.dataType](text, column, zone);
}

const BATCH_ROWS = 8192;
const SHOWN_CHARACTERS = 200;

type Texts = readonly (string | null)[];

/** A field: its text, or null where nothing stands between the commas. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^,\n"]*))([,\n])/y;

/** The fields of each of the records, of which each ends with a line feed. */
function* recordsIn(text: string): Generator<Texts> {
  let fields: (string | null)[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length) {
    const found = FIELD.exec(text);
    if (!found) throw new Error('a block holds a record that cannot be read');
    const [, quoted, plain, end] = found;
    fields.push(quoted?.replaceAll('""', '"') ?? (plain || null));
    if (end === ',') continue;
    const { lastIndex } = FIELD;
    yield fields;
    FIELD.lastIndex = lastIndex;
    fields = [];
  }
}

/** How the values of one column of a block are judged. */
interface ColumnCheck {
  readonly column: Column;
  /** A row without it has no place to go to. */
  readonly isNeeded: boolean;
  readonly rule: RowRule | null;
}

class RecordJudge {
  readonly #dataset: Dataset;
  readonly #checks: readonly ColumnCheck[];

  constructor(dataset: Dataset, columns: readonly Column[]) {
    this.#dataset = dataset;
    this.#checks = columns.map((column, c) => ({
      column,
      isNeeded: column.name === dataset.partitioning.column,
      rule: rowRule(dataset, columns, c),
    }));
  }

  /** The values of a record; undefined where a text does not fit. */
  parse(texts: Texts): (CellValue | undefined)[] {
    const { fileTimeZone } = this.#dataset;
    return this.#checks.map(({ column }, c) => {
      const text = texts[c] ?? null;
      return text === null ? null : parseValue(column, fileTimeZone, text);
    });
  }

  /** Faults of the values of a record; empty: none. */
  judge(recordNumber: number, texts: Texts, cells: readonly (CellValue | undefined)[]): BadField[] {
    return this.#checks.flatMap(({ column, isNeeded, rule }, c) => {
      const fits = cells[c] !== undefined && !(isNeeded && cells[c] === null);
      if (fits && (rule?.isKept(cells) ?? true)) return [];
      const text = texts[c] ?? null;
      const ruled = fits ? rule?.accepts(texts) : undefined;
      return {
        recordNumber,
        column: column.name,
        value: (text ?? '').slice(0, SHOWN_CHARACTERS),
        reason: ruled ?? acceptedByColumn(column, this.#dataset, text),
      };
    });
  }
}

/** Loads records into a writer that takes batches alone. */
export class BatchRecords implements RecordLoader {
  readonly #writer: PartWriter;
  readonly #dataset: Dataset;

  constructor(writer: PartWriter, dataset: Dataset) {
    this.#writer = writer;
    this.#dataset = dataset;
  }

  /** Every record is parsed here, so that plain ones would not be faster by themselves. */
  async loadPlainRecords(): Promise<null> {
    return null;
  }

  async loadNumberedRecords(block: NumberedBlock, shownCount: number): Promise<BlockReport> {
    const { fields, columns, reading, parts } = block;
    if (reading) throw new UsageError('files cannot be loaded by a recipe here');
    const read = fields.flatMap((field, f) => (field === null ? [] : [f]));
    const judge = new RecordJudge(this.#dataset, columns);
    const places = this.#dataset.columns.map((column) => columns.indexOf(column));
    const badFields: BadField[] = [];
    const badRecordNumbers: number[] = [];
    let rows: CellValue[][] = [];
    let rowCount = 0;
    const append = async () => {
      rowCount += rows.length;
      if (rows.length > 0) await this.#writer.append(batchOfRows(this.#dataset.columns, rows));
      rows = [];
    };
    for (const part of parts) {
      for (const [number, ...all] of recordsIn(part.toString())) {
        const texts = read.map((f) => all[f] ?? null);
        const cells = judge.parse(texts);
        const bad = judge.judge(Number(number), texts, cells);
        if (bad.length === 0) rows.push(places.map((c) => (cells[c] ?? null) as CellValue));
        else {
          badRecordNumbers.push(Number(number));
          if (badFields.length < shownCount) badFields.push(...bad);
        }
        if (rows.length === BATCH_ROWS) await append();
      }
    }
    await append();
    const badRowCount = badRecordNumbers.length;
    return { rowCount, badRowCount, badFields: badFields.slice(0, shownCount), badRecordNumbers };
  }
}
