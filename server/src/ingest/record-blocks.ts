/** Blocks of records for an engine: their bytes, numbers and origins. */
import { columnsOfFields, type FileField } from '../catalog/header-columns.ts';
import {
  type BadValue,
  type NumberedBlock,
  type PlainBlock,
  SHOWN_BAD_VALUES,
} from '../engine/file-loading.ts';
import type { RecordReading } from '../engine/record-reading.ts';
import { type BadRecord, CsvScanner } from './csv-scanner.ts';
import type { PlainForm } from './plain-records.ts';
import type { NumberedRun } from './row-places.ts';

/** From so many bytes on a block is full. */
const BLOCK_BYTES = 33_554_432;
/** Parts double from here on up to there, so that a block of one record costs little memory. */
const PART_BYTES_MIN = 65_536;
const PART_BYTES_MAX = 4_194_304;

/** Large parts that no block uses. */
export type SpareParts = Buffer[];

export class BlockBytes {
  readonly #spare: SpareParts;
  readonly #large: Buffer[] = [];
  readonly #full: Buffer[] = [];
  #fullBytes = 0;
  #part: Buffer = Buffer.alloc(0);
  #used = 0;

  constructor(spare: SpareParts) {
    this.#spare = spare;
  }

  get length(): number {
    return this.#fullBytes + this.#used;
  }

  get isFull(): boolean {
    return this.length >= BLOCK_BYTES;
  }

  /** Room for `byteCount` bytes, to be written at `at` of `part`. They count as written. */
  reserve(byteCount: number): { readonly part: Buffer; readonly at: number } {
    if (this.#used + byteCount > this.#part.length) {
      this.#closePart();
      this.#part = this.#newPart(byteCount);
    }
    const at = this.#used;
    this.#used += byteCount;
    return { part: this.#part, at };
  }

  append(buffer: Buffer, start: number, end: number): void {
    const { part, at } = this.reserve(end - start);
    buffer.copy(part, at, start, end);
  }

  parts(): readonly Buffer[] {
    this.#closePart();
    return this.#full;
  }

  /** Lets later blocks overwrite the parts. */
  release(): void {
    this.#spare.push(...this.#large.splice(0));
  }

  #newPart(byteCount: number): Buffer {
    const usualBytes = Math.max(this.length, PART_BYTES_MIN);
    const isSmall = usualBytes < PART_BYTES_MAX && this.#spare.length === 0;
    if (isSmall || byteCount > PART_BYTES_MAX) {
      return Buffer.allocUnsafe(Math.max(byteCount, usualBytes));
    }
    const part = this.#spare.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES_MAX);
    this.#large.push(part);
    return part;
  }

  #closePart(): void {
    if (this.#used > 0) this.#full.push(this.#part.subarray(0, this.#used));
    this.#fullBytes += this.#used;
    this.#part = Buffer.alloc(0);
    this.#used = 0;
  }
}

const ZERO = 48;
const COMMA = ','.charCodeAt(0);
const LINE_FEED = 10;

/** A file of a load. Others may have the same name, such as members of a zip file. */
export interface NamedFile {
  readonly displayName: string;
}

/** A file's records are numbered `base + line`. */
interface NumberedOrigin {
  readonly file: NamedFile;
  readonly base: number;
}

export interface NumberedRecords extends NumberedBlock {
  /** Runs of records on lines that follow each other. */
  readonly runs: readonly NumberedRun[];
  /** Records left out because they are no CSV of the header's width: the first ten, by number. */
  readonly badRecords: readonly (BadValue & { readonly recordNumber: number })[];
  readonly badRecordCount: number;
  /** The file and the line that the record begins on. */
  originOf(recordNumber: number): { readonly file: string; readonly line: number };
}

export class NumberedRecordsBuilder {
  readonly fields: readonly FileField[];
  readonly bytes: BlockBytes;
  readonly reading: RecordReading | null;
  readonly #separator: number;
  readonly #origins: NumberedOrigin[] = [];
  #origin: NumberedOrigin = { file: { displayName: '' }, base: 0 };
  #lastNumber = 0;
  #recordCount = 0;
  #hasLineFeeds = false;
  readonly #runs: { file: string; line: number; rowCount: number; number: number }[] = [];
  readonly #badRecords: (BadValue & { recordNumber: number })[] = [];
  #badRecordCount = 0;

  constructor(
    fields: readonly FileField[],
    reading: RecordReading | null = null,
    spare: SpareParts = [],
  ) {
    this.fields = fields;
    this.bytes = new BlockBytes(spare);
    this.reading = reading;
    this.#separator = reading?.separator.charCodeAt(0) ?? COMMA;
  }

