import { expect, test } from 'vitest';
import type { Upload } from '../ingest/uploads/upload.ts';
import { refusalOf } from './ingest-fields.ts';

const REPORT = { bad_row_count: 0, bad_values: [], checks: [] };
const upload = (report: object) => {
  return { report, error: null, allowedBy: null, options: {} } as unknown as Upload;
};

test('rows that break a check are named by file, line and value', () => {
  const values = [
    { column: 'LowPrice', value: '12' },
    { column: 'HighPrice', value: '11' },
  ];
  const row = { row: 6, file: 'bars.csv', line: 7, values };
  const failed = { severity: 'refuse', name: 'LowPrice <= HighPrice', row_count: 1 };
  const keys = { severity: 'refuse', name: 'keys Ticker', row_count: 1 };
  const warning = { severity: 'warn', name: 'x', expected: 'x', row_count: 1, rows: [row] };
  const { kind, detail } = refusalOf(
    upload({
      ...REPORT,
      checks: [
        { ...failed, expected: 'LowPrice <= HighPrice', rows: [row] },
        warning,
        {
          ...keys,
          expected: 'no other row has the same Ticker',
          rows: [{ ...row, values: [{ column: 'Ticker', value: 'A' }], same_as: 'bars.csv:2' }],
        },
      ],
    }),
  );
  expect(kind).toBe('invalid');
  expect(detail).toMatchObject([
    { msg: 'Nothing was published: LowPrice <= HighPrice, which a row breaks' },
    {
      type: 'bad_row',
      loc: ['body'],
      msg: 'bars.csv:7: LowPrice "12", HighPrice "11": LowPrice <= HighPrice',
      ctx: { file: 'bars.csv', line: 7, check: 'LowPrice <= HighPrice' },
    },
    { msg: expect.stringContaining('no other row has the same Ticker') },
    { msg: 'bars.csv:7: Ticker "A", as in bars.csv:2: no other row has the same Ticker' },
  ]);
});

test('the fault of a file as a whole is told as it is', () => {
  const ofFile = { report: null, error: 'x.csv is empty', allowedBy: null } as Upload;
  expect(refusalOf(ofFile).detail).toMatchObject([
    { type: 'bad_file', loc: ['body'], msg: 'x.csv is empty' },
  ]);
  const { detail } = refusalOf({ ...ofFile, error: 'x.csv is known', allowedBy: 'again' });
  expect(detail).toMatchObject([{ msg: 'x.csv is known; again=true loads them once more' }]);
});
