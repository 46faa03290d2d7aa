/** Reads the CSV files of a LEAN folder, plain or zipped, as streams of records. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { type Entry, openPromise } from 'yauzl';
import { atEnd } from '../../base/at-end.ts';
import { UsageError } from '../../base/errors.ts';
import { failureReason, pathFailure } from '../../base/failure-text.ts';
import type { BadValue } from '../../engine/file-loading.ts';
import { BadField } from './records.ts';
import type { LeanFile } from './scan-folder.ts';

/** Past this a file is no text of lines. */
const LINE_LENGTH_MAX = 65_536;

export interface TextSource {
  /** Name in reports: the path inside the folder, and the member's name in a zip. */
  readonly name: string;
  /** Name of the CSV file itself. */
  readonly fileName: string;
  /** Lines without their ends, in pieces of bounded size. May be called again. */
  lines(): AsyncGenerator<readonly string[]>;
}

export interface OpenZip {
  /** The files inside, in their order in the zip. */
  readonly members: readonly TextSource[];
  close(): void;
}

/** A text and the file that it is in. */
type NamedText = Pick<LeanFile, 'name' | 'path'>;

function unreadable({ name, path }: NamedText, error: unknown): unknown {
  if (error instanceof UsageError) return error;
  if (failureReason(error) !== null) return pathFailure(path, error);
  return new UsageError(`${name} is damaged: ${(error as Error).message}`);
}

async function* linesOf(text: NamedText, open: () => Promise<Readable>) {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of await open()) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
      rest = lines.pop() as string;
      if (rest.length > LINE_LENGTH_MAX) {
        throw new UsageError(`${text.name} is not a text file: it has too long a line`);
      }
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    throw unreadable(text, error);
  }
  if (rest !== '') yield [rest];
}

/** A plain CSV file of the folder. */
export function textFile(file: LeanFile): TextSource {
  return {
    name: file.name,
    fileName: file.name.slice(file.name.lastIndexOf('/') + 1),
    lines: () => linesOf(file, async () => createReadStream(file.path)),
  };
}

/** Opens a zip file; its members can be read in any order, each as often as needed. */
export async function openZip(file: LeanFile): Promise<OpenZip> {
  try {
    const zip = await openPromise(file.path, { autoClose: false, lazyEntries: true });
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) entries.push(entry);
    }
    const members = entries.map((entry): TextSource => {
      const name = `${file.name}/${entry.fileName}`;
      return {
        name,
        fileName: entry.fileName,
        lines: () => linesOf({ name, path: file.path }, () => zip.openReadStreamPromise(entry)),
      };
    });
    return { members, close: () => zip.close() };
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** The text sources of a file: its members one after the other, or the file itself. */
export async function* textSources(file: LeanFile): AsyncGenerator<TextSource> {
  if (!file.path.endsWith('.zip')) {
    yield textFile(file);
    return;
  }
  const zip = await openZip(file);
  using _zip = atEnd(() => zip.close());
  yield* zip.members;
}

const SHOWN_MAX = 10;
const VALUE_LENGTH_MAX = 200;

/** Bad rows met so far: how many, and the first ten. */
export class BadRows {
  count = 0;
  readonly first: BadValue[] = [];

  add(file: string, line: number, { field, value, reason }: BadField): void {
    this.count += 1;
    if (this.first.length >= SHOWN_MAX) return;
    this.first.push({ file, line, column: field, value: value.slice(0, VALUE_LENGTH_MAX), reason });
  }
}

/** Reads one record from the fields of one line; throws `BadField`. */
export type RecordParser<T> = (fields: readonly string[]) => T;

/** The records of a file, in its order, in pieces of bounded size. Empty lines are passed over. */
export async function* readRecords<T>(
  source: TextSource,
  parse: RecordParser<T>,
  badRows: BadRows,
): AsyncGenerator<readonly T[]> {
  let lineNumber = 0;
  for await (const lines of source.lines()) {
    const records: T[] = [];
    for (const line of lines) {
      lineNumber += 1;
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (text === '') continue;
      try {
        records.push(parse(text.split(',')));
      } catch (error) {
        if (!(error instanceof BadField)) throw error;
        badRows.add(source.name, lineNumber, error);
      }
    }
    if (records.length > 0) yield records;
  }
}

/** All records of a file that is small by nature, such as the bars of one day. */
export async function readAllRecords<T>(
  source: TextSource,
  parse: RecordParser<T>,
  badRows: BadRows,
): Promise<T[]> {
  const all: T[] = [];
  for await (const records of readRecords(source, parse, badRows)) all.push(...records);
  return all;
}
