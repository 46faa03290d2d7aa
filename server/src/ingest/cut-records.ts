/**
 * Cuts the CSV text of any number of files into blocks of records for an engine. Plain records,
 * which are nearly all, go into blocks as they are. From the first other record on, the text goes
 * through the scanner, record by record, until a block is full; then plain ones are tried again.
 * So what is odd costs time only near by, and many small files share a block.
 */

import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type FileField, fieldsOfHeader, type HeaderRules } from '../catalog/header-columns.ts';
import { RECORD_BYTES_MAX } from '../engine/file-loading.ts';
import type { RecordReading } from '../engine/record-reading.ts';
import { CsvScanner, fieldsOfRecord } from './csv-scanner.ts';
import { headerFault } from './found-text.ts';
import { type PlainForm, PlainRecords, plainFormOf, readFormOf } from './plain-records.ts';
import {
  type NamedFile,
  type NumberedRecords,
  NumberedRecordsBuilder,
  PlainBlockBuilder,
  type PlainRecordsBlock,
  type SpareParts,
} from './record-blocks.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SAMPLE_BYTES = 16_384;

export type CutBlock = (
  | { readonly kind: 'plain'; readonly block: PlainRecordsBlock }
  | { readonly kind: 'numbered'; readonly block: NumberedRecords }
) & {
  /** To be called when the block's bytes are no longer needed: others take their place. */
  readonly release: () => void;
};

function sameFields(some: readonly FileField[], others: readonly FileField[]): boolean {
  return some.length === others.length && some.every((field, f) => field === others[f]);
}

export class RecordCutter {
  readonly dataset: Dataset;
  readonly header: HeaderRules;
  readonly #spare: SpareParts = [];
  #cut: CutBlock[] = [];
  #plain: PlainBlockBuilder | null = null;
  #numbered: NumberedRecordsBuilder | null = null;
  /** Kept from the last file, because the files of a load mostly look alike. */
  #records: PlainRecords | null = null;

  constructor(dataset: Dataset, header: HeaderRules) {
    this.dataset = dataset;
    this.header = header;
  }

  /** True while records are looked at one by one. */
  get isStrict(): boolean {
    return this.#numbered !== null;
  }

  /** Takes the blocks that are ready, in the order of their records. */
  take(): readonly CutBlock[] {
    const cut = this.#cut;
    this.#cut = [];
    return cut;
  }

