/** The beginning of a text, and what it looks like. */
import { UsageError } from '../base/errors.ts';
import { RECORD_BYTES_MAX } from '../engine/file-loading.ts';

const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface TextHead {
  /** The first lines that are asked for, without their ends. */
  readonly lines: readonly string[];
  readonly lineEnd: '\n' | '\r\n';
  /** The text behind these lines, with as many empty lines in front of it. */
  readonly rest: () => AsyncGenerator<Buffer>;
  /** Closes the text where the rest is not read: a generator that never began ends nothing. */
  readonly close: () => Promise<void>;
}

/** The place behind so many lines; -1: there are fewer. */
function endOfLines(bytes: Buffer, lineCount: number): number {
  let end = 0;
  for (let line = 0; line < lineCount; line++) {
    end = bytes.indexOf(LINE_FEED, end) + 1;
    if (end === 0) return -1;
  }
  return end;
}

/**
 * Reads `lineCount` lines of a text; fewer where it ends before. `isKept` says that they are
 * records, which are not left out.
 */
export async function readHead(
  chunks: AsyncIterable<Buffer>,
  lineCount: number,
  isKept: boolean,
): Promise<TextHead> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let isEnd = false;
  while (!isEnd && endOfLines(head, lineCount) < 0) {
    const { value, done } = await iterator.next();
    if (done) isEnd = true;
    else head = Buffer.concat([head, value]);
    if (endOfLines(head, lineCount) < 0 && head.length > RECORD_BYTES_MAX) {
      await iterator.return?.();
      throw new UsageError(`the first lines are longer than ${RECORD_BYTES_MAX} bytes`);
    }
  }
  if (head.subarray(0, 3).equals(BYTE_ORDER_MARK)) head = head.subarray(3);
  const found = endOfLines(head, lineCount);
  const end = found < 0 ? head.length : found;
  const lines = head.subarray(0, end).toString('utf8').split('\n').slice(0, lineCount);
  return {
    lines: lines.map((line) => line.replace(/\r$/, '')),
    close: async () => void (await iterator.return?.()),
    lineEnd: head[head.indexOf(LINE_FEED) - 1] === 13 ? '\r\n' : '\n',
    rest: async function* () {
      try {
        yield isKept
          ? head
          : Buffer.concat([Buffer.from('\n'.repeat(lineCount)), head.subarray(end)]);
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
          yield next.value;
        }
      } finally {
        await iterator.return?.();
      }
    },
  };
}

export interface Trailer {
  /** Reads the last line; null: it is no trailer. */
  readonly read: (line: string) => { readonly rows?: string; readonly date?: string } | null;
  readonly form: string;
  /** The date in the file's name; absent: it has none. */
  readonly date: string | undefined;
}

function countRecords(bytes: Buffer): number {
  let count = 0;
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    const length = end - start;
    if (length > 1 || (length === 1 && bytes[start] !== 13)) count += 1;
    start = end + 1;
  }
  return count;
}

/** The place of the first byte of the last line. */
const lastLineOf = (bytes: Buffer) => bytes.subarray(0, -1).lastIndexOf(LINE_FEED) + 1;
const lineText = (bytes: Buffer) => bytes.toString('utf8').replace(/\r?\n$/, '');

export const noTrailer = (form: string, line: string) =>
  new UsageError(
    `the last line does not have the form ${form}, so the file may be cut off: ${line.slice(0, 80)}`,
  );

/** The longest text whose trailer is read before its records. */
const TRAILED_MIB_MAX = 64;

async function* emptied(pieces: Buffer[]): AsyncGenerator<Buffer> {
  for (let next = pieces.shift(); next; next = pieces.shift()) yield next;
}

/** A text in its pieces, with its last line. Throws a `UsageError` if it is too long. */
export async function withLastLine(chunks: AsyncIterable<Buffer>) {
  const copies: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of chunks) {
    byteCount += chunk.length;
    if (byteCount > TRAILED_MIB_MAX * 2 ** 20) {
      throw new UsageError(
        `the file is longer than ${TRAILED_MIB_MAX} MiB, which is the limit for recipes that read its trailer`,
      );
    }
    // The source may overwrite its chunks.
    copies.push(Buffer.from(chunk));
  }
  let end = Buffer.alloc(0);
  const isCut = () => end.length < 2 || (lastLineOf(end) === 0 && end.length < RECORD_BYTES_MAX);
  for (let at = copies.length - 1; at >= 0 && isCut(); at--) {
    end = Buffer.concat([copies[at] as Buffer, end]);
  }
  return { chunks: emptied(copies), lastLine: lineText(end.subarray(lastLineOf(end))) };
}

/** The text without its last line. Throws a `UsageError` if that is not this text's trailer. */
export async function* withoutTrailer(
  chunks: AsyncIterable<Buffer>,
  { read, form, date }: Trailer,
): AsyncGenerator<Buffer> {
  let last = Buffer.alloc(0);
  let recordCount = 0;
  for await (const chunk of chunks) {
    // The line that the chunk before began is joined by itself: the others stay where they are.
    const joined = last.length > 0 ? chunk.indexOf(LINE_FEED) + 1 || chunk.length : 0;
    const line = Buffer.concat([last, chunk.subarray(0, joined)]);
    const bytes = joined < chunk.length ? chunk.subarray(joined) : line;
    const start = lastLineOf(bytes);
    last = Buffer.from(bytes.subarray(start));
    for (const lines of [...(bytes === line ? [] : [line]), bytes.subarray(0, start)]) {
      recordCount += countRecords(lines);
      if (lines.length > 0) yield lines;
    }
  }
  const line = lineText(last);
  const said = read(line);
  if (!said) throw noTrailer(form, line);
  if (said.rows !== undefined && Number(said.rows) !== recordCount) {
    throw new UsageError(`the trailer says ${said.rows} records, but there are ${recordCount}`);
  }
  if (date !== undefined && said.date !== undefined && said.date !== date) {
    throw new UsageError(`the trailer is of ${said.date}, but the name of the file of ${date}`);
  }
}
