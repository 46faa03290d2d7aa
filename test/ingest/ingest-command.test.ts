import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test } from 'vitest';
import { ProcessLock } from '../../src/lake/process-lock.ts';
import { leftovers, newFolder, publishedRows, runCommand } from '../command-line/run-command.ts';
import { zipBytes } from '../import-lean/zip-file.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const EQ_TAQ = 'US1032';
const PROGRAM = new URL('../../bin/ticklake.js', import.meta.url).pathname;

let homeCount = 0;
const newHome = () => join(folder.path, `home-${homeCount++}`);

function write(name: string, content: string | Buffer): string {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
}

const HEADER = 'Price,TradeDate,Ticker,EventDateTime,ASID';
const LINES = [
  '101.5,2024-03-11,MSFT,2024-03-11T09:30:00.000000002,2',
  '7,2024-03-08,AAPL,2024-03-08T09:30:00.000000001,1',
  ',2024-03-11,AAPL,2024-03-11T09:30:00.000000003,',
  '0.1,2024-03-11,AAPL,2024-03-11T13:30:00.000000001Z,1',
];
const EXPRESSIONS = ['TradeDate', 'Ticker', 'epoch_ns(EventDateTime)', 'Price', 'ASID', 'Quantity'];
const ROWS = [
  ['2024-03-08', 'AAPL', '1709908200000000001', '7.0', '1', null],
  ['2024-03-11', 'AAPL', '1710163800000000001', '0.1', '1', null],
  ['2024-03-11', 'AAPL', '1710163800000000003', null, null, null],
  ['2024-03-11', 'MSFT', '1710163800000000002', '101.5', '2', null],
];
const TEXT = `${[HEADER, ...LINES].join('\n')}\n`;

async function parquetFile(name: string, select: string): Promise<string> {
  const path = join(folder.path, name);
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  return path;
}

const PARQUET_ROWS = `
  SELECT Price::DECIMAL(9, 3) AS Price, TradeDate::DATE AS TradeDate, Ticker,
    EventDateTime::TIMESTAMP_NS AS EventDateTime, ASID::INTEGER AS ASID
  FROM (VALUES
    ('101.5', '2024-03-11', 'MSFT', '2024-03-11 09:30:00.000000002', '2'),
    ('7', '2024-03-08', 'AAPL', '2024-03-08 09:30:00.000000001', '1'),
    (NULL, '2024-03-11', 'AAPL', '2024-03-11 09:30:00.000000003', NULL),
    ('0.1', '2024-03-11', 'AAPL', '2024-03-11 09:30:00.000000001', '1')
  ) AS given(Price, TradeDate, Ticker, EventDateTime, ASID)`;

test.each([
  ['plain CSV', () => [write('rows.txt', TEXT)]],
  ['gzip, whatever its name', () => [write('packed.csv', gzipSync(TEXT))]],
  [
    'gzip of several parts',
    () => [
      write(
        'parts.gz',
        Buffer.concat([TEXT.slice(0, 99), TEXT.slice(99)].map((part) => gzipSync(part))),
      ),
    ],
  ],
  [
    'members of a zip file',
    () => [
      write(
        'rows.zip',
        zipBytes({
          'a/': '',
          'a/first.csv': `${[HEADER, ...LINES.slice(0, 2)].join('\r\n')}`,
          '__MACOSX/x': '\0',
          second: `${[HEADER, ...LINES.slice(2)].join('\n')}`,
        }),
      ),
    ],
  ],
  [
    'several files of different columns',
    () => [
      write('one.csv', `${[HEADER, ...LINES.slice(0, 3)].join('\n')}`),
      write(
        'two.csv.gz',
        gzipSync(
          'Ticker,ASID,EventDateTime,Price,TradeDate\nAAPL,1,2024-03-11 09:30:00.000000001,0.1,2024-03-11\n',
        ),
      ),
    ],
  ],
  ['Parquet', async () => [await parquetFile('rows.parquet', PARQUET_ROWS)]],
])('%s is published as one version, exactly', async (_name, files) => {
  const home = newHome();
  const { exitCode, stdout, stderr } = await runCommand(
    home,
    'ingest',
    'eq_taq',
    ...(await files()),
    '--vendor',
    'Tests',
    '--json',
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    dataset_id: EQ_TAQ,
    text_id: 'eq_taq',
    is_published: true,
    version: 1,
    row_count: 4,
    partitions: ['2024-03-08', '2024-03-11'],
    replaced_row_count: 0,
    bad_row_count: 0,
    bad_values: [],
  });
  expect(await publishedRows(home, EQ_TAQ, EXPRESSIONS)).toEqual(ROWS);
  expect(leftovers(home)).toEqual([]);
});

