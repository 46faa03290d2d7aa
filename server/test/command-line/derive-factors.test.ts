import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newFolder, publishedRows, runCommand } from './run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const run = (...words: string[]) => runCommand(folder.path, ...words);

async function load(dataset: string, ...lines: string[]): Promise<void> {
  const path = join(folder.path, `${dataset}.csv`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  const { exitCode, stderr } = await run('ingest', dataset, path, '--allow-loss');
  expect([exitCode, stderr]).toEqual([0, '']);
}

const DETAIL =
  'SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventType,EventId,Revision,DivPayrate,DivCurrency';
const ANNOUNCED = 'SecId,ASID,Ticker,AnnouncementDate,EventType,EventId,Action,RatioNew,RatioOld';
const DAILY = 'TradeDate,Ticker,ASID,ClosePrice';
const FACTORS = ['AdjustmentReason', 'EffectiveDate', 'AdjustmentFactor'];

test('factors that events do not state come from dividends, closes and announced ratios', async () => {
  await load(
    'eq_adj_factors_detail',
    DETAIL,
    // As a vendor publishes it: 0.996544574982723.
    '7,7,MSFT,2007-02-13,,CashDiv,DIV,1,0,0.1,USD',
    '7,7,MSFT,2007-05-15,0.99,CashDiv,DIV,2,0,0.1,USD',
    '7,7,MSFT,2007-05-15,0.99677,CashDiv,DIV,2,1,0.1,USD',
    '8,8,ABCD,2007-06-11,,Subdiv,SD,3,0,,',
    '8,8,ABCD,2007-09-10,0.9,DeMerg,DMRGR,4,0,,',
  );
  await load(
    'eq_announce',
    ANNOUNCED,
    '6,8,ABCC,2007-05-01,SD,3,I,3,1',
    '6,8,ABCC,2007-05-02,SD,3,U,4,1',
    '6,8,ABCC,2007-05-02,BON,3,I,1,1',
  );
  await load(
    'eq_daily_ohlc',
    DAILY,
    '2007-02-09,MSFT,7,28.98',
    '2007-02-12,MSFT,7,28.94',
    '2007-02-13,MSFT,7,29.01',
    '2007-05-14,MSFT,7,30.97',
  );
  const { exitCode, stdout } = await run('derive', 'eq_adj_factors_basic');
  expect([exitCode, stdout]).toEqual([0, 'US2001 eq_adj_factors_basic: 4 rows from 1 part\n']);
  expect(await publishedRows(folder.path, 'US2001', FACTORS)).toEqual([
    ['CashDiv', '2007-02-13', '0.996544574982723'],
    ['CashDiv', '2007-05-15', '0.99677'],
    ['Subdiv', '2007-06-11', '0.25'],
    ['DeMerg', '2007-09-10', '0.9'],
  ]);
});

test('cumulative factors are derived by security and days', async () => {
  const { stdout } = await run('derive', 'eq_adj_factors_cumulative');
  expect(stdout).toBe('US2014 eq_adj_factors_cumulative: 6 rows from 1 part\n');
  const columns = ['Ticker', 'StartDate', 'EndDate', 'PriceBackwardFactor', 'VolumeForwardFactor'];
  expect(await publishedRows(folder.path, 'US2014', columns)).toEqual([
    ['MSFT', null, '2007-02-12', `${0.996544574982723 * 0.99677}`, '1.0'],
    ['MSFT', '2007-02-13', '2007-05-14', '0.99677', '1.0'],
    ['MSFT', '2007-05-15', '2099-12-31', '1.0', '1.0'],
    ['ABCD', null, '2007-06-10', '0.225', '1.0'],
    ['ABCD', '2007-06-11', '2007-09-09', '0.9', '0.25'],
    ['ABCD', '2007-09-10', '2099-12-31', '1.0', '0.25'],
  ]);
});

test('a close that no factor comes from makes none of them due, and a corrected one makes all', async () => {
  const names = ['eq_adj_factors_basic', 'eq_adj_factors_cumulative'];
  const closes = (close: number) => [
    ...['2007-02-12,MSFT,7,28.94', `2007-02-13,MSFT,7,${close}`, '2007-05-14,MSFT,7,30.97'],
  ];
  await load('eq_daily_ohlc', DAILY, ...closes(29.5));
  expect((await run('derive', '--stale', ...names)).stdout).toMatch(/\nnothing was due\n$/);
  await load('eq_daily_ohlc', DAILY, ...closes(29.5).with(0, '2007-02-12,MSFT,7,29'));
  const { stdout } = await run('derive', '--stale', ...names);
  expect(stdout).toContain('eq_adj_factors_basic: 4 rows from 1 part\n');
  expect(stdout).toContain('eq_adj_factors_cumulative: 6 rows from 1 part\n');
  const [first] = await publishedRows(folder.path, 'US2001', FACTORS);
  expect(first).toEqual(['CashDiv', '2007-02-13', '0.996551724137931']);
  const check = await run('derive', '--check', ...names);
  expect([check.exitCode, check.stdout.match(/ rows compared, all equal/g)]).toEqual([
    0,
    Array(2).fill(' rows compared, all equal'),
  ]);
});

test('events that are withdrawn take their factors along', async () => {
  const withdrawn = await run(
    ...['publication', 'withdraw', 'eq_adj_factors_detail', '--all', '--reason', 'wrong file'],
  );
  expect([withdrawn.exitCode, withdrawn.stderr]).toEqual([0, '']);
  await run('derive', '--stale', 'eq_adj_factors_basic', 'eq_adj_factors_cumulative');
  for (const datasetId of ['US2001', 'US2014']) {
    expect(await publishedRows(folder.path, datasetId, ['ASID'])).toEqual([]);
  }
});

test('factors that were loaded stay until somebody says that derived ones may replace them', async () => {
  await load('eq_adj_factors_detail', DETAIL, '8,8,ABCD,2007-09-10,0.9,DeMerg,DMRGR,4,0,,');
  await load(
    'eq_adj_factors_basic',
    'SecId,ASID,EventId,AdjustmentReason,EffectiveDate,AdjustmentFactor',
    '8,8,1,Subdiv,2010-01-04,0.5',
  );
  const left = await run('derive', 'eq_adj_factors_basic');
  expect(left.stdout).toMatch(/1 part left, where rows were loaded/);
  await run('derive', 'eq_adj_factors_basic', '--replace-loaded');
  expect(await publishedRows(folder.path, 'US2001', FACTORS)).toEqual([
    ['DeMerg', '2007-09-10', '0.9'],
  ]);
});
