import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column, DataType } from '../catalog/dataset.ts';
import { batchOfRows, type CellValue } from '../engine/columns.ts';
import { csvHeader, csvRowWriter, csvString, jsonRowWriter } from './row-text.ts';

const TYPES: readonly DataType[] = ['string', 'integer', 'number', 'date', 'array of string'];
const COLUMNS: readonly Column[] = TYPES.map((dataType) => ({
  name: `Column ${dataType}`,
  dataType,
  description: '',
  fractionDigits: 0,
}));

const anyString = fc.string({ unit: 'grapheme-composite' });
const anyRow = fc.tuple(
  fc.option(anyString),
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((v) => (v === 0 ? 0 : v))),
  fc.option(
    fc.integer({ min: 0, max: 40_000 }).map((d) => new Date(d * 864e5).toISOString().slice(0, 10)),
  ),
  fc.option(fc.array(anyString, { maxLength: 4 })),
);
const anyRows = fc.array(anyRow, { maxLength: 20 });

/** A reader of RFC 4180 of its own: null is an empty unquoted field. */
function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string | null = null;
    if (text[at] === '"') {
      field = '';
      for (at++; !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        if (text[at] === '"') at++;
        field += text[at];
      }
      at++;
    } else {
      const start = at;
      while (text[at] !== ',' && text[at] !== '\n') at++;
      field = at === start ? null : text.slice(start, at);
    }
    row.push(field);
    if (text[at] === '\n') {
      rows.push(row);
      row = [];
    }
    at++;
  }
  return rows;
}

describe('jsonRowWriter', () => {
  it('writes rows that a JSON reader gives back, integers to the last digit', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const batch = batchOfRows(COLUMNS, rows as CellValue[][]);
        const text = jsonRowWriter(COLUMNS, 'America/New_York')(batch, rows.length);
        const reviver = (name: string, value: unknown, context?: { source?: string }) =>
          name === 'Column integer' && value !== null ? BigInt(context?.source as string) : value;
        const parsed = JSON.parse(`[${text.slice(0, -1)}]`, reviver as never);
        const expected = rows.map((row) =>
          Object.fromEntries(COLUMNS.map(({ name }, c) => [name, row[c]])),
        );
        expect(parsed).toEqual(expected);
      }),
    );
  });
});

describe('csvRowWriter', () => {
  it('writes lines that an RFC 4180 reader gives back, null apart from the empty string', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const batch = batchOfRows(COLUMNS, rows as CellValue[][]);
        const text = csvRowWriter(COLUMNS, 'America/New_York')(batch, rows.length);
        const parsed = parseCsv(text).map(([string, integer, number, date, array]) => [
          string,
          integer === null ? null : BigInt(integer as string),
          number === null ? null : Number(number),
          date,
          array === null ? null : JSON.parse(array as string),
        ]);
        expect(parsed).toEqual(rows);
      }),
    );
  });

  it('quotes a field only when it needs to be', () => {
    expect(['plain', 'a,b', 'say "x"', 'two\nlines', ''].map(csvString)).toEqual([
      'plain',
      '"a,b"',
      '"say ""x"""',
      '"two\nlines"',
      '""',
    ]);
  });

  it('quotes every name of the header', () => {
    expect(csvHeader(COLUMNS.slice(0, 2))).toBe('"Column string","Column integer"\n');
  });
});