test('a load replaces the partitions that its rows fall into; --append adds to them', async () => {
  const home = newHome();
  const file = write('all.csv', TEXT);
  const more = write('more.csv', `${HEADER}\n9,2024-03-11,AAPL,2024-03-11T09:30:00,9\n`);
  await runCommand(home, 'ingest', EQ_TAQ, file);
  const appended = await runCommand(home, 'ingest', EQ_TAQ, more, '--append');
  expect(appended.stdout).toBe('US1032 eq_taq: version 2, 1 row in 1 partition\n');
  expect((await publishedRows(home, EQ_TAQ, ['Price'])).flat()).toEqual([
    '7.0',
    '9.0',
    '0.1',
    null,
    '101.5',
  ]);
  const replaced = await runCommand(home, 'ingest', EQ_TAQ, more);
  expect(replaced.stdout).toBe(
    'US1032 eq_taq: version 3, 1 row in 1 partition, in place of 4 rows\n',
  );
  expect((await publishedRows(home, EQ_TAQ, ['Price'])).flat()).toEqual(['7.0', '9.0']);
});

test('bad rows keep everything from being published until they are allowed', async () => {
  const home = newHome();
  const good = write('good.csv', TEXT);
  const bad = write(
    'bad.csv',
    `${HEADER}\n1,2024-03-11,A,2024-03-11T10:00:00,x\n\u001b[31m,2024-03-12,A,2024-03-12T10:00:00,1\n`,
  );
  const refused = await runCommand(home, 'ingest', 'eq_taq', good, bad, '--max-bad-rows', '1');
  expect(refused.exitCode).toBe(2);
  expect(refused.stdout).toBe('');
  expect(refused.stderr).toBe(
    [
      '2 bad rows:',
      `  ${bad}:2: ASID "x" is not an integer such as 100`,
      `  ${bad}:3: Price "\\u001b[31m" is not a decimal number such as 12.5`,
      'nothing was published; --max-bad-rows 2 would leave the bad rows out',
      '',
    ].join('\n'),
  );
  expect(await publishedRows(home, EQ_TAQ, ['Price'])).toEqual([]);
  const refusedJson = await runCommand(home, 'ingest', 'eq_taq', bad, '--json');
  expect(refusedJson.exitCode).toBe(2);
  expect(JSON.parse(refusedJson.stdout)).toMatchObject({
    is_published: false,
    version: 0,
    partitions: [],
    bad_row_count: 2,
    bad_values: [
      { file: bad, line: 2, column: 'ASID', value: 'x', reason: 'an integer such as 100' },
      { line: 3 },
    ],
  });
  const allowed = await runCommand(home, 'ingest', 'eq_taq', good, bad, '--max-bad-rows', '2');
  expect(allowed.exitCode).toBe(0);
  expect(allowed.stdout).toContain('2 bad rows left out:');
  expect(await publishedRows(home, EQ_TAQ, EXPRESSIONS)).toEqual(ROWS);
  expect(leftovers(home)).toEqual([]);
});

test('the first ten bad values are shown and all bad rows counted', async () => {
  const rows = Array.from({ length: 30 }, (_, i) => `x,2024-03-11,A,2024-03-11T10:00:00,${i}`);
  const files = ['p.csv', 'q.csv'].map((name) => write(name, [HEADER, ...rows].join('\n')));
  const { stdout } = await runCommand(newHome(), 'ingest', 'eq_taq', ...files, '--json');
  const report = JSON.parse(stdout);
  expect(report.bad_row_count).toBe(60);
  expect(report.bad_values.map((bad: { line: number }) => bad.line)).toEqual([
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
  ]);
});

const damaged = (name: string, bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 0xff;
  return write(name, copy);
};
const zip = zipBytes({ 'x.csv': TEXT });

