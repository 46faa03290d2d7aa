/**
 * CSV text as blocks of checked records, each with its line number as an added first field: a form
 * that an engine can read without a doubt and in any order.
 */
import { SHOWN_BAD_VALUES } from '../engine/engine.ts';
import { UsageError } from '../errors.ts';
import { type BadRecord, CsvScanner, fieldsOfRecord, type RecordSink } from './csv-scanner.ts';

const BLOCK_BYTES = 33_554_432;
const PART_BYTES = 4_194_304;
/** A line number of up to 16 digits, its comma and the line end. */
const ADDED_BYTES = 18;
const ZERO = 48;
const COMMA = 44;
const LINE_FEED = 10;

export interface CsvBlock {
  /** `line,field,...` for each record, its fields as they were written, ended by LF. */
  readonly parts: readonly Buffer[];
  readonly recordCount: number;
  /** A quoted field holds a line end, so that not every line end ends a record. */
  readonly hasLineFeeds: boolean;
  /** Records left out because they are no CSV of the header's width: the first ten. */
  readonly badRecords: readonly BadRecord[];
  readonly badRecordCount: number;
  /** Line of the last record; 0 without any. */
  readonly lastLine: number;
}

class BlockBuilder implements RecordSink {
  #fullBytes = 0;
  #parts: Buffer[] = [];
  #part = Buffer.alloc(0);
  #used = 0;
  #recordCount = 0;
  #hasLineFeeds = false;
  #badRecords: BadRecord[] = [];
  #badRecordCount = 0;
  #lastLine = 0;

  record(buffer: Buffer, start: number, end: number, line: number, lineCount: number): void {
    const need = end - start + ADDED_BYTES;
    if (this.#used + need > this.#part.length) this.#openPart(need);
    const part = this.#part;
    let at = this.#putLine(line);
    buffer.copy(part, at, start, end);
    at += end - start;
    part[at] = LINE_FEED;
    this.#used = at + 1;
    this.#recordCount += 1;
    this.#lastLine = line;
    if (lineCount > 1) this.#hasLineFeeds = true;
  }

  bad(record: BadRecord): void {
    this.#badRecordCount += 1;
    if (this.#badRecords.length < SHOWN_BAD_VALUES) this.#badRecords.push(record);
  }

  get isFull(): boolean {
    return this.#fullBytes + this.#used >= BLOCK_BYTES;
  }

  build(): CsvBlock {
    this.#openPart(0);
    return {
      parts: this.#parts,
      recordCount: this.#recordCount,
      hasLineFeeds: this.#hasLineFeeds,
      badRecords: this.#badRecords,
      badRecordCount: this.#badRecordCount,
      lastLine: this.#lastLine,
    };
  }

  #openPart(need: number): void {
    if (this.#used > 0) this.#parts.push(this.#part.subarray(0, this.#used));
    this.#fullBytes += this.#used;
    this.#part = Buffer.allocUnsafe(Math.max(need, PART_BYTES));
    this.#used = 0;
  }

  /** Writes the number and a comma; returns the place behind them. */
  #putLine(line: number): number {
    const part = this.#part;
    let digits = 1;
    for (let power = 10; power <= line; power *= 10) digits += 1;
    let rest = line;
    for (let at = this.#used + digits - 1; at >= this.#used; at--) {
      const tenth = Math.floor(rest / 10);
      part[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    part[this.#used + digits] = COMMA;
    return this.#used + digits + 1;
  }
}

/**
 * Cuts text into blocks. `onHeader` gets the names of the header line, before the first block.
 * Throws a `UsageError` where there is no header line.
 */
export async function* csvBlocks(
  chunks: AsyncIterable<Buffer>,
  onHeader: (names: readonly string[]) => void,
): AsyncGenerator<CsvBlock> {
  let block = new BlockBuilder();
  let hasHeader = false;
  const scanner = new CsvScanner({
    record: (buffer, start, end, line, lineCount) => {
      if (hasHeader) {
        block.record(buffer, start, end, line, lineCount);
        return;
      }
      hasHeader = true;
      const names = fieldsOfRecord(buffer.toString('utf8', start, end));
      scanner.fieldCount = names.length;
      onHeader(names);
    },
    bad: (record) => {
      if (hasHeader) block.bad(record);
      else throw new UsageError(`line ${record.line} is no header line: not ${record.reason}`);
    },
  });
  for await (const chunk of chunks) {
    scanner.push(chunk);
    if (!block.isFull) continue;
    yield block.build();
    block = new BlockBuilder();
  }
  scanner.end();
  if (!hasHeader) throw new UsageError('empty; the first line has to name the columns');
  yield block.build();
}
