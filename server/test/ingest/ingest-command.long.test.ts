import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { openLake } from '../../src/open-home.ts';
import {
  leftovers,
  newFolder,
  publishedRows,
  runCommand,
  runUntil,
} from '../command-line/run-command.ts';
import { connectToDuckDB } from '../duckdb-connection.ts';
import { zipBytes } from '../import-lean/zip-file.ts';
import { partFiles } from '../part-files.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const DATASETS = resolve(import.meta.dirname, '../../../datasets');
const EQ_TAQ = 'US1032';

let homeCount = 0;
const newHome = () => join(folder.path, `home-${homeCount++}`);

/** Shared by loads of which none changes it. */
const refusingHome = newHome();

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
const EXPRESSIONS = ['TradeDate', 'Ticker', 'EventDateTime_utc_ns', 'Price', 'ASID', 'Quantity'];
const ROWS = [
  ['2024-03-08', 'AAPL', '1709908200000000001', '7.0', '1', null],
  ['2024-03-11', 'AAPL', '1710163800000000001', '0.1', '1', null],
  ['2024-03-11', 'AAPL', '1710163800000000003', null, null, null],
  ['2024-03-11', 'MSFT', '1710163800000000002', '101.5', '2', null],
];
const TEXT = `${[HEADER, ...LINES].join('\n')}\n`;