  /** The records that follow are of this file. */
  beginFile(file: NamedFile): void {
    if (this.#origins.at(-1)?.file === file) return;
    this.#origin = { file, base: this.#lastNumber };
    this.#origins.push(this.#origin);
  }

  record(buffer: Buffer, start: number, end: number, line: number, lineCount: number): void {
    const number = this.#origin.base + line;
    let digits = 1;
    for (let power = 10; power <= number; power *= 10) digits += 1;
    const { part, at } = this.bytes.reserve(digits + 1 + end - start + 1);
    let rest = number;
    for (let place = at + digits - 1; place >= at; place--) {
      const tenth = Math.floor(rest / 10);
      part[place] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    part[at + digits] = this.#separator;
    buffer.copy(part, at + digits + 1, start, end);
    part[at + digits + 1 + end - start] = LINE_FEED;
    this.#recordCount += 1;
    this.#addToRuns(number, line);
    this.#lastNumber = number;
    if (lineCount > 1) this.#hasLineFeeds = true;
  }

  bad({ line, value, reason }: BadRecord): void {
    const { file, base } = this.#origin;
    const recordNumber = base + line;
    this.#badRecordCount += 1;
    this.#lastNumber = recordNumber;
    if (this.#badRecords.length >= SHOWN_BAD_VALUES) return;
    const place = { recordNumber, file: file.displayName, line };
    this.#badRecords.push({ ...place, column: null, value, reason });
  }

  /** Numbers of a file go on where those of the file before end, so its run is another one. */
  #addToRuns(number: number, line: number): void {
    const last = this.#runs.at(-1);
    const isNext = last !== undefined && last.number + last.rowCount === number;
    if (isNext && last.line + last.rowCount === line) last.rowCount += 1;
    else this.#runs.push({ file: this.#origin.file.displayName, line, rowCount: 1, number });
  }

  build(): NumberedRecords {
    const origins = this.#origins;
    return {
      fields: this.fields,
      columns: columnsOfFields(this.fields),
      parts: this.bytes.parts(),
      recordCount: this.#recordCount,
      reading: this.reading,
      hasLineFeeds: this.#hasLineFeeds,
      badRecords: this.#badRecords,
      badRecordCount: this.#badRecordCount,
      runs: this.#runs,
      originOf: (recordNumber) => {
        const { file, base } = origins.findLast(
          ({ base }) => base < recordNumber,
        ) as NumberedOrigin;
        return { file: file.displayName, line: recordNumber - base };
      },
    };
  }
}

/** Records of a file in a block of plain ones, each on a line of its own from `line` on. */
interface PlainOrigin {
  readonly file: NamedFile;
  readonly line: number;
  /** Bytes of the block in front of them. */
  readonly startByte: number;
  /** Records of the block in front of them. */
  readonly startRecord: number;
}

export interface PlainRecordsBlock extends PlainBlock {
  readonly origins: readonly PlainOrigin[];
}

export class PlainBlockBuilder {
  readonly form: PlainForm;
  readonly bytes: BlockBytes;
  readonly #origins: PlainOrigin[] = [];
  #recordCount = 0;

  constructor(form: PlainForm, spare: SpareParts) {
    this.form = form;
    this.bytes = new BlockBytes(spare);
  }

  append(buffer: Buffer, end: number, recordCount: number, file: NamedFile, line: number) {
    if (this.#origins.at(-1)?.file !== file) {
      const startRecord = this.#recordCount;
      this.#origins.push({ file, line, startByte: this.bytes.length, startRecord });
    }
    this.bytes.append(buffer, 0, end);
    this.#recordCount += recordCount;
  }

  build(): PlainRecordsBlock {
    const { fields, reading, offsetColumns, lineEnd } = this.form;
    const columns = columnsOfFields(fields);
    const parts = this.bytes.parts();
    const records = { parts, recordCount: this.#recordCount, origins: this.#origins };
    return { fields, columns, reading, offsetColumns, lineEnd, ...records };
  }
}

/** The origins of the records, which have their places as numbers. */
export function runsOf({ origins, recordCount }: PlainRecordsBlock): NumberedRun[] {
  return origins.map(({ file, line, startRecord }, o) => {
    const end = origins[o + 1]?.startRecord ?? recordCount;
    return { file: file.displayName, line, rowCount: end - startRecord, number: startRecord };
  });
}

/** Numbers the records; those that are no CSV of the fields' width are told as bad ones. */
export function numberRecords(block: PlainRecordsBlock): NumberedRecords {
  const { fields, reading, parts, origins } = block;
  const builder = new NumberedRecordsBuilder(fields, reading);
  const bytes = Buffer.concat(parts);
  origins.forEach(({ file, line, startByte }, o) => {
    builder.beginFile(file);
    // The header is cut off, so even the first line has no byte order mark.
    const scanner = new CsvScanner(builder, line, reading?.separator);
    scanner.fieldCount = fields.length;
    scanner.push(bytes.subarray(startByte, origins[o + 1]?.startByte ?? bytes.length));
  });
  return builder.build();
}