test.each([
  ['missing', () => [join(folder.path, 'nothing.csv')], /nothing\.csv does not exist/],
  ['below a file', () => [join(write('leaf', 'x'), 'below')], /below does not exist/],
  ['a folder', () => [folder.path], /is a folder; name the files in it/],
  ['empty', () => [write('empty.csv', '')], /empty\.csv is empty/],
  [
    'given twice',
    () => [write('same.csv', TEXT), join(folder.path, 'same.csv')],
    /same\.csv is given twice/,
  ],
  [
    'given twice by a link',
    () => {
      const link = join(folder.path, 'link.csv');
      if (!existsSync(link)) symlinkSync(write('linked.csv', TEXT), link);
      return [join(folder.path, 'linked.csv'), link];
    },
    /linked\.csv and .*link\.csv are the same file/,
  ],
  ['a device', () => ['/dev/null'], /is no regular file/],
  [
    'of another packing',
    () => [write('x.zst', Buffer.from('28b52ffd00', 'hex'))],
    /is zstd; CSV \(plain, in gzip or in zip\) and Parquet can be loaded/,
  ],
  [
    'UTF-16',
    () => [write('wide.csv', Buffer.from(`\ufeff${TEXT}`, 'utf16le'))],
    /is UTF-16 text; CSV/,
  ],
  [
    'gzip cut off',
    () => [write('cut.gz', gzipSync(TEXT).subarray(0, -12))],
    /cut\.gz: damaged gzip: unexpected end of file/,
  ],
  [
    'gzip with a wrong byte',
    () => [damaged('wrong.gz', gzipSync(TEXT), 60)],
    /wrong\.gz: damaged gzip/,
  ],
  [
    'gzip within gzip',
    () => [write('twice.gz', gzipSync(gzipSync(TEXT)))],
    /twice\.gz: gzip within a packed file/,
  ],
  ['zip cut off', () => [write('cut.zip', zip.subarray(0, -30))], /cut\.zip: damaged zip/],
  [
    'zip with a wrong byte',
    () => [damaged('wrong.zip', zip, 90)],
    /wrong\.zip\/x\.csv: damaged zip/,
  ],
  [
    'zip with a wrong checksum',
    () => [damaged('sum.zip', zip, zip.indexOf('PK\u0001\u0002') + 16)],
    /sum\.zip\/x\.csv: damaged zip: wrong checksum/,
  ],
  [
    'zip without files',
    () => [write('none.zip', zipBytes({ 'a/': '' }))],
    /none\.zip is a zip file without files/,
  ],
  [
    'Parquet cut off',
    () => [write('cut.parquet', 'PAR1 and no more')],
    /cut\.parquet: cannot be read as Parquet/,
  ],
])('a file that is %s is named and nothing is published', async (_name, files, message) => {
  const home = newHome();
  const { exitCode, stderr } = await runCommand(
    home,
    'ingest',
    'eq_taq',
    write('fine.csv', TEXT),
    ...files(),
  );
  expect(stderr).toMatch(message);
  expect(stderr.match(/\n/g)).toHaveLength(1);
  expect(exitCode).toBe(2);
  expect(await publishedRows(home, EQ_TAQ, ['Price'])).toEqual([]);
  expect(leftovers(home)).toEqual([]);
});

test('files without rows publish nothing, and are welcome beside others', async () => {
  const home = newHome();
  const header = write('header.csv', HEADER);
  const { exitCode, stderr } = await runCommand(home, 'ingest', 'eq_taq', header);
  expect([exitCode, stderr]).toEqual([2, `ticklake: no rows to publish in ${header}\n`]);
  const beside = await runCommand(home, 'ingest', 'eq_taq', header, write('beside.csv', TEXT));
  expect(beside.stdout).toBe('US1032 eq_taq: version 1, 4 rows in 2 partitions\n');
});

const PARQUET_KEYS = "DATE '2024-03-11' AS TradeDate, 'A' AS Ticker";

