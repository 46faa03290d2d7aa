/**
 * Decimals, booleans and arrays of numbers from files to answers, and digits beyond a double: the
 * installed engine, which reads text itself, against the plain one, whose values the loader parses.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { plainEngine } from '../engine/plain-engine.ts';
import { openTestService, type TestService } from '../harness.ts';
import { TYPED_TEXT_ID, typedDefinitions } from '../oracle/typed-definition.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';

const FILES = repetitions('TICKLAKE_TYPED_LOADS', 6);
const COLUMNS = ['Rebate', 'IsOdd', 'Counts', 'Levels', 'Long'];
const URL = `/v1/data/us-equity/typed-rows?response_format=csv&columns=${COLUMNS.join()}&TradeDate=2025-06-18`;
const { signal } = new AbortController();

const services: TestService[] = [];
beforeAll(async () => {
  const definitions = typedDefinitions();
  services.push(await openTestService({ definitions, pageCacheBytes: 0 }));
  services.push(await openTestService({ definitions, pageCacheBytes: 0 }, plainEngine()));
});
afterAll(async () => {
  for (const service of services) await service.close();
});

let fileCount = 0;

/** Loads a file in place of all rows; the report, and the rows as CSV without the header line. */
async function loadInto(service: TestService, name: string, write: (file: string) => unknown) {
  const { lake, config } = service.services;
  fileCount += 1;
  const file = join(config.home, `${fileCount}-${name}`);
  await write(file);
  const report = await ingestFiles({
    ...{ lake, dataset: service.dataset(TYPED_TEXT_ID), files: [file] },
    ...{ mode: 'replace', maxBadRows: 1_000_000, vendor: null, signal, onProgress: () => {} },
  });
  const answer = await service.get(URL);
  expect(answer.statusCode, answer.body).toBe(200);
  const bad = report.badValues.map(({ line, column, value, reason }) => [
    line,
    column,
    value,
    reason,
  ]);
  return { rowCount: report.rowCount, bad, rows: answer.body.split('\n').slice(1, -1) };
}

const inQuotes = (text: string) => (text === '' ? '' : `"${text.replaceAll('"', '""')}"`);
const csvOf = (rows: readonly (readonly string[])[]) =>
  [
    ['TradeDate', 'Fee', 'Ticker', ...COLUMNS].join(),
    ...rows.map((row, r) => ['2025-06-18', '', `T${String(r).padStart(4, '0')}`, ...row].join()),
    '',
  ].join('\n');

async function loadText(service: TestService, rows: readonly (readonly string[])[]) {
  return await loadInto(service, 'rows.csv', (file) => writeFileSync(file, csvOf(rows)));
}

const digits = (max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 0, maxLength: max });
const anyDecimal = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '-', '+'), digits(16), fc.constantFrom('', '.'), digits(6))
    .map((parts) => parts.join('')),
  fc.constantFrom(
    '99999999999999.9999',
    '-99999999999999.9999',
    '100000000000000',
    '1e2',
    '1.00000',
  ),
  fc.constantFrom('00000000000000000000000000000000000000000000001', 'NaN', ' 1', '.', '-', '0x1'),
);
const anyBoolean = fc.constantFrom('true', 'false', 'True', 'FALSE', 'tRue', '1', 't', 'yes', '');
const anyElement = fc.oneof(
  fc.constantFrom('1', '-7', '0.1', '1e21', '9223372036854775807', '9223372036854775808', '', 'x'),
  fc.constantFrom(
    '9007199254740993',
    '0.30000000000000004',
    'null',
    '"a"',
    '1 2',
    '+5',
    '.5',
    '[1]',
  ),
);
const anyArray = fc.oneof(
  fc
    .tuple(fc.constantFrom('[', ' [', '[ ', '['), fc.array(anyElement, { maxLength: 3 }))
    .map(([start, items]) => `${start}${items.join(start === '[' ? ',' : ' , ')}]`),
  fc.constantFrom('', '[]', '[ ]', '[', ']', '[,]', '1', '[1', 'null', '{}'),
);
/** A value in one of the columns, or in all of them. */
const anyRow = fc
  .tuple(anyDecimal, anyBoolean, anyArray, anyArray, anyDecimal, fc.nat({ max: 5 }))
  .map(([...cells]) => {
    const only = cells.pop();
    const texts = cells as string[];
    return texts.map((text, c) => {
      if (only !== c && only !== 5) return '';
      return c === 2 || c === 3 ? inQuotes(text) : text;
    });
  });

it('values of text are the same, and the same ones refused, by every way to load', async () => {
  let rowCount = 0;
  let badCount = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 12 }), async (rows) => {
      const [real, plain] = services as [TestService, TestService];
      const loaded = await loadText(real, [['', '', '', '', ''], ...rows]);
      expect(loaded).toEqual(await loadText(plain, [['', '', '', '', ''], ...rows]));
      rowCount += loaded.rowCount;
      badCount += loaded.bad.length;
    }),
    { numRuns: FILES },
  );
  expectCameAcross({ rowCount, badCount });
});

