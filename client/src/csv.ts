/** Reads CSV (RFC 4180) piece by piece. An empty field is a missing value, `""` empty text. */

import { IntegrityError } from './errors.ts';

export type CsvRecord = (string | null)[];

/** A quoted field: its text and where it ends; null if its end is still to come. */
function quotedField(text: string, start: number): { field: string; end: number } | null {
  let from = start + 1;
  let field = '';
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1 || quote + 1 >= text.length) return null;
    field += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { field, end: quote + 1 };
    field += '"';
    from = quote + 2;
  }
}

/** A record with quotes in it, and where the next one begins; null if its end is still to come. */
function quotedRecord(text: string, start: number): { record: CsvRecord; end: number } | null {
  const record: CsvRecord = [];
  for (let at = start; ; at++) {
    let end: number;
    if (text[at] === '"') {
      const quoted = quotedField(text, at);
      if (quoted === null) return null;
      record.push(quoted.field);
      end = quoted.end;
    } else {
      const line = text.indexOf('\n', at);
      if (line === -1) return null;
      const comma = text.indexOf(',', at);
      end = comma === -1 || comma > line ? line : comma;
      record.push(end === at ? null : text.slice(at, end));
    }
    if (text[end] === '\n') return { record, end: end + 1 };
    if (text[end] !== ',') throw new SyntaxError('A quoted field of the CSV ends amid a field');
    at = end;
  }
}

export class CsvReader {
  #rest = '';

  /** The records that are whole by now. */
  *read(text: string): Generator<CsvRecord> {
    const all = this.#rest + text;
    let at = 0;
    for (;;) {
      const line = all.indexOf('\n', at);
      if (line === -1) break;
      const plain = all.slice(at, line);
      if (plain.includes('"')) {
        const found = quotedRecord(all, at);
        if (found === null) break;
        at = found.end;
        yield found.record;
      } else {
        at = line + 1;
        yield plain.split(',').map((field) => (field === '' ? null : field));
      }
    }
    this.#rest = all.slice(at);
  }

  /** Throws an IntegrityError where the text ended amid a record. */
  end(): void {
    if (this.#rest !== '') throw new IntegrityError('The CSV ends amid a record');
  }
}
