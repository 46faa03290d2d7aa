/** A handful of rows in a few datasets, so that whole bodies can be written down in tests. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAKE_INDEX_FILE } from '../../src/base/home-layout.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import { openTestService, type TestService } from '../harness.ts';

const NANOS = 1_000_000n;
/** UTC nanoseconds of an instant in milliseconds, and some more nanoseconds. */
const nanos = (iso: string, more = 0n) => BigInt(Date.parse(iso)) * NANOS + more;

const DATE = '2025-06-18';
const AAA = 1010000000000001n;

const TICKS: readonly CellValue[][] = [
  [DATE, nanos('2025-06-18T13:30:00Z', 1n), 'QUOTE BID', 'AAA', AAA, 146.18, 300, 'EDGX', 1],
  [DATE, nanos('2025-06-18T13:30:00Z', 1n), 'TRADE', 'AAA', AAA, 146.19, 100, 'NASDAQ', 1],
  [
    DATE,
    nanos('2025-06-18T13:30:00.999Z', 999_999n),
    'TRADE NB',
    'AAA',
    AAA,
    146.2,
    7,
    'FINRA',
    2147484673n,
  ],
  [DATE, nanos('2025-06-18T13:31:00Z'), 'TRADE', 'BBB', 1010000000000002n, 0.0001, 5, 'IEX', 1],
  [DATE, nanos('2025-06-18T13:31:00Z'), 'TRADE', 'ZZTST', null, 10, 100, 'NYSE', 1],
];

const daily = (date: string, ticker: string, open: number, volume: number): CellValue[] => [
  date,
  ticker,
  ticker === 'AAA' ? AAA : 1010000000000002n,
  open,
  open + 2,
  open - 2,
  open + 1,
  volume,
  0,
  volume,
  0,
  open,
  open,
];

const adjusted = (row: CellValue[]): CellValue[] => [...row, 0.5, 0.25];

const DAILY = [
  daily('2025-06-17', 'AAA', 100, 1000),
  daily('2025-06-17', 'BBB', 20, 2000),
  daily('2025-06-18', 'AAA', 101, 1001),
  daily('2025-06-18', 'BBB', 21, 2001),
];

const HALTS: readonly CellValue[][] = [
  [
    DATE,
    'BBB',
    2,
    1010000000000002n,
    'Beta, "B" Corporation',
    'NYSE',
    nanos('2025-06-18T14:00:00Z'),
    'LUDP',
    19.5,
    null,
    nanos('2025-06-18T14:05:00Z'),
  ],
];

const period = '20200101:20991231';
const MASTER: readonly CellValue[][] = [
  [
    1,
    AAA,
    'L',
    'Equity Shares',
    3571,
    'Manufacturing',
    'Electronic Computers',
    '',
    ['AAO', 'AAA'],
    ['20070103:20191231', period],
    ['Alpha "A" Corporation'],
    [period],
    [],
    [],
    null,
    null,
    ['NYSE'],
    [period],
    [''],
  ],
];

/** A home whose lake has the rows: publishing them takes longer than most tests. */
async function makeHome(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-contract-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const service = await openTestService();
  await publishAll(service);
  await service.close((made) => {
    for (const name of ['lake', LAKE_INDEX_FILE]) {
      cpSync(join(made, name), join(home, name), { recursive: true });
    }
  });
  return home;
}

let madeHome: Promise<string> | undefined;

export async function openContractService(
  settings?: Parameters<typeof openTestService>[0],
): Promise<TestService> {
  madeHome ??= makeHome();
  return await openTestService(settings, INSTALLED_ENGINE, await madeHome);
}

async function publishAll(service: TestService): Promise<void> {
  await service.publish('eq_taq', TICKS);
  await service.publish('eq_trades', TICKS.slice(1));
  await service.publish('eq_trades_adj', [[...(TICKS[1] as CellValue[]), 0.5, 0.25]]);
  await service.publish('eq_daily_ohlc', DAILY);
  await service.publish('eq_daily_ohlc_adj', DAILY.slice(0, 1).map(adjusted));
  await service.publish('eq_daily_ohlc_ind_std', DAILY.slice(1, 2));
  await service.publish('eq_trading_halts', HALTS);
  await service.publish('eq_sec_master', MASTER);
  await service.publish('fut_trades_1min', [
    [
      '2025-06-18',
      nanos('2025-06-18T22:00:00Z'),
      'ESU5',
      'ES',
      6000.25,
      6001,
      6000,
      6000.5,
      6000.333333,
      12,
      8,
      4,
      3,
      2,
      1,
    ],
  ]);
}

/** A body with its columns cut down is easier to read in a test. */
export const TICK_PATH = '/v1/data/us-equity/eq-taq/2025-06-18/AAA';
export const DAILY_PATH = '/v1/data/us-equity/eq-daily-ohlc';
