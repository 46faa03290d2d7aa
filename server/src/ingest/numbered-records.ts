/**
 * Blocks of records that each carry a number, by which a bad one is found again. A block may hold
 * records of many files.
 */
import { columnsOfFields, type FileField } from '../catalog/header-columns.ts';
import { type BadValue, type NumberedBlock, SHOWN_BAD_VALUES } from '../engine/file-loading.ts';
import { BlockBytes, SpareParts } from './block-bytes.ts';
import type { BadRecord } from './csv-scanner.ts';
import type { NumberedRun } from './row-places.ts';

const ZERO = 48;
const COMMA = 44;
const LINE_FEED = 10;

/** A file of a load. Others may have the same name, such as members of a zip file. */
export interface NamedFile {
  readonly displayName: string;
}

/** A file's records are numbered `base + line`. */
interface Origin {
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
  readonly #origins: Origin[] = [];
  #origin: Origin = { file: { displayName: '' }, base: 0 };
  #lastNumber = 0;
  #recordCount = 0;
  #hasLineFeeds = false;
  readonly #runs: { file: string; line: number; rowCount: number; number: number }[] = [];
  readonly #badRecords: (BadValue & { recordNumber: number })[] = [];
  #badRecordCount = 0;

  constructor(fields: readonly FileField[], spare: SpareParts = new SpareParts()) {
    this.fields = fields;
    this.bytes = new BlockBytes(spare);
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
    part[at + digits] = COMMA;
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
      hasLineFeeds: this.#hasLineFeeds,
      badRecords: this.#badRecords,
      badRecordCount: this.#badRecordCount,
      runs: this.#runs,
      originOf: (recordNumber) => {
        const { file, base } = origins.findLast(({ base }) => base < recordNumber) as Origin;
        return { file: file.displayName, line: recordNumber - base };
      },
    };
  }
}