/** A row of text, and what is answered of it. */
const EXACT: readonly (readonly [readonly string[], string])[] = [
  [
    ['12.5000', 'True', '"[9007199254740993, -9223372036854775808]"', '"[0.1,1e21]"', '0.1'],
    '12.5,true,"[9007199254740993,-9223372036854775808]","[0.1,1000000000000000000000]",0.1',
  ],
  [
    ['-99999999999999.9999', 'false', '[]', '[]', '-99999999999999999999999999999.999999999'],
    '-99999999999999.9999,false,"[]","[]",-99999999999999999999999999999.999999999',
  ],
  [['0', '', '', '', '-0.000000001'], '0,,,,-0.000000001'],
];

it('digits that no double holds are exact from the file to the answer', async () => {
  const texts = EXACT.map(([row]) => row);
  for (const service of services) {
    const { rows, bad } = await loadText(service, texts);
    expect([rows, bad]).toEqual([EXACT.map(([, row]) => row), []]);
    const json = await service.get(URL.replace('csv', 'json').replace(COLUMNS.join(), 'Long'));
    expect(json.body).toContain('{"Long":-99999999999999999999999999999.999999999}');
    const found = async (filter: string) => {
      const answer = await service.get(`${URL.replace(COLUMNS.join(), 'Ticker')}&${filter}`);
      return answer.body.split('\n').slice(1, -1).join();
    };
    expect(await found('Long=-99999999999999999999999999999.999999999')).toBe('T0001');
    expect(await found('Long=-99999999999999999999999999999.999999998')).toBe('');
    expect(await found('Long.ge=-0.000000001&sort=-Long')).toBe('T0000,T0002');
    expect(await found('Rebate.in=12.5,0.0000')).toBe('T0000,T0002');
    expect(await found('IsOdd=false')).toBe('T0001');
    expect(await found('IsOdd.in=true,false&sort=IsOdd')).toBe('T0001,T0000');
    expect(await found('Counts=9007199254740993')).toBe('T0000');
    expect(await found('Counts=9007199254740992')).toBe('');
    expect(await found('Levels.in=7,0.1')).toBe('T0000');
  }
});

it('tells what a decimal column and an operator take', async () => {
  const [service] = services as [TestService];
  const refusal = async (filter: string) => (await service.get(`${URL}&${filter}`)).json().detail;
  expect(await refusal('Rebate.gt=1.23456')).toMatchObject([
    { type: 'decimal_parsing', msg: "Cannot parse the filter value '1.23456' as Decimal" },
  ]);
  expect(await refusal('IsOdd=1')).toMatchObject([{ type: 'bool_parsing', input: '1' }]);
  expect(await refusal('IsOdd.gt=true')).toMatchObject([{ type: 'unfit_operator' }]);
  expect(await refusal('Counts.gt=1')).toMatchObject([{ type: 'unfit_operator' }]);
});

it('values of Parquet files keep the rules of text', async () => {
  const [service] = services as [TestService];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = `SELECT DATE '2025-06-18' AS TradeDate, 0 AS Fee, 'T' || n AS Ticker, * EXCLUDE (n) FROM (VALUES
    (1, 12.5::DECIMAL(9, 2), true, [1, 2]::INTEGER[], [0.1, 1.5]::FLOAT[],
      '12345678901234567890.123456789'::DECIMAL(38, 9)),
    (2, NULL, NULL, NULL, NULL, NULL),
    (3, 1, false, []::INTEGER[], [NULL]::FLOAT[], 1),
    (4, 1, false, [NULL]::INTEGER[], []::FLOAT[], 1)
  ) AS rows(n, Rebate, IsOdd, Counts, Levels, Long)`;
  const loaded = await loadInto(service, 'rows.parquet', (file) =>
    connection.run(`COPY (${rows}) TO '${file}' (FORMAT parquet)`),
  );
  expect(loaded.rows).toEqual([
    '12.5,true,"[1,2]","[0.1,1.5]",12345678901234567890.123456789',
    ',,,,',
  ]);
  expect(loaded.bad.map(([line, column, value]) => [line, column, value])).toEqual([
    [3, 'Levels', '[null]'],
    [4, 'Counts', '[null]'],
  ]);
  const unfit = loadInto(service, 'unfit.parquet', (file) =>
    connection.run(
      `COPY (SELECT DATE '2025-06-18' AS TradeDate, 1 AS Fee, 'T' AS Ticker, true AS Rebate)
       TO '${file}' (FORMAT parquet)`,
    ),
  );
  await expect(unfit).rejects.toThrow('holds BOOLEAN, which cannot be loaded as decimal(18, 4)');
  connection.closeSync();
  instance.closeSync();
});

it('tells the digits of decimals in the catalogue', async () => {
  const [service] = services as [TestService];
  const { datasetId } = service.dataset(TYPED_TEXT_ID);
  const columns = (await service.get(`/v1/meta/datasets/${datasetId}/columns`)).json();
  const types = columns.map(({ description: _, ...column }: { description: string }) => column);
  expect(types).toContainEqual({ name: 'Rebate', data_type: 'decimal', precision: 18, scale: 4 });
  expect(types).toContainEqual({ name: 'IsOdd', data_type: 'boolean' });
  expect(types).toContainEqual({ name: 'Counts', data_type: 'array of integer' });
});