  /** Makes what has come so far ready. */
  flush(): void {
    const [plain, numbered] = [this.#plain, this.#numbered];
    this.#plain = null;
    this.#numbered = null;
    if (plain) {
      this.#cut.push({ kind: 'plain', block: plain.build(), release: () => plain.bytes.release() });
    }
    if (numbered) {
      const release = () => numbered.bytes.release();
      this.#cut.push({ kind: 'numbered', block: numbered.build(), release });
    }
  }

  flushIfFull(): void {
    if (this.#plain?.bytes.isFull || this.#numbered?.bytes.isFull) this.flush();
  }

  recordsOf(form: PlainForm): PlainRecords {
    const known = this.#records;
    const isSame =
      known !== null &&
      known.form.lineEnd === form.lineEnd &&
      known.form.reading === form.reading &&
      sameFields(known.form.fields, form.fields) &&
      known.form.offsetColumns.symmetricDifference(form.offsetColumns).size === 0;
    this.#records = isSame ? known : new PlainRecords(form);
    return this.#records;
  }

  plainBlock(form: PlainForm): PlainBlockBuilder {
    if (this.#plain?.form !== form) this.flush();
    this.#plain ??= new PlainBlockBuilder(form, this.#spare);
    return this.#plain;
  }

  numberedBlock(
    fields: readonly FileField[],
    reading: RecordReading | null,
  ): NumberedRecordsBuilder {
    const known = this.#numbered;
    if (known?.reading !== reading || !sameFields(known.fields, fields)) this.flush();
    this.#numbered ??= new NumberedRecordsBuilder(fields, reading, this.#spare);
    return this.#numbered;
  }
}

/** The layout of a text without a header line in which columns have their names. */
export interface TextLayout {
  /** The fields that are read, each with its name; null: one that is not. */
  readonly fields: readonly FileField[];
  readonly reading: RecordReading;
  readonly lineEnd: '\n' | '\r\n';
}

/** The text of one file on its way into a cutter. Throws a `UsageError` without a header line. */
export class CsvText {
  readonly #cutter: RecordCutter;
  readonly #file: NamedFile;
  readonly #reading: RecordReading | null;
  #fields: readonly FileField[] | null;
  #lineEnd: '\n' | '\r\n';
  #plain: PlainRecords | null = null;
  /** Reads the header, and then what is not plain; null while records are plain. */
  #scanner: CsvScanner | null;
  /** Bytes of a record that has not ended, and its line, while records are plain. */
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;

  /** `layout` null: the text begins with a header line. */
  constructor(cutter: RecordCutter, displayName: string, layout: TextLayout | null = null) {
    this.#cutter = cutter;
    this.#file = { displayName };
    this.#reading = layout?.reading ?? null;
    this.#fields = layout?.fields ?? null;
    this.#lineEnd = layout?.lineEnd ?? '\n';
    this.#scanner = layout ? null : this.#headerScanner();
  }

  /** The chunk is read here and now: what is left of it is copied. */
  push(chunk: Buffer): void {
    const records = this.#fields === null ? this.#pushHeader(chunk) : chunk;
    if (records.length > 0) this.#pushRecords(records);
    this.#cutter.flushIfFull();
    if (this.#fields !== null && this.#scanner && !this.#cutter.isStrict) this.#leaveStrict();
  }

  end(): void {
    if (this.#fields === null) this.#scanner?.end();
    if (this.#fields === null) {
      throw new UsageError('there is no header line; the first line must name the columns');
    }
    // A last record without a line end counts as one with it.
    if (this.#scanner === null && this.#rest.length > 0 && !this.#cutter.isStrict) {
      const rest = Buffer.concat([this.#rest, Buffer.from(this.#lineEnd)]);
      if (this.#takePlain(rest, rest.length) === rest.length) return;
    }
    if (this.#scanner === null && this.#rest.length > 0) this.#beginStrict(this.#rest);
    this.#scanner?.end();
  }

  #headerScanner(): CsvScanner {
    const scanner: CsvScanner = new CsvScanner({
      record: (buffer, start, end, line) => {
        const names = fieldsOfRecord(buffer.toString('utf8', start, end));
        this.#fields = this.#fieldsOf(names, line);
        if (buffer[end] === CARRIAGE_RETURN) this.#lineEnd = '\r\n';
      },
      bad: ({ line, value, reason }) => {
        const fault = headerFault(value, `it is not ${reason}`);
        throw new UsageError(`the header line (line ${line}) cannot be read: ${fault}`);
      },
    });
    return scanner;
  }

  #fieldsOf(names: readonly string[], line: number): FileField[] {
    const { dataset, header } = this.#cutter;
    try {
      return fieldsOfHeader(dataset, names, header);
    } catch (error) {
      throw new UsageError(`line ${line}: ${headerFault(names.join(), (error as Error).message)}`);
    }
  }

  /** Reads the header line by line; returns the bytes behind it. */
  #pushHeader(chunk: Buffer): Buffer {
    const scanner = this.#scanner as CsvScanner;
    let at = 0;
    while (at < chunk.length && this.#fields === null) {
      const lineFeed = chunk.indexOf(LINE_FEED, at);
      const end = lineFeed < 0 ? chunk.length : lineFeed + 1;
      scanner.push(chunk.subarray(at, end));
      at = end;
    }
    if (this.#fields !== null) this.#leaveStrict();
    return chunk.subarray(at);
  }

  #leaveStrict(): void {
    const { rest, line } = (this.#scanner as CsvScanner).release();
    this.#scanner = null;
    this.#rest = rest;
    this.#line = line;
  }

  #pushRecords(chunk: Buffer): void {
    if (this.#scanner) {
      this.#scanner.push(chunk);
      return;
    }
    if (this.#rest.length === 0) {
      this.#pushLines(chunk);
      return;
    }
    // The record that the chunk before began is joined by itself: the others stay where they are.
    const lineEnd = chunk.indexOf(LINE_FEED) + 1;
    const end = lineEnd > 0 ? lineEnd : chunk.length;
    this.#pushLines(Buffer.concat([this.#rest, chunk.subarray(0, end)]));
    if (end < chunk.length) this.#pushRecords(chunk.subarray(end));
  }

  /** Takes what follows the last record, while records are plain. */
  #pushLines(chunk: Buffer): void {
    // Blank lines, which stand for a header that was read, hold no record.
    let start = 0;
    while (chunk[start] === LINE_FEED) start += 1;
    this.#line += start;
    const buffer = chunk.subarray(start);
    const end = buffer.lastIndexOf(LINE_FEED) + 1;
    const plainEnd = this.#cutter.isStrict ? 0 : this.#takePlain(buffer, end);
    const rest = buffer.subarray(plainEnd);
    if (plainEnd < end || rest.length > RECORD_BYTES_MAX) this.#beginStrict(rest);
    else this.#rest = Buffer.from(rest);
  }

  /** Takes plain records from the beginning of the buffer; returns the place behind them. */
  #takePlain(buffer: Buffer, end: number): number {
    if (end === 0) return 0;
    this.#plain ??= this.#cutter.recordsOf(this.#formOf(buffer.subarray(0, SAMPLE_BYTES)));
    const plainEnd = this.#plain.scan(buffer, 0, end);
    const { form, recordCount } = this.#plain;
    if (recordCount === 0) return 0;
    const block = this.#cutter.plainBlock(form);
    block.append(buffer, plainEnd, recordCount, this.#file, this.#line);
    this.#line += recordCount;
    return plainEnd;
  }

  #formOf(sample: Buffer): PlainForm {
    const fields = this.#fields as readonly FileField[];
    if (this.#reading) return readFormOf(fields, this.#reading, this.#lineEnd, sample);
    return plainFormOf(fields, this.#cutter.dataset, this.#lineEnd, sample);
  }

  #beginStrict(rest: Buffer): void {
    const fields = this.#fields as readonly FileField[];
    const block = () => {
      const builder = this.#cutter.numberedBlock(fields, this.#reading);
      builder.beginFile(this.#file);
      return builder;
    };
    this.#scanner = new CsvScanner(
      {
        record: (...record) => block().record(...record),
        bad: (record) => block().bad(record),
      },
      this.#line,
      this.#reading?.separator,
    );
    this.#scanner.fieldCount = fields.length;
    this.#rest = Buffer.alloc(0);
    // From here on the cutter is strict, also where no record ends in these bytes.
    block();
    this.#scanner.push(rest);
  }
}