async function parquetFile(name: string, select: string): Promise<string> {
  const path = join(folder.path, name);
  const connection = await connectToDuckDB();
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
          'a/first.csv': `${[HEADER, ...LINES.slice(0, 2)].join('\r\n')}\r\n`,
          '__MACOSX/x': '\0',
          second: `${[HEADER, ...LINES.slice(2)].join('\n')}\n`,
        }),
      ),
    ],
  ],
  [
    'several files of different columns',
    () => [
      write('one.csv', `${[HEADER, ...LINES.slice(0, 3)].join('\n')}\n`),
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

test('a folder stands for the files in it and below, by name', async () => {
  const path = join(folder.path, 'days');
  mkdirSync(join(path, 'b'), { recursive: true });
  const [first = '', second = '', third = '', fourth = ''] = LINES;
  writeFileSync(join(path, 'c.csv'), `${HEADER}\n${fourth}\n`);
  writeFileSync(join(path, 'b', '2.CSV.gz'), gzipSync(`${HEADER}\n${second}\n${third}\n`));
  writeFileSync(join(path, 'a.zip'), zipBytes({ 'x.csv': `${HEADER}\n${first}\n` }));
  writeFileSync(join(path, '.hidden.csv'), 'no');
  writeFileSync(join(path, 'notes.txt'), 'no');
  const home = newHome();
  const { stderr } = await runCommand(home, 'ingest', 'eq_taq', path);
  expect(stderr).toBe('');
  expect(await publishedRows(home, EQ_TAQ, EXPRESSIONS)).toEqual(ROWS);
  writeFileSync(
    join(path, 'b', '3.csv'),
    `${HEADER}\n${first}\n${first.replace('2024', '2O24')}\n`,
  );
  const refused = await runCommand(home, 'ingest', 'eq_taq', path);
  expect(refused.stderr).toContain(`${join(path, 'b', '3.csv')}:3: TradeDate "2O24-03-11"`);
  const twice = await runCommand(home, 'ingest', 'eq_taq', path, join(path, 'c.csv'));
  expect(twice.stderr).toMatch(/c\.csv is given twice/);
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
  const again = ['--allow-loss', '--again'];
  const replaced = await runCommand(home, 'ingest', EQ_TAQ, more, ...again);
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
      'nothing was published; --max-bad-rows 2 would skip the bad rows',
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
  const files = ['p.csv', 'q.csv'].map((name) => write(name, [HEADER, ...rows, ''].join('\n')));
  const { stdout } = await runCommand(refusingHome, 'ingest', 'eq_taq', ...files, '--json');
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
  [
    'a zip file with a member that leads out of it',
    () => [write('out.zip', zipBytes({ '../x': TEXT }))],
    /out\.zip: the zip file is damaged: invalid relative path: \.\.\/x/,
  ],
  [
    'below a file',
    () => [join(write('leaf', 'x'), 'below')],
    /below cannot be used: a part of its path is a file, not a folder; check the path/,
  ],
  [
    'a folder without files to load',
    () => {
      const path = join(folder.path, 'bare');
      mkdirSync(join(path, 'below'), { recursive: true });
      writeFileSync(join(path, 'readme.txt'), TEXT);
      return [path];
    },
    /bare contains no files that end in \.csv, \.dbn, \.gz, \.zst, \.zip, \.parquet/,
  ],
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
  ['a device', () => ['/dev/null'], /is not a regular file/],
  [
    'of another packing',
    () => [write('x.bz2', 'BZh91AY')],
    /is bzip2; only CSV and DBN \(plain, gzip, zstd or zip\) and Parquet files can be loaded/,
  ],
  [
    'UTF-16',
    () => [write('wide.csv', Buffer.from(`\ufeff${TEXT}`, 'utf16le'))],
    /is UTF-16 text; only CSV/,
  ],
  [
    'gzip cut off',
    () => [write('cut.gz', gzipSync(TEXT).subarray(0, -12))],
    /cut\.gz: the gzip data is damaged: unexpected end of file/,
  ],
  [
    'gzip with a wrong byte',
    () => [damaged('wrong.gz', gzipSync(TEXT), 60)],
    /wrong\.gz: the gzip data is damaged/,
  ],
  [
    'gzip within gzip',
    () => [write('twice.gz', gzipSync(gzipSync(TEXT)))],
    /twice\.gz: gzip inside a compressed file/,
  ],
  [
    'gzip of a flood of line ends',
    () => [write('lines.gz', gzipSync(TEXT + '\n'.repeat(17_000_000)))],
    /lines\.gz: more than 16777216 bytes of empty lines in a compressed file/,
  ],
  [
    'zip cut off',
    () => [write('cut.zip', zip.subarray(0, -30))],
    /cut\.zip: the zip file is damaged/,
  ],
  [
    'zip with a wrong byte',
    () => [damaged('wrong.zip', zip, 90)],
    /wrong\.zip\/x\.csv: the zip file is damaged/,
  ],
  [
    'zip with a wrong checksum',
    () => [damaged('sum.zip', zip, zip.indexOf('PK\u0001\u0002') + 16)],
    /sum\.zip\/x\.csv: the zip file is damaged: wrong checksum/,
  ],
  [
    'zip without files',
    () => [write('none.zip', zipBytes({ 'a/': '' }))],
    /none\.zip is a zip file with no files in it/,
  ],
  [
    'Parquet cut off',
    () => [write('cut.parquet', 'PAR1 and no more')],
    /cut\.parquet: cannot be read as Parquet/,
  ],
])('a file that is %s is named and nothing is published', async (_name, files, message) => {
  const home = refusingHome;
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

test('a file of many chunks arrives whole', async () => {
  const rows = Array.from({ length: 15_000 }, (_, i) => {
    return `${i},2024-03-11,T${i % 7},2024-03-11T09:30:00.${String(i).padStart(9, '0')},${i}\n`;
  });
  const home = newHome();
  const { stdout } = await runCommand(
    home,
    'ingest',
    'eq_taq',
    write('large.csv', `${HEADER}\n${rows.join('')}`),
  );
  expect(stdout).toBe('US1032 eq_taq: version 1, 15,000 rows in 1 partition\n');
  const sums = ['count(DISTINCT Price)', 'sum(ASID)', 'max(EventDateTime_utc_ns)'];
  expect(await publishedRows(home, EQ_TAQ, sums)).toEqual([
    ['15000', '112492500', '1710163800000014999'],
  ]);
});

test('files without rows publish nothing, and are welcome beside others', async () => {
  const home = newHome();
  const header = write('header.csv', `${HEADER}\n`);
  const { exitCode, stderr } = await runCommand(home, 'ingest', 'eq_taq', header);
  expect([exitCode, stderr]).toEqual([3, `nothing was published: no rows in ${header}\n`]);
  const beside = await runCommand(home, 'ingest', 'eq_taq', header, write('beside.csv', TEXT));
  expect(beside.stdout).toBe('US1032 eq_taq: version 1, 4 rows in 2 partitions\n');
});

interface AuditEntry {
  readonly operation: string;
  readonly target: string;
  readonly actor: string;
  readonly source: string;
  readonly after: Record<string, unknown>;
}

async function auditOf(home: string): Promise<AuditEntry[]> {
  const { stdout } = await runCommand(home, 'audit', '--json');
  return JSON.parse(stdout).data;
}

test('every load is in the audit log, however it ended', async () => {
  const home = newHome();
  const good = write('audited.csv', TEXT);
  const bad = write('audited-bad.csv', `${TEXT}x,2024-03-11,A,2024-03-11T09:30:00,1\n`);
  const header = write('audited-header.csv', `${HEADER}\n`);
  await runCommand(home, 'ingest', 'eq_taq', good, '--vendor', 'Acme');
  await runCommand(home, 'ingest', 'eq_taq', good, bad);
  await runCommand(home, 'ingest', 'eq_taq', '/nowhere.csv');
  await runCommand(home, 'ingest', 'eq_taq', header, '--append');
  const entries = await auditOf(home);
  expect(entries.map(({ operation, target }) => [operation, target])).toEqual(
    Array(4).fill(['ingest', 'dataset:US1032']),
  );
  expect(entries[0]).toMatchObject({
    actor: expect.stringMatching(/^local:/),
    source: 'command line',
    after: {
      publication_id: 1,
      state: 'published',
      reason: null,
      row_count: 4,
      replaced_row_count: 0,
      partition_count: 2,
      bad_row_count: 0,
      files: [good],
      file_count: 1,
      mode: 'replace-dates',
      vendor: 'Acme',
    },
  });
  expect(entries.slice(1).map(({ after }) => [after.state, after.reason])).toEqual([
    [
      'refused',
      expect.stringMatching(
        /^bad rows: 1, where at most 0 are allowed; first .*\.csv:\d+: \w+ ".*" is not /,
      ),
    ],
    ['refused', '/nowhere.csv does not exist; check the path'],
    ['unchanged', `no rows in ${header}`],
  ]);
});

test('an audit log that takes nothing hides neither what was published nor why a load failed', async () => {
  const home = newHome();
  const good = write('unaudited.csv', TEXT);
  await runCommand(home, 'identity', 'create', '--name', 'a');
  const control = new DatabaseSync(join(home, 'control.db'));
  control.exec(`CREATE TRIGGER no_audit BEFORE INSERT ON audit_log
    BEGIN SELECT RAISE(ABORT, 'it takes nothing'); END`);
  control.close();
  expect(await runCommand(home, 'ingest', 'eq_taq', '/nowhere.csv')).toMatchObject({
    exitCode: 2,
    stderr: 'ticklake: /nowhere.csv does not exist; check the path\n',
  });
  expect(await runCommand(home, 'ingest', 'eq_taq', good)).toMatchObject({
    exitCode: 1,
    stderr:
      'ticklake: the load ended as published, but could not be recorded in the audit log: it takes nothing\n',
  });
  const { datasets } = JSON.parse((await runCommand(home, 'datasets', '--json')).stdout);
  const found = datasets.find(({ dataset_id: id }: { dataset_id: string }) => id === EQ_TAQ);
  expect(found).toMatchObject({ version: 1, row_count: 4 });
});

test('a load that was refused shows in the status of the dataset, with the reason', async () => {
  const home = newHome();
  await runCommand(home, 'ingest', 'eq_taq', write('before.csv', TEXT));
  await runCommand(home, 'ingest', 'eq_taq', '/nowhere.csv');
  const lake = await openLake({ home }, systemClock);
  expect(await lake.publicationStatus(EQ_TAQ)).toMatchObject({
    state: 'refused',
    message: '/nowhere.csv does not exist; check the path',
  });
  await runCommand(home, 'ingest', 'eq_taq', write('after.csv', TEXT));
  expect((await lake.publicationStatus(EQ_TAQ)).state).toBe('unchanged');
  await runCommand(home, 'ingest', 'eq_taq', write('after.csv', TEXT), '--again');
  expect((await lake.publicationStatus(EQ_TAQ)).state).toBe('published');
  await lake.close();
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
  const home = newHome();
  const time = async (sql: string) => {
    const file = await parquetFile(
      'time.parquet',
      `SELECT ${PARQUET_KEYS}, ${sql} AS EventDateTime`,
    );
    const { stderr } = await runCommand(home, 'ingest', 'eq_taq', file, '--again');
    expect(stderr).toBe('');
    return (await publishedRows(home, EQ_TAQ, ['EventDateTime_utc_ns'])).flat();
  };
  const half = '1710163800500000000';
  expect(await time("TIMESTAMPTZ '2024-03-11 13:30:00.5+00'")).toEqual([half]);
  expect(await time("TIMESTAMP '2024-03-11 09:30:00.5'")).toEqual([half]);
  expect(await time("TIMESTAMP_MS '2024-03-11 09:30:00.5'")).toEqual([half]);
  expect(await time("'2024-03-11T08:30:00.5-05:00'")).toEqual([half]);
  await runCommand(home, 'ingest', 'eq_taq', await utcNanosFile('utc-nanos.parquet'));
  expect(await publishedRows(home, EQ_TAQ, ['EventDateTime_utc_ns', 'Price'])).toEqual([
    ['1710163800123456789', '1.5'],
    ['1710163800123457789', '1.5'],
    ['1710163800123458789', '1.5'],
  ]);
});

async function partitionFiles(home: string): Promise<string[]> {
  const lake = await openLake({ home }, systemClock);
  const files = await partFiles(lake, EQ_TAQ);
  await lake.close();
  return files;
}

test('partition files of a lake are loaded again with the same times', async () => {
  const home = newHome();
  await runCommand(home, 'ingest', 'eq_taq', write('first.csv', TEXT));
  const files = await partitionFiles(home);
  const again = newHome();
  const { stderr } = await runCommand(again, 'ingest', 'eq_taq', ...files);
  expect(stderr).toBe('');
  expect(await publishedRows(again, EQ_TAQ, EXPRESSIONS)).toEqual(ROWS);
  // The name of a file with the metadata does not matter.
  const renamed = files.map((file, i) => write(`renamed-${i}.parquet`, readFileSync(file)));
  const fromRenamed = newHome();
  await runCommand(fromRenamed, 'ingest', 'eq_taq', ...renamed);
  expect(await publishedRows(fromRenamed, EQ_TAQ, EXPRESSIONS)).toEqual(ROWS);
  const select = (file: string) => `SELECT * EXCLUDE (EventDateTime_utc_ns)
    REPLACE (make_timestamp_ns(EventDateTime_utc_ns) AS EventDateTime) FROM read_parquet('${file}')`;
  // Any other file without a zone holds the market's local time.
  const foreign = await parquetFile('foreign.parquet', select(files[0] as string));
  const fromForeign = newHome();
  await runCommand(fromForeign, 'ingest', 'eq_taq', foreign);
  const [[, , time]] = (await publishedRows(fromForeign, EQ_TAQ, EXPRESSIONS)) as [string[]];
  expect(BigInt(time!) - BigInt(ROWS[0]![2]!)).toBe(5n * 3_600_000_000_000n);
});

test('a partition file says that its times are UTC', async () => {
  const home = newHome();
  await runCommand(home, 'ingest', 'eq_taq', write('says.csv', TEXT));
  const [file] = await partitionFiles(home);
  const connection = await connectToDuckDB();
  const reader = await connection.runAndReadAll(
    `SELECT decode(value) FROM parquet_kv_metadata('${file}') WHERE decode(key) = 'ticklake'`,
  );
  connection.closeSync();
  expect(reader.getRows()).toEqual([['{"dataset":"eq_taq","times":"UTC"}']]);
});

test('a time that is neither of its trade date nor of its night is refused, from CSV and from Parquet', async () => {
  const header = 'TradeDate,Ticker,EventDateTime';
  const good = [
    '2024-03-11,A,2024-03-11T00:00:00',
    '2024-03-11,A,2024-03-11T23:59:59.999999999',
    '2024-03-11,A,2024-03-12T03:59:59Z',
    '2024-03-10,A,2024-03-10T00:30:00',
    '2024-03-11,A,2024-03-10T20:00:00',
    '2024-03-11,A,2024-03-11T00:00:00Z',
    '2024-03-11,A,',
  ];
  const bad = [
    '2024-03-11,A,2024-03-12T00:00:00',
    '2024-03-11,A,2024-03-10T19:59:59.999999999',
    '2024-03-11,A,2024-03-10T23:59:59Z',
    '2024-03-11,A,2062-03-11T12:00:00',
  ];
  const file = write('days.csv', `${[header, ...good, ...bad].join('\n')}\n`);
  const reason =
    "a time on 2024-03-11, the row's TradeDate, or from 20:00 on the day before, in America/New_York";
  const expected = bad.map((line, i) => {
    return { line: good.length + 2 + i, column: 'EventDateTime', value: line.slice(13), reason };
  });
  const { exitCode, stdout } = await runCommand(refusingHome, 'ingest', 'eq_taq', file, '--json');
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    is_published: false,
    row_count: good.length,
    bad_row_count: bad.length,
    bad_values: expected.map((each) => ({ file, ...each })),
  });
  const select = `SELECT DATE '2024-03-11' AS TradeDate, 'A' AS Ticker,
    TIMESTAMP '2024-03-12 00:00:00' AS EventDateTime`;
  const parquet = await parquetFile('days.parquet', select);
  const { stderr } = await runCommand(refusingHome, 'ingest', 'eq_taq', parquet);
  expect(stderr).toContain(`days.parquet:1: EventDateTime "2024-03-12 00:00:00" is not ${reason}`);
});

test('a time that the clock skips is refused, as is an identifier that no request can name', async () => {
  const file = write(
    'skipped.csv',
    'TradeDate,Ticker,EventDateTime\n2024-03-10,A,2024-03-10T02:30:00\n' +
      '2024-03-10,"A\nB",2024-03-10T03:30:00\n2024-03-10,A\tB,2024-03-10T01:59:59\n',
  );
  const { stdout } = await runCommand(refusingHome, 'ingest', 'eq_taq', file, '--json');
  const identifier =
    "an identifier other than '.' and '..', without spaces around it and without control or invisible characters";
  expect(JSON.parse(stdout)).toMatchObject({
    bad_row_count: 3,
    bad_values: [
      {
        line: 2,
        column: 'EventDateTime',
        reason:
          'a time that exists in America/New_York; clocks skip this one when they are put forward',
      },
      { line: 3, column: 'Ticker', value: 'A\nB', reason: identifier },
      { line: 5, column: 'Ticker', value: 'A\tB', reason: identifier },
    ],
  });
});

test('identifiers that no request or rule can name are refused wherever a definition has them', async () => {
  const wrong = ['.', '..', ' A', 'A ', 'A\u00a0', 'A\u0085B', '\u200bA', 'A\u2028B', ' '];
  const reason =
    "an identifier other than '.' and '..', without spaces around it and without control or invisible characters";
  const columns = { eq_taq: 'Ticker', fut_taq: 'BaseSymbol' };
  for (const [textId, column] of Object.entries(columns)) {
    const others = textId === 'eq_taq' ? [] : ['Ticker'];
    const header = ['TradeDate', 'EventDateTime', column, ...others].join();
    const line = (value: string) =>
      ['2024-03-11', '2024-03-11T10:00:00', value, ...others.map(() => 'X')].join();
    const values = ['A', 'BRK B', '"A"', ...wrong, '""'];
    const file = write(`${textId}.csv`, `${[header, ...values.map(line)].join('\n')}\n`);
    const { stdout } = await runCommand(refusingHome, 'ingest', textId, file, '--json');
    expect(JSON.parse(stdout), textId).toMatchObject({
      row_count: 3,
      bad_values: [
        ...wrong.map((value, at) => ({ file, line: 5 + at, column, value, reason })),
        {
          line: 5 + wrong.length,
          column,
          value: '',
          reason: 'an identifier; leave out the quotes for null',
        },
      ],
    });
  }
});

test('a line end in the name of a file does not break the line that it is printed on', async () => {
  const bad = write('two\nlines.csv', 'TradeDate,Ticker,EventDateTime\n2024-03-11,A,never\n');
  const { stderr } = await runCommand(refusingHome, 'ingest', 'eq_taq', bad);
  expect(stderr).toContain('two\\nlines.csv:2: EventDateTime "never" is not a time');
  const empty = write('no\nrows.csv', 'TradeDate,Ticker,EventDateTime\n');
  const nothing = await runCommand(refusingHome, 'ingest', 'eq_taq', empty);
  expect(nothing.stderr).toContain('no\\nrows.csv');
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
const hostileHome = newHome();
const HOSTILE = 'two\nlines\u001b[2J\u009b31m\u202e';
const ESCAPED = 'two\\nlines\\u001b[2J\\u009b31m\\u202e';

test.each([
  ['a bad value', () => write(`${HOSTILE}.csv`, `${HEADER}\n${HOSTILE},2024-03-11,A,,1\n`), 4],
  ['no rows', () => write(`${HOSTILE}-empty.csv`, HEADER), 1],
  ['an unknown column', () => write(`${HOSTILE}-column.csv`, `"${HOSTILE}",A\n1,2\n`), 1],
  ['a name that is not there', () => join(folder.path, `${HOSTILE}-absent.csv`), 1],
  [
    'a member of a zip file',
    () => write('hostile.zip', zipBytes({ [HOSTILE]: `${HEADER}\nx,2024-03-11,A,,1\n` })),
    3,
  ],
  [
    'a broken member of a zip file',
    () => write('hostile-broken.zip', zipBytes({ [HOSTILE]: 'PK\u0003\u0004' })),
    1,
  ],
  ['Parquet', () => write(`${HOSTILE}.parquet`, 'PAR1 and no more'), 1],
])(
  'text that a file brings is escaped wherever it is shown: %s',
  async (_kind, file, lineCount) => {
    const home = hostileHome;
    const path = file();
    const { stderr } = await runCommand(home, 'ingest', 'eq_taq', path);
    expect(stderr).not.toMatch(CONTROL);
    expect(stderr.split('\n')).toHaveLength(lineCount + 1);
    expect(stderr).toContain(ESCAPED);
    const json = await runCommand(home, 'ingest', 'eq_taq', path, '--json');
    expect(json.stdout).not.toMatch(CONTROL);
    const audit = await runCommand(home, 'audit');
    expect(audit.stdout).not.toMatch(CONTROL);
    for (const { after } of await auditOf(home)) {
      for (const text of [after.reason, ...(after.files as string[])]) {
        expect(text).not.toMatch(CONTROL);
        expect(text).not.toContain('\n');
      }
    }
    const lake = await openLake({ home }, systemClock);
    const { message } = await lake.publicationStatus(EQ_TAQ);
    await lake.close();
    expect(message ?? '').not.toMatch(CONTROL);
    expect(message ?? '').not.toContain('\n');
  },
);

test('Parquet values obey the rules of text, by row number', async () => {
  const file = await parquetFile(
    'values.parquet',
    `
    SELECT DATE '2024-03-11' + i::INTEGER AS TradeDate, 'A' AS Ticker,
      TIMESTAMP '2024-03-11 10:00:00' + to_days(i::INTEGER) AS EventDateTime,
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
  const fraction =
    'an integer such as 100; fractions need a definition that makes the column a decimal';
  expect(JSON.parse(stdout).bad_values).toEqual([
    { file, line: 2, column: 'Price', value: 'nan', reason: 'a decimal number such as 12.5' },
    { file, line: 4, column: 'ASID', value: '1.5', reason: fraction },
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
    return (await runCommand(refusingHome, 'ingest', 'eq_taq', file)).stderr;
  };
  const keys = `${PARQUET_KEYS}, NULL::TIMESTAMP AS EventDateTime`;
  expect(await refuse(`${keys}, true AS Price`)).toMatch(
    /the column Price holds BOOLEAN, which cannot be loaded as number/,
  );
  expect(await refuse(`${keys}, [1] AS ASID`)).toMatch(
    /the column ASID holds INTEGER\[\], which cannot be loaded as integer/,
  );
  expect(await refuse(`${keys}, 1 AS Prise`)).toMatch(
    /eq_taq has no column "Prise"; its columns are TradeDate,/,
  );
  expect(await refuse(PARQUET_KEYS)).toMatch(/missing column "EventDateTime"/);
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
    /ticklake ingest takes <dataset> <file or folder\.\.\.>, but was given eq_taq/,
  );
  expect(await refuse('eq_tak', 'x.csv')).toMatch(
    /there is no dataset eq_tak; ticklake datasets --all lists them/,
  );
  expect(await refuse('eq_taq', 'x.csv', '--max-bad-rows', 'many')).toMatch(
    /--max-bad-rows must be a whole number, 0 or more, not many/,
  );
});

async function expectNothingOf(home: string): Promise<void> {
  expect(leftovers(home)).toEqual([]);
  expect(await publishedRows(home, EQ_TAQ, ['Price'])).toEqual([]);
}

/** Rows of some megabytes, a multiple of which does not fit the memory of a load. */
const MANY_ROWS = Array.from(
  { length: 40_000 },
  (_, i) => `${i / 100},2024-03-11,AAPL,2024-03-11T09:30:00.${i},1\n`,
).join('');

test('an interrupt ends a load of a file in the middle of it, and leaves nothing behind', async () => {
  const home = newHome();
  const part = gzipSync(MANY_ROWS);
  const file = write(
    'long.gz',
    Buffer.concat([gzipSync(`${HEADER}\n`), ...Array<Buffer>(50).fill(part)]),
  );
  const lake = await openLake({ home }, systemClock);
  const dataset = loadCatalog([DATASETS]).byTextId('eq_taq') as Dataset;
  const interruption = new AbortController();
  let readShare = 0;
  const ended = ingestFiles({
    ...{ lake, dataset, files: [file], mode: 'replace', maxBadRows: 0, vendor: null },
    signal: interruption.signal,
    onProgress: (_step, share) => {
      readShare = share;
      // By then a block of records is on its way into the engine.
      if (share > 0.6) interruption.abort(new Error('enough'));
    },
  });
  await expect(ended).rejects.toThrow('enough');
  expect(readShare).toBeLessThan(0.9);
  await lake.close();
  await expectNothingOf(home);
});

test('an interrupt ends a command whose input would never end', async () => {
  const home = newHome();
  const interruption = new AbortController();
  const endless = function* () {
    yield `${HEADER}\n`;
    yield MANY_ROWS;
    interruption.abort();
    while (true) yield MANY_ROWS;
  };
  const words = ['ingest', 'eq_taq', '-'];
  const ended = await runUntil(interruption.signal, home, endless(), ...words);
  expect(ended).toEqual({ exitCode: 130, stdout: '', stderr: 'ticklake: interrupted\n' });
  await expectNothingOf(home);
});
