import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTestService } from '../harness.ts';
import { newFolder, publishedRows, runCommand } from './run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const run = (...words: string[]) => runCommand(folder.path, ...words);
const DATASETS = ['eq_lookup_files', 'eq_sec_master'];

async function load(dataset: string, ...lines: string[]): Promise<void> {
  const path = join(folder.path, `${dataset}.csv`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  const { exitCode, stderr } = await run('ingest', dataset, path, '--allow-loss');
  expect([exitCode, stderr]).toEqual([0, '']);
}

/** VX was one company's until it ended; the other one took it over, and had been VXB. */
const CHAIN = [
  'ASID,Ticker,StartDate,EndDate',
  '11,VX,2009-01-30,2019-01-29',
  '12,VXB,2018-01-18,2019-05-01',
  '12,VX,2019-05-02,2099-12-31',
];
const MASTER = ['SecId', 'ASID', 'ListStatus', 'Ticker', 'TickerStartToEndDate', 'Name'];

test('symbols are resolved and found by a chain of symbols alone', async () => {
  await load('eq_secid_chains_lookup', ...CHAIN);
  const { exitCode, stdout } = await run('derive', ...DATASETS);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('US2006 eq_lookup_files: 3 rows from 1 part\n');
  expect(stdout).toContain('US2008 eq_sec_master: 2 rows from 1 part\n');
  const service = await openTestService({}, undefined, folder.path);
  try {
    const [vx] = (await service.get('/v1/symbology/resolve?symbols=VX')).json().resolved;
    expect(vx.intervals).toMatchObject([
      { start_date: '2009-01-30', end_date: '2019-01-29', asid: 11 },
      { start_date: '2019-05-02', end_date: null, asid: 12, previous: { ticker: 'VXB' } },
    ]);
    const { securities } = (await service.get('/v1/symbology/search?q=VXB')).json();
    expect(securities).toMatchObject([
      { ticker: 'VX', asid: 12, list_status: 'L', matched: { field: 'Ticker', value: 'VXB' } },
    ]);
  } finally {
    await service.close();
  }
});

test('a symbol that changes makes the master due, which then has the new one', async () => {
  expect((await run('derive', '--stale', ...DATASETS)).stdout).toMatch(/nothing was due\n$/);
  await load(
    'eq_secid_chains_lookup',
    ...CHAIN.with(3, '12,VX,2019-05-02,2025-06-17'),
    '12,VXZ,2025-06-18,2099-12-31',
  );
  await run('derive', '--stale', ...DATASETS);
  expect(await publishedRows(folder.path, 'US2008', MASTER)).toEqual([
    ['11', '11', 'D', '[VX]', "['20090130:20190129']", '[]'],
    [
      ...['12', '12', 'L', '[VXB, VX, VXZ]'],
      ...["['20180118:20190501', '20190502:20250617', '20250618:20991231']", '[]'],
    ],
  ]);
});

test('loaded SecIds stay, and the master joins them by the days of their symbols', async () => {
  await load(
    'eq_lookup_files',
    'SecId,Ticker,StartDate,EndDate',
    '501,VX,2009-01-30,2019-01-29',
    '502,VXB,2018-01-18,2019-05-01',
    '502,VX,2019-05-02,2020-01-01',
    '503,VX,2020-01-02,2025-06-17',
    '503,VXZ,2025-06-18,2099-12-31',
  );
  const { stdout } = await run('derive', ...DATASETS);
  expect(stdout).toMatch(/eq_lookup_files: nothing computed, 1 part left/);
  const rows = await publishedRows(folder.path, 'US2008', MASTER.slice(0, 4));
  expect(rows).toEqual([
    ['501', '11', 'D', '[VX]'],
    ['502', '12', 'D', '[VXB, VX]'],
    ['503', '12', 'L', '[VX, VXZ]'],
  ]);
});

test('two securities that had one symbol on one day keep their own permanent numbers', async () => {
  const other = newFolder();
  try {
    const path = join(other.path, 'chains.csv');
    const lines = [...CHAIN.with(3, '12,VX,2019-01-15,2099-12-31'), '13,OLDX,,2012-06-29'];
    writeFileSync(path, `${lines.join('\n')}\n`);
    await runCommand(other.path, 'ingest', 'eq_secid_chains_lookup', path);
    const { stdout } = await runCommand(other.path, 'derive', ...DATASETS);
    expect(stdout).toContain('2019-01-15 VX: the symbol of ASID 11 and 12 on one day');
    expect(stdout).toContain('SecId 11 has the ASIDs 11, 12; 11 counts');
    const rows = await publishedRows(other.path, 'US2008', MASTER.slice(0, 4));
    expect(rows).toEqual([
      ['11', '11', 'D', '[VX]'],
      ['12', '12', 'L', '[VXB, VX]'],
      ['13', '13', 'D', '[OLDX]'],
    ]);
  } finally {
    other.remove();
  }
});
