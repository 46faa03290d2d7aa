import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CsvReader, type CsvRecord } from './csv.ts';

function field(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function readPieces(pieces: readonly string[]): CsvRecord[] {
  const reader = new CsvReader();
  const records = pieces.flatMap((piece) => [...reader.read(piece)]);
  reader.end();
  return records;
}

it('records are read as they were written, however the text is cut into pieces', () => {
  const anyField = fc.option(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'é') }));
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 4 })
        .chain((width) =>
          fc.array(fc.array(anyField, { minLength: width, maxLength: width }), { maxLength: 6 }),
        ),
      fc.array(fc.nat(60)),
      (records, cuts) => {
        const text = records.map((record) => `${record.map(field).join(',')}\n`).join('');
        const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b)];
        const pieces = at.map((start, i) => text.slice(start, at[i + 1]));
        expect(readPieces(pieces)).toEqual(records);
      },
    ),
  );
});

it('text that ends amid a record is refused', () => {
  expect(() => readPieces(['a,b\nc'])).toThrow('ends amid a record');
  expect(() => readPieces(['a,"b\n'])).toThrow('ends amid a record');
  expect(() => readPieces(['"a"b,c\n'])).toThrow('ends amid a field');
});