/** Writes a Parquet file whose nanoseconds are marked as UTC, as other writers do. */
async function utcNanosFile(name: string): Promise<string> {
  const path = await parquetFile(
    name,
    `SELECT ${PARQUET_KEYS},
    make_timestamp_ns(1710163800123456789 + i * 1000) AS EventDateTime, 1.5 AS Price
    FROM range(3) AS numbers(i)`,
  );
  const bytes = readFileSync(path);
  const mark = bytes.lastIndexOf(Buffer.from('8c121c3c', 'hex'));
  expect(mark).toBeGreaterThan(0);
  bytes[mark + 1] = 0x11;
  writeFileSync(path, bytes);
  return path;
}

test('Parquet times of every kind are exact instants or exact local times', async () => {
  const time = async (sql: string) => {
    const home = newHome();
    const file = await parquetFile(
      `time-${homeCount}.parquet`,
      `SELECT ${PARQUET_KEYS}, ${sql} AS EventDateTime`,
    );
    const { stderr } = await runCommand(home, 'ingest', 'eq_taq', file);
    expect(stderr).toBe('');
    return (await publishedRows(home, EQ_TAQ, ['epoch_ns(EventDateTime)'])).flat();
  };
  const half = '1710163800500000000';
  expect(await time("TIMESTAMPTZ '2024-03-11 13:30:00.5+00'")).toEqual([half]);
  expect(await time("TIMESTAMP '2024-03-11 09:30:00.5'")).toEqual([half]);
  expect(await time("TIMESTAMP_MS '2024-03-11 09:30:00.5'")).toEqual([half]);
  expect(await time("'2024-03-11T08:30:00.5-05:00'")).toEqual([half]);
  const home = newHome();
  await runCommand(home, 'ingest', 'eq_taq', await utcNanosFile('utc-nanos.parquet'));
  expect(await publishedRows(home, EQ_TAQ, ['epoch_ns(EventDateTime)', 'Price'])).toEqual([
    ['1710163800123456789', '1.5'],
    ['1710163800123457789', '1.5'],
    ['1710163800123458789', '1.5'],
  ]);
});

test('Parquet values obey the rules of text, by row number', async () => {
  const file = await parquetFile(
    'values.parquet',
    `
    SELECT DATE '2024-03-11' + i::INTEGER AS TradeDate, 'A' AS Ticker, NULL::TIMESTAMP AS EventDateTime,
      CASE i WHEN 1 THEN 'nan'::DOUBLE WHEN 2 THEN 0.1 ELSE 0.25::FLOAT END AS Price,
      CASE i WHEN 3 THEN 1.5 ELSE i END::DOUBLE AS ASID
    FROM range(5) AS numbers(i)`,
  );
  const home = newHome();
  const { stdout } = await runCommand(
    home,
    'ingest',
    'eq_taq',
    file,
    '--max-bad-rows',
    '2',
    '--json',
  );
  expect(JSON.parse(stdout).bad_values).toEqual([
    { file, line: 2, column: 'Price', value: 'nan', reason: 'a decimal number such as 12.5' },
    { file, line: 4, column: 'ASID', value: '1.5', reason: 'an integer such as 100' },
  ]);
  expect(await publishedRows(home, EQ_TAQ, ['Price', 'ASID'])).toEqual([
    ['0.25', '0'],
    ['0.1', '2'],
    ['0.25', '4'],
  ]);
});

test('Parquet columns of another type are refused by name', async () => {
  const refuse = async (columns: string) => {
    const file = await parquetFile('types.parquet', `SELECT ${columns}`);
    return (await runCommand(newHome(), 'ingest', 'eq_taq', file)).stderr;
  };
  const keys = `${PARQUET_KEYS}, NULL::TIMESTAMP AS EventDateTime`;
  expect(await refuse(`${keys}, true AS Price`)).toMatch(
    /column Price holds BOOLEAN, which is no number/,
  );
  expect(await refuse(`${keys}, [1] AS ASID`)).toMatch(
    /column ASID holds INTEGER\[\], which is no integer/,
  );
  expect(await refuse(`${keys}, 1 AS Prise`)).toMatch(
    /eq_taq has no column "Prise"; its columns: TradeDate,/,
  );
  expect(await refuse(PARQUET_KEYS)).toMatch(/column "EventDateTime" is missing/);
});

