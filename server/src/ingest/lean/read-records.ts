/** From lines to records; lines that are none are counted and left out. */
import type { BadValue } from '../../engine/file-loading.ts';
import { BadField } from './fields.ts';
import type { TextSource } from './text-source.ts';

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
