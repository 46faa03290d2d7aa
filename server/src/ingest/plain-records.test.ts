import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import type { Column, DataType } from '../catalog/dataset.ts';
import { stepsOf } from '../recipes/column-steps.ts';
import { CsvScanner, fieldsOfRecord } from './csv-scanner.ts';
import { PlainRecords, plainFormOf, readFormOf } from './plain-records.ts';

const dataset = sampleDataset('year');
const columns = ['TradeDate', 'Ticker', 'EventDateTime', 'Strike', 'ASID', 'Codes'].map(
  (name) => dataset.columnByName.get(name) ?? expect.unreachable(name),
);

const TIME = /^(19|20|21)\d\d-\d\d-\d\d[T ]([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?/;
const ZONE = /(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
/** Records that cannot be misread, described without the patterns that are tested. */
const IS_PLAIN: Readonly<Record<DataType, (text: string, hasOffset: boolean) => boolean>> = {
  string: (text) => /^[\x20-\x7e]+$/.test(text) && text.trim() === text,
  integer: (text) => /^-?\d{1,18}$/.test(text),
  number: (text) => /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= 15,
  date: (text) => /^(19|20|21)\d\d-\d\d-\d\d$/.test(text),
  'date-time': (text, hasOffset) =>
    TIME.test(text) && text.replace(TIME, '').replace(ZONE, hasOffset ? '' : 'x') === '',
  decimal: (text) => /^-?\d{1,16}(\.\d{1,4})?$/.test(text),
  boolean: (text) => /^(true|false)$/.test(text),
  'array of string': (text) => text === '',
  'array of integer': (text) => text === '',
  'array of number': (text) => text === '',
};

interface Cut {
  readonly fields: readonly string[][];
  readonly badCount: number;
}

function cutStrictly(bytes: Buffer): Cut {
  const fields: string[][] = [];
  let badCount = 0;
  const scanner = new CsvScanner(
    {
      record: (buffer, start, end) => {
        fields.push(fieldsOfRecord(buffer.toString('utf8', start, end)));
      },
      bad: () => {
        badCount += 1;
      },
    },
    2,
  );
  scanner.fieldCount = columns.length;
  scanner.push(bytes);
  return { fields, badCount };
}

const RECORDS = [
  '2024-03-10,AAPL,2024-03-10T09:30:00.000000001,12.5,7,',
  '"2024-02-29","A,B","2024-11-03 01:30:00Z","-0.25","-12",',
  '1900-01-01,,,,,',
  '2199-12-31,"B C",2024-03-10T23:59:59+05:30,123456789012345,999999999999999999,',
];
const BYTES = [...'0123456789+-.:TZeExX,,""\n\n\r \t\0\x7f\x1fé\ufeff_;#\'\\'];

const changes = fc.array(
  fc.record({
    at: fc.nat(),
    cut: fc.integer({ min: 0, max: 2 }),
    text: fc.string({ unit: fc.constantFrom(...BYTES), maxLength: 3 }),
  }),
  { maxLength: 3 },
);
const text = fc
  .tuple(
    fc.array(fc.constantFrom(...RECORDS), { minLength: 1, maxLength: 4 }),
    changes,
    fc.constantFrom('\n' as const, '\r\n' as const),
    fc.boolean(),
  )
  .map(([records, changes, lineEnd, isLatin]) => {
    let text = records.map((record) => record + lineEnd).join('');
    for (const { at, cut, text: inserted } of changes) {
      const place = at % (text.length + 1);
      text = text.slice(0, place) + inserted + text.slice(place + cut);
    }
    return { bytes: Buffer.from(text, isLatin ? 'latin1' : 'utf8'), lineEnd };
  });

test('whatever is plain is cut by the scanner into the same records of plain values', () => {
  let plainCount = 0;
  let changedCount = 0;
  fc.assert(
    fc.property(text, ({ bytes, lineEnd }) => {
      const form = plainFormOf(columns, dataset, lineEnd, bytes);
      const plain = new PlainRecords(form);
      const end = plain.scan(bytes, 0, bytes.lastIndexOf(10) + 1);
      const { fields, badCount } = cutStrictly(bytes.subarray(0, end));
      expect([fields.length, badCount]).toEqual([plain.recordCount, 0]);
      for (const record of fields) {
        columns.forEach(({ name, dataType }, c) => {
          const field = record[c] as string;
          const isPlain =
            field === ''
              ? name !== 'TradeDate'
              : IS_PLAIN[dataType](field, form.offsetColumns.has(name));
          if (!isPlain) expect.fail(`${name}: ${JSON.stringify(field)}`);
        });
        if (!RECORDS.some((known) => fieldsOfRecord(known).join() === record.join()))
          changedCount += 1;
      }
      plainCount += plain.recordCount;
    }),
    { numRuns: 4000 },
  );
  expect(plainCount).toBeGreaterThan(2000);
  expect(changedCount).toBeGreaterThan(50);
});

test.each([
  ['a sign', 'ASID', '+5'],
  ['an exponent', 'Strike', '1e5'],
  ['no digit before the point', 'Strike', '.5'],
  ['no digit behind the point', 'Strike', '5.'],
  ['more digits than a double keeps', 'Strike', '9007199254740993'],
  ['more digits than 64 bits always keep', 'ASID', '9223372036854775808'],
  ['twenty digits', 'ASID', '10000000000000000000'],
  ['a zero in front of 18 digits', 'ASID', '0999999999999999999'],
  ['no number', 'Strike', 'nan'],
  ['infinity', 'Strike', 'inf'],
  ['ten digits of a second', 'EventDateTime', '2024-03-11T09:30:00.0123456789'],
  ['the hour 24', 'EventDateTime', '2024-03-11T24:00:00'],
  ['a leap second', 'EventDateTime', '2024-03-11T09:30:60'],
  ['a time without seconds', 'EventDateTime', '2024-03-11T09:30'],
  ['a space behind', 'ASID', '5 '],
  ['a space in front', 'TradeDate', ' 2024-03-11'],
  ['a quote within', 'Ticker', 'A"B'],
  ['doubled quotes', 'Ticker', '"A""B"'],
  ['a line end', 'Ticker', '"A\nB"'],
  ['a carriage return', 'Ticker', 'A\rB'],
  ['a NUL', 'Ticker', 'A\0B'],
  ['other letters', 'Ticker', 'é'],
  ['an empty quoted number', 'ASID', '""'],
  ['an empty quoted identifier', 'Ticker', '""'],
  ['a space behind an identifier', 'Ticker', 'A '],
  ['an identifier of dots', 'Ticker', '..'],
  ['one field more', 'Ticker', 'A,B'],
])('a record with %s is left to the scanner', (_, name, field) => {
  const line = (text: string) =>
    `${columns.map((c) => (c.name === name ? text : c.name === 'TradeDate' ? '2024-03-11' : '')).join(',')}\n`;
  const scan = (bytes: Buffer) => {
    const plain = new PlainRecords(plainFormOf(columns, dataset, '\n', bytes));
    plain.scan(bytes, 0, bytes.length);
    return plain.recordCount;
  };
  expect(scan(Buffer.from(line(field)))).toBe(0);
  const usual = { Ticker: 'A', ASID: '5', Strike: '5', TradeDate: '2024-03-11' }[name] ?? '';
  expect(scan(Buffer.from(line(usual)))).toBe(1);
});

test.each([
  ...['1.123456789', '-1.123456789', '0.000000000', '"1.123456789"', '123456.123456789', ''],
  ...[
    '1234567.123456789',
    '1.12345678',
    '1.1234567890',
    '.123456789',
    '-.123456789',
    '+1.123456789',
  ],
  ...['1.123456789 ', '1123456789', '1.1234567e9', '"1.123456789', '1,123456789', '--1.123456789'],
])('%j is plain where nine decimals are read if a double keeps its digits', (text) => {
  const [column = expect.unreachable()] = columns.filter(({ name }) => name === 'Strike');
  const ways = [[String.raw`(-?[0-9]+\.[0-9]{9})`, String.raw`\1`]] as const;
  const read = {
    ...{ column, parts: [0], choice: null, ifEmpty: null, undefinedTexts: [], expected: null },
    ...{ steps: [{ kind: 'rewrite', ways }] as const, legal: '' },
  };
  const reading = { separator: ',', texts: [read], rows: [[0]], only: [], except: [] };
  const bytes = Buffer.from(`x,1.123456789\nx,${text}\n`);
  const plain = new PlainRecords(readFormOf([null, column], reading, '\n', bytes.subarray(0, 14)));
  plain.scan(bytes, 0, bytes.length);
  const value = text.replace(/^"(.*)"$/, '$1');
  const isPlain = /^-?\d+\.\d{9}$/.test(value) && value.replace(/\D/g, '').length <= 15;
  expect(plain.recordCount).toBe(text === '' || isPlain ? 2 : 1);
});

const usualLine = (ticker: string) =>
  `${columns.map(({ name }) => ({ TradeDate: '2024-03-11', Ticker: ticker })[name] ?? '').join(',')}\n`;

test('plain records are found wherever they lie, up to a length that strings may have', () => {
  const short = usualLine('A');
  const rest = 65_536 - usualLine('').length;
  const longest = usualLine('A'.repeat(rest));
  const tooLong = usualLine('A'.repeat(rest + 1));
  const before = short.repeat(Math.floor(100_000 / short.length));
  const bytes = Buffer.from(`${before}${longest}${short.repeat(3)}${tooLong}${short}`);
  const plain = new PlainRecords(plainFormOf(columns, dataset, '\n', bytes));
  const end = plain.scan(bytes, 0, bytes.length);
  expect(end).toBe(before.length + longest.length + 3 * short.length);
  expect(plain.recordCount).toBe(bytes.subarray(0, end).toString().split('\n').length - 1);
});

test.each([
  ['TradeDate', { from: 'field', time: 'YYYY-MM-DD' }, '2024-03-11'],
  ['Strike', { from: 'field' }, '.5'],
])('first records with an empty field do not say what later ones have: %s', (name, rule, text) => {
  const column = dataset.columnByName.get(name) as Column;
  const steps = stepsOf(rule, column, dataset, dataset.timeZone);
  const given = { parts: [0], choice: null, ifEmpty: null, undefinedTexts: [], expected: null };
  const reading = {
    ...{ separator: ',', texts: [{ column, steps, legal: '', ...given }] },
    ...{ rows: [[0]], only: [], except: [] },
  };
  const fields = ['field', 'other'].map((each) => ({ ...column, name: each, dataType: 'string' }));
  const bytes = Buffer.from(`${',x\n'.repeat(20)}${text},x\n`);
  const plain = new PlainRecords(readFormOf(fields as Column[], reading, '\n', bytes));
  expect(plain.scan(bytes, 0, bytes.length)).toBe(bytes.length);
});
