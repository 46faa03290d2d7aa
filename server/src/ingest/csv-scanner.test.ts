import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECORD_BYTES_MAX } from '../engine/file-loading.ts';
import { type BadRecord, CsvScanner, fieldsOfRecord } from './csv-scanner.ts';

interface Scanned {
  readonly records: [line: number, lineCount: number, text: string][];
  readonly bad: BadRecord[];
}

function scan(pieces: readonly Buffer[], fieldCount: number | null = null): Scanned {
  const scanned: Scanned = { records: [], bad: [] };
  const scanner = new CsvScanner({
    record: (buffer, start, end, line, lineCount) =>
      scanned.records.push([line, lineCount, buffer.toString('utf8', start, end)]),
    bad: (record) => scanned.bad.push(record),
  });
  scanner.fieldCount = fieldCount;
  for (const piece of pieces) scanner.push(piece);
  scanner.end();
  return scanned;
}

const scanText = (text: string) => scan([Buffer.from(text)]);

/** Bytes that matter to the grammar, and parts of letters of several bytes. */
const bytes = fc
  .array(fc.constantFrom(...Buffer.from('a,"\n\r"\n,é\u{1F600}'), 0, 0xff), { maxLength: 60 })
  .map((list) => Buffer.from(list));

test('scanning finds the same in any pieces of the text', () => {
  fc.assert(
    fc.property(
      bytes,
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (text, sizes) => {
        const pieces: Buffer[] = [];
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] as number;
          pieces.push(text.subarray(at, at + size));
          at += size;
        }
        expect(scan(pieces, 2)).toEqual(scan([text], 2));
      },
    ),
    { numRuns: 3000 },
  );
});

test('every line belongs to one record, to one fault, or is blank', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') }), (text) => {
      const { records, bad } = scanText(text);
      const taken = [
        ...records.flatMap(([line, count]) => Array.from({ length: count }, (_, i) => line + i)),
        ...bad.map(({ line }) => line),
      ].sort((a, b) => a - b);
      expect(new Set(taken).size).toBe(taken.length);
      text.split('\n').forEach((content, i) => {
        if (!/^\r?$/.test(content)) expect(taken).toContain(i + 1);
      });
    }),
    { numRuns: 3000 },
  );
});

test('fields written by the grammar read back, with their lines', () => {
  const field = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') }),
  );
  const written = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1 });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(written, (rows) => {
      fc.pre(!rows.flat().some((text) => text.includes('\0')));
      const lines = rows.map((row) => row.map(quoted).join(','));
      const { records, bad } = scanText(`${lines.join('\n')}\n`);
      expect(bad).toEqual([]);
      expect(records.map(([, , text]) => fieldsOfRecord(text))).toEqual(rows);
      let line = 1;
      for (const [i, text] of lines.entries()) {
        expect(records[i]?.[0]).toBe(line);
        line += text.split('\n').length;
      }
    }),
  );
});

test.each([
  ['a,b', ['a', 'b']],
  [',', ['', '']],
  ['"a""b",', ['a"b', '']],
  ['"",x', ['', 'x']],
  ['"a\nb","c,d"', ['a\nb', 'c,d']],
])('%j has the fields %j', (record, fields) => {
  expect(fieldsOfRecord(record)).toEqual(fields);
});

test('a long record is bad, a line that never ends stops the reading', () => {
  const long = 'x'.repeat(RECORD_BYTES_MAX + 1);
  expect(scanText(`a\n${long}\nb`).bad).toEqual([
    { line: 2, value: 'x'.repeat(200), reason: `a record of at most ${RECORD_BYTES_MAX} bytes` },
  ]);
  const piece = Buffer.alloc(100_000, 'x');
  expect(() => scan(Array.from({ length: 50 }, () => piece))).toThrow(
    `line 1 is longer than ${RECORD_BYTES_MAX} bytes`,
  );
});

test('a quote that never closes costs one line, also in a long text', () => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `${i},${'x'.repeat(30)}`);
  const text = Buffer.from(`"open\n${lines.join('\n')}\n`);
  const { records, bad } = scan([text.subarray(0, 1_000_000), text.subarray(1_000_000)]);
  expect(bad).toEqual([
    {
      line: 1,
      value: '"open',
      reason: `a record with a closing quote within ${RECORD_BYTES_MAX} bytes`,
    },
  ]);
  expect(records).toHaveLength(60_000);
  expect(records[0]).toEqual([2, 1, lines[0]]);
});
