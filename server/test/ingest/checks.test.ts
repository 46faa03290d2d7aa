import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/open-home.ts';
import { newFolder, publishedRows, runCommand, runPiped } from '../command-line/run-command.ts';
import { connectToDuckDB } from '../duckdb-connection.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const ID = 'US9001';
const DEFINITION = `
id: ${ID}
text_id: own_bars
name: Own Bars
description: Bars of our own.
data_group: Own
dataset_class: Own
dataset_format: Market Data
time_granularity: Daily
creation_date: 2025-01-01
is_time_series: true
group: own
segment: own-bars
path: query
natural_order: [TradeDate, Ticker]
partition: { unit: month, column: TradeDate }
date_column: TradeDate
time_zone: America/New_York
schedule: { days: none }
checks:
  - keys: [TradeDate, Ticker]
    required: [Ticker]
    range: [Volume]
    min: 0
    relations: [LowPrice <= HighPrice]
    session: [At]
    begins: "18:00"
    trading_days: [TradeDate]
    latest: [TradeDate]
  - on_failure: warn
    range: [LowPrice]
    min: 1
columns:
  - { name: TradeDate, type: date, description: Day. }
  - { name: Ticker, type: string, description: Symbol. }
  - { name: At, type: date-time, description: Moment of the last trade. }
  - { name: LowPrice, type: number, description: Low. }
  - { name: HighPrice, type: number, description: High. }
  - { name: Volume, type: integer, description: Shares. }
`;
const HEADER = 'TradeDate,Ticker,At,LowPrice,HighPrice,Volume';
const GOOD = '2025-06-18,GOOD,2025-06-17T18:00:00,10,11,100';

let homeCount = 0;
function newHome(): string {
  const home = join(folder.path, `home-${homeCount++}`);
  mkdirSync(join(home, 'datasets'), { recursive: true });
  writeFileSync(join(home, 'datasets', 'own.yaml'), DEFINITION);
  return home;
}