test('arrays come as JSON text from CSV and as lists from Parquet', async () => {
  const home = newHome();
  const csv = write('master.csv', 'SecId,Ticker,Name\n1,"[""A"",""B,\\""C\\""""]",[]\n2,,\n');
  await runCommand(home, 'ingest', 'eq_sec_master', csv);
  const list = await parquetFile(
    'master.parquet',
    "SELECT 3 AS SecId, ['x', 'y\"z'] AS Ticker, []::VARCHAR[] AS Name",
  );
  const { stderr } = await runCommand(home, 'ingest', 'eq_sec_master', list, '--append');
  expect(stderr).toBe('');
  const { stdout } = await runCommand(home, 'datasets', '--json');
  const { dataset_id: id } = JSON.parse(stdout).datasets.find(
    (d: { text_id: string }) => d.text_id === 'eq_sec_master',
  );
  expect(await publishedRows(home, id, ['SecId', 'to_json(Ticker)', 'to_json(Name)'])).toEqual([
    ['1', '["A","B,\\"C\\""]', '[]'],
    ['2', null, null],
    ['3', '["x","y\\"z"]', '[]'],
  ]);
});

test('words that the command does not know are refused', async () => {
  const refuse = async (...words: string[]) =>
    (await runCommand(newHome(), 'ingest', ...words)).stderr;
  expect(await refuse('eq_taq')).toMatch(
    /name a dataset and its files: ticklake ingest <dataset> <file\.\.\.>/,
  );
  expect(await refuse('eq_tak', 'x.csv')).toMatch(
    /there is no dataset eq_tak; ticklake datasets lists them all/,
  );
  expect(await refuse('eq_taq', 'x.csv', '--max-bad-rows', 'many')).toMatch(
    /--max-bad-rows must be a whole number from 0 on, not many/,
  );
});

/** A gzip file that unpacks to some hundred million bytes, which takes a while to load. */
function longFile(): string {
  const path = join(folder.path, 'long.gz');
  if (existsSync(path)) return path;
  const rows = Array.from(
    { length: 20_000 },
    (_, i) => `${i / 100},2024-03-11,AAPL,2024-03-11T09:30:00.${i},1\n`,
  );
  const part = gzipSync(rows.join(''));
  const file = openSync(path, 'w');
  writeSync(file, gzipSync(`${HEADER}\n`));
  for (let i = 0; i < 400; i++) writeSync(file, part);
  closeSync(file);
  return path;
}

test('an interrupt ends the process soon and leaves nothing behind', async () => {
  const home = newHome();
  mkdirSync(home);
  const child = spawn(process.execPath, [PROGRAM, 'ingest', 'eq_taq', longFile(), '--home', home], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  while (
    !existsSync(join(home, 'lake')) ||
    leftovers(home).every((name) => !/block-\d+\.csv$/.test(name))
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(child.exitCode).toBeNull();
  }
  child.kill('SIGINT');
  const sentAtMs = Date.now();
  const [code] = await once(child, 'exit');
  expect(Date.now() - sentAtMs).toBeLessThan(5000);
  expect([code, stderr]).toEqual([130, 'ticklake: interrupted\n']);
  expect(leftovers(home)).toEqual([]);
  expect(await publishedRows(home, EQ_TAQ, ['Price'])).toEqual([]);
}, 60_000);

test('an interrupt ends the wait for another publication', async () => {
  const home = newHome();
  mkdirSync(join(home, 'lake'), { recursive: true });
  const lock = ProcessLock.tryAcquire(join(home, 'lake', 'publish.lock'));
  const words = ['ingest', 'eq_taq', write('waiting.csv', TEXT), '--home', home];
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  while (leftovers(home).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect((await exit)[0]).toBe(130);
  lock?.release();
  expect(leftovers(home)).toEqual([]);
}, 30_000);

test('the program runs from any folder and prints JSON alone', async () => {
  const home = newHome();
  const file = write('process.csv', TEXT);
  const child = spawn(
    process.execPath,
    [PROGRAM, '--json', '--home', home, 'ingest', 'eq_taq', file],
    { cwd: folder.path },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ version: 1, row_count: 4 });
  expect(await publishedRows(home, EQ_TAQ, EXPRESSIONS)).toEqual(ROWS);
}, 30_000);
