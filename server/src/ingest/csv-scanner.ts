/**
 * Cuts CSV text into records, strictly by RFC 4180: fields separated by commas, quoted fields with
 * doubled quotes and free line ends, records ended by LF or CRLF. Works on bytes, keeps no more
 * than one record between calls, and knows the true line of every record. Blank lines are skipped.
 *
 * A record that cannot be read costs its first line only: reading goes on at the next line, so one
 * stray quote does not swallow the file.
 */
import { isUtf8 } from 'node:buffer';
import { UsageError } from '../base/errors.ts';
import { RECORD_BYTES_MAX } from '../engine/file-loading.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const SHOWN_BYTES = 200;
const INCOMPLETE = -1;

export interface BadRecord {
  readonly line: number;
  /** The beginning of the record. */
  readonly value: string;
  /** Says what the record should be. */
  readonly reason: string;
}

export interface RecordSink {
  /** The bytes `[start, end)` of `buffer` are one record, of `lineCount` lines from `line` on. */
  record(buffer: Buffer, start: number, end: number, line: number, lineCount: number): void;
  bad(record: BadRecord): void;
}

function faultOfBytes(record: Buffer): string | null {
  if (!isUtf8(record)) return 'valid UTF-8';
  return record.includes(0) ? 'text without a NUL character' : null;
}

export class CsvScanner {
  private readonly sink: RecordSink;
  private readonly separator: number;
  private rest: Buffer = Buffer.alloc(0);
  private line: number;
  private isAtBeginning: boolean;
  /** Some bytes of the current buffer are not text: each record is looked at. */
  private isSuspect = false;
  /** Fields that a record must have; null until the header is known. */
  fieldCount: number | null = null;

  // Results of `readRecord`, in fields because an object for each record costs too much.
  private recordEnd = 0;
  private recordFields = 0;
  private recordLines = 0;
  private recordFault: string | null = null;

  /** Reads from the given line on; at line 1 a byte order mark may come first. */
  constructor(sink: RecordSink, line = 1, separator = ',') {
    this.sink = sink;
    this.separator = separator.charCodeAt(0);
    this.line = line;
    this.isAtBeginning = line === 1;
  }