function write(name: string, ...lines: readonly string[]): string {
  const path = join(folder.path, name);
  writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`);
  return path;
}

const shownIn = (text: string) => text.replaceAll(`${folder.path}/`, '');
const END =
  'nothing was published; correct the rows, or the checks in the definition of the dataset\n';

/** Name, the row of line 3, and what is said of it. */
const BAD_ROWS: readonly (readonly [what: string, row: string, check: string, values: string])[] = [
  [
    'a Sunday',
    '2025-06-15,A,,10,11,1',
    'TradeDate is a trading day of XNYS',
    'TradeDate "2025-06-15"',
  ],
  [
    'a holiday',
    '2025-06-19,A,,10,11,1',
    'TradeDate is a trading day of XNYS',
    'TradeDate "2025-06-19"',
  ],
  [
    'the year 2199',
    '2199-06-17,A,,10,11,1',
    'TradeDate is not after 2025-06-21',
    'TradeDate "2199-06-17"',
  ],
  [
    'a high below the low',
    '2025-06-18,A,,10,9.5,1',
    'LowPrice <= HighPrice',
    'LowPrice "10", HighPrice "9.5"',
  ],
  ['a negative size', '2025-06-18,A,,10,11,-1', 'Volume >= 0', 'Volume "-1"'],
  [
    'a doubled bar',
    '2025-06-18,GOOD,,10,11,1',
    'no other row has the same TradeDate, Ticker',
    'TradeDate "2025-06-18", Ticker "GOOD", as in bad.csv:2',
  ],
  [
    'no ticker',
    '2025-06-18,,,10,11,1',
    'Ticker has a value without spaces around it',
    'Ticker null',
  ],
  [
    'an empty ticker',
    '2025-06-18,"",,10,11,1',
    'Ticker has a value without spaces around it',
    'Ticker ""',
  ],
  [
    'a ticker behind a space',
    '2025-06-18, A,,10,11,1',
    'Ticker has a value without spaces around it',
    'Ticker " A"',
  ],
  [
    'a time of another day',
    '2025-06-18,A,2025-06-18T18:00:00,10,11,1',
    'At lies in the session of TradeDate, from 18:00 of the day before in America/New_York',
    'At "2025-06-18T18:00:00-04:00", TradeDate "2025-06-18"',
  ],
];

test.each(BAD_ROWS)('%s refuses the load, naming the line', async (_, row, check, values) => {
  const home = newHome();
  const { exitCode, stdout, stderr } = await runCommand(
    home,
    'ingest',
    'own_bars',
    write('bad.csv', GOOD, row),
    '--max-bad-rows',
    '9',
  );
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(shownIn(stderr)).toBe(
    `check failed: ${check}, which 1 row breaks:\n  bad.csv:3: ${values}\n${END}`,
  );
  expect(await publishedRows(home, ID, ['Ticker'])).toEqual([]);
});

test('a warning is printed and kept in the report, and the rows are published', async () => {
  const home = newHome();
  const file = write('low.csv', GOOD, '2025-06-18,PENNY,,0.5,1,1');
  const { exitCode, stdout } = await runCommand(home, 'ingest', 'own_bars', file);
  expect(exitCode).toBe(0);
  expect(shownIn(stdout)).toBe(
    'warning: LowPrice >= 1, which 1 row breaks:\n  low.csv:3: LowPrice "0.5"\n' +
      `${ID} own_bars: version 1, 2 rows in 1 partition\n`,
  );
  const again = await runPiped(home, 'ingest', 'own_bars', file, '--again', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    is_published: true,
    checks: [
      {
        name: 'LowPrice >= 1',
        severity: 'warn',
        expected: 'LowPrice >= 1',
        row_count: 1,
        rows: [{ row: 2, file, line: 3, values: [{ column: 'LowPrice', value: '0.5' }] }],
      },
    ],
  });
});

test('every broken check is told, with the first ten rows of each', async () => {
  const home = newHome();
  const rows = Array.from({ length: 12 }, (_, i) => `2025-06-17,T${i},,2,1,-${i + 1}`);
  const file = write('many.csv', ...rows);
  const { exitCode, stderr } = await runCommand(home, 'ingest', 'own_bars', file);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/check failed: Volume >= 0, which 12 rows break:/);
  expect(stderr).toMatch(/check failed: LowPrice <= HighPrice, which 12 rows break:/);
  expect(stderr.match(/many\.csv:11: /g)).toHaveLength(2);
  expect(stderr).not.toMatch(/many\.csv:12: /);
});

test('the audit log and the status have the reason of a refusal', async () => {
  const home = newHome();
  const file = write('refused.csv', GOOD, '2025-06-18,A,,10,9,-1');
  await runCommand(home, 'ingest', 'own_bars', file);
  const { stdout } = await runPiped(home, 'audit', '--operation', 'ingest', '--json');
  const reason = 'checks failed: Volume >= 0 (1 row); LowPrice <= HighPrice (1 row)';
  expect(stdout).toContain('"state":"refused"');
  expect(stdout).toContain(`"reason":"${reason}"`);
});

test('the ledger keeps what checks have found', async () => {
  const home = newHome();
  const noted = async (file: string) => {
    await runCommand(home, 'ingest', 'own_bars', file);
    const lake = await openLake({ home }, fixedClock('2025-06-20T16:00:00Z'));
    const [last] = await lake.ledger.publications({ limit: 1 });
    await lake.close();
    return last;
  };
  const example = (line: string) => [`${join(folder.path, 'noted.csv')}:${line}`];
  const check = { datasetId: ID, count: 1 };
  expect(await noted(write('noted.csv', '2025-06-18,A,,0.5,9,-1'))).toMatchObject({
    state: 'refused',
    message: 'checks failed: Volume >= 0 (1 row)',
    checks: [
      { ...check, name: 'Volume >= 0', severity: 'refuse', examples: example('2: Volume "-1"') },
      { ...check, name: 'LowPrice >= 1', severity: 'warn', examples: example('2: LowPrice "0.5"') },
    ],
  });
  expect(await noted(write('noted.csv', '2025-06-18,A,,0.5,9,1'))).toMatchObject({
    state: 'published',
    checks: [{ name: 'LowPrice >= 1' }],
  });
});

test('a key is looked for among published rows when rows are appended, not when they are replaced', async () => {
  const home = newHome();
  const file = write('once.csv', GOOD);
  expect((await runCommand(home, 'ingest', 'own_bars', file)).exitCode).toBe(0);
  expect((await runCommand(home, 'ingest', 'own_bars', file, '--again')).exitCode).toBe(0);
  const more = write('more.csv', '2025-06-17,GOOD,,10,11,1', GOOD);
  const { exitCode, stderr } = await runCommand(home, 'ingest', 'own_bars', more, '--append');
  expect(exitCode).toBe(2);
  expect(shownIn(stderr)).toContain(
    '  more.csv:3: TradeDate "2025-06-18", Ticker "GOOD", as in a row that is published\n',
  );
  const next = write('next.csv', '2025-06-17,GOOD,,10,11,1');
  expect((await runCommand(home, 'ingest', 'own_bars', next, '--append')).exitCode).toBe(0);
  expect(await publishedRows(home, ID, ['Ticker'])).toHaveLength(2);
});

test('lines are exact behind blank lines, long records and bad rows, and across files', async () => {
  const home = newHome();
  const bad = (ticker: string) => `2025-06-18,${ticker},,10,11,-1`;
  const first = write(
    'first.csv',
    ...['2025-06-18,A,,10,11,1', '', bad('B'), 'no record', bad('C')],
    ...['2025-06-18,"D\nD",,10,11,1', bad('E'), '2025-06-18,F,,ten,11,1', bad('G')],
  );
  const second = write('second.csv', '2025-06-18,H,,10,11,1', bad('I'));
  const words = ['ingest', 'own_bars', first, second, '--max-bad-rows', '2'];
  const { stderr } = await runCommand(home, ...words);
  const lines = [...shownIn(stderr).matchAll(/^ {2}(\S+): Volume "-1"$/gm)].map(([, at]) => at);
  expect(lines).toEqual([
    'first.csv:4',
    'first.csv:6',
    'first.csv:9',
    'first.csv:11',
    'second.csv:3',
  ]);
});

let parquet = '';
beforeAll(async () => {
  parquet = join(folder.path, 'rows.parquet');
  const connection = await connectToDuckDB();
  await connection.run(
    `COPY (SELECT DATE '2025-06-18' AS TradeDate, 'T' || i AS Ticker, i::DOUBLE / 7 AS LowPrice,
       CASE WHEN i IN (3, 5) THEN '1.5' WHEN i IN (4, 9) THEN '-1' ELSE '1' END AS Volume
     FROM range(1, 11) AS numbers(i)) TO '${parquet}' (FORMAT parquet)`,
  );
  connection.closeSync();
});

test('messages about Parquet files give the row number, also behind bad rows', async () => {
  const words = ['ingest', 'own_bars', parquet, '--max-bad-rows', '2'];
  const { exitCode, stderr } = await runCommand(newHome(), ...words);
  expect(exitCode).toBe(2);
  const lines = [...shownIn(stderr).matchAll(/^ {2}(\S+): Volume "-1"$/gm)].map(([, at]) => at);
  expect(lines).toEqual(['rows.parquet:4', 'rows.parquet:9']);
});