  /** Takes the next bytes of the text, of which it keeps no more than a copy. */
  push(chunk: Buffer): void {
    this.scan(this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]), false);
  }

  /** The text is over: a last record without a line end counts too. */
  end(): void {
    this.scan(this.rest, true);
  }

  /** Stops: returns the bytes that belong to no record yet, and the line that they begin on. */
  release(): { readonly rest: Buffer; readonly line: number } {
    const { rest, line } = this;
    this.rest = Buffer.alloc(0);
    return { rest, line };
  }

  private scan(buffer: Buffer, isLast: boolean): void {
    let start = 0;
    if (this.isAtBeginning && (isLast || buffer.length >= BYTE_ORDER_MARK.length)) {
      if (buffer.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) start = 3;
      this.isAtBeginning = false;
    }
    const whole = isLast ? buffer.length : buffer.lastIndexOf(LINE_FEED) + 1;
    this.isSuspect = buffer.includes(0) || !isUtf8(buffer.subarray(0, whole));
    while (start < buffer.length && !this.isAtBeginning) {
      const next = this.take(buffer, start, isLast);
      if (next === INCOMPLETE) break;
      start = next;
    }
    this.rest = Buffer.from(buffer.subarray(start));
  }

  /** Deals with the record at `start`; returns where the next one begins, or INCOMPLETE. */
  private take(buffer: Buffer, start: number, isLast: boolean): number {
    const next = this.readRecord(buffer, start, isLast);
    if (next !== INCOMPLETE && this.recordFault === null) {
      this.hand(buffer, start);
      return next;
    }
    const isTooLong = buffer.length - start > RECORD_BYTES_MAX;
    const lineFeed = buffer.indexOf(LINE_FEED, start);
    if (!isLast && !isTooLong && (next === INCOMPLETE || lineFeed < 0)) return INCOMPLETE;
    if (isTooLong && lineFeed < 0) {
      throw new UsageError(`line ${this.line} is longer than ${RECORD_BYTES_MAX} bytes`);
    }
    const end = lineFeed < 0 ? buffer.length : lineFeed;
    const within = isTooLong ? `within ${RECORD_BYTES_MAX} bytes` : 'before the end of the file';
    this.report(
      buffer,
      start,
      end,
      this.line,
      this.recordFault ?? `a record with a closing quote ${within}`,
    );
    this.line += 1;
    return Math.min(end + 1, buffer.length);
  }

  /** Hands a whole record over, unless it is blank or does not fit. */
  private hand(buffer: Buffer, start: number): void {
    const { line, recordEnd: end, recordFields: found, fieldCount: expected } = this;
    this.line += this.recordLines;
    if (end === start) return;
    let fault: string | null = null;
    if (end - start > RECORD_BYTES_MAX) fault = `a record of at most ${RECORD_BYTES_MAX} bytes`;
    else if (expected !== null && found !== expected) {
      fault = `a record with ${expected} fields, as in the header line (found ${found})`;
    } else if (this.isSuspect) fault = faultOfBytes(buffer.subarray(start, end));
    if (fault === null) this.sink.record(buffer, start, end, line, this.recordLines);
    else this.report(buffer, start, end, line, fault);
  }

  private report(buffer: Buffer, start: number, end: number, line: number, reason: string): void {
    const value = buffer.toString('utf8', start, Math.min(end, start + SHOWN_BYTES));
    this.sink.bad({ line, value: value.replace(/\r$/, ''), reason });
  }

  /**
   * Reads the record at `start`: returns where the next one begins, or INCOMPLETE. Leaves where it
   * ends, how many fields and lines it has, and what is wrong with it, if anything.
   */
  private readRecord(buffer: Buffer, start: number, isLast: boolean): number {
    const { separator } = this;
    const { length } = buffer;
    let at = start;
    this.recordFields = 1;
    this.recordLines = 1;
    this.recordFault = null;
    while (at < length) {
      const byte = buffer[at] as number;
      if (byte === separator) {
        this.recordFields += 1;
        at += 1;
      } else if (byte > QUOTE) at += 1;
      else if (byte === LINE_FEED) {
        this.recordEnd = at;
        return at + 1;
      } else if (byte === QUOTE) {
        if (at > start && buffer[at - 1] !== separator) {
          return this.fail('a record with quotes only around whole fields');
        }
        at = this.readQuoted(buffer, at + 1, isLast);
        if (at === INCOMPLETE || this.recordFault !== null) return at;
      } else if (byte === CARRIAGE_RETURN) {
        if (at + 1 === length && !isLast) return INCOMPLETE;
        if (at + 1 < length && buffer[at + 1] !== LINE_FEED) {
          return this.fail('a record with carriage returns only inside quotes or at its end');
        }
        this.recordEnd = at;
        return Math.min(at + 2, length);
      } else at += 1;
    }
    this.recordEnd = length;
    return isLast ? length : INCOMPLETE;
  }

  /** Reads from behind an opening quote to behind the closing one. */
  private readQuoted(buffer: Buffer, from: number, isLast: boolean): number {
    const length = buffer.length;
    let at = from;
    while (at < length) {
      const byte = buffer[at];
      if (byte === LINE_FEED) this.recordLines += 1;
      if (byte !== QUOTE) at += 1;
      else if (buffer[at + 1] === QUOTE) at += 2;
      else if (at + 1 === length) return isLast ? length : INCOMPLETE;
      else {
        const next = buffer[at + 1];
        const isClosed = next === this.separator || next === LINE_FEED || next === CARRIAGE_RETURN;
        return isClosed
          ? at + 1
          : this.fail('a record with a separator or a line end after each closing quote');
      }
    }
    return INCOMPLETE;
  }

  private fail(fault: string): number {
    this.recordFault = fault;
    return 0;
  }
}

/** The fields of one record that the scanner found to be whole, without their quotes. */
export function fieldsOfRecord(record: string, separator = ','): string[] {
  const mark = RegExp.escape(separator);
  const form = new RegExp(`${mark}(?:"((?:[^"]|"")*)"|([^${mark}]*))`, 'g');
  const fields = `${separator}${record}`.matchAll(form);
  return [...fields].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
