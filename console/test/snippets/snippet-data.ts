/** Rows that programs get wrong when they guess types: published into shipped datasets. */
import { CONSOLE_FOLDER } from 'ticklake/base/installation.ts';
import type { CellValue } from 'ticklake/engine/columns.ts';
import { openTestService, type TestService } from '../../../server/test/harness.ts';

const nanos = (iso: string, more = 0n) => BigInt(Date.parse(iso)) * 1_000_000n + more;

const DATE = '2024-11-01';
/** The Sunday on which clocks are set back. */
const CHANGE = '2024-11-03';
const ASID = 1010000000000033n;
const INTEGER_MAX = 2n ** 63n - 1n;
const INTEGER_MIN = -(2n ** 63n);

const tick = (
  time: bigint,
  asid: bigint | null,
  price: number | null,
  date = DATE,
): CellValue[] => [date, time, 'TRADE', 'AAA', asid, price, 100, 'NASDAQ', 1];

const TICKS = [
  tick(nanos('2024-11-01T13:30:00Z', 1n), ASID, 146.18),
  tick(nanos('2024-11-01T13:30:00.123Z', 456_789n), null, 1e21),
  tick(nanos('2024-11-01T19:59:59.999Z', 999_999n), INTEGER_MAX, 1e-7),
  tick(nanos('2024-11-01T20:00:00Z'), INTEGER_MIN, 0.1 + 0.2),
  tick(nanos('2024-11-01T20:00:00Z'), ASID, null),
  // One local hour twice, first in summer time and then in winter time.
  tick(nanos('2024-11-03T05:30:00Z', 7n), ASID, 1, CHANGE),
  tick(nanos('2024-11-03T06:30:00Z', 8n), ASID, 2, CHANGE),
];

const TICKERS = ['007', 'AAA', 'FALSE', 'INF', 'N/A', 'NA', 'NAN', 'None', 'TRUE', 'null'];

/** Ten tickers on a day; the ASID is missing in some rows. */
const daily = (date: string): CellValue[][] =>
  TICKERS.map((ticker, at) => [
    date,
    ticker,
    at % 3 === 0 ? null : ASID + BigInt(at),
    100 + at,
    100.1 + at,
    at === 0 ? null : 99.9,
    100,
    INTEGER_MAX - BigInt(at),
    0,
    1000,
    null,
    1 / 3,
    1e15 + 0.5,
  ]);

const DAILY = ['2024-10-31', '2024-11-01', '2024-11-04'].flatMap(daily);

const period = '20200101:20991231';
const security = (id: number, sedol: string | null, tickers: readonly string[] | null) => [
  id,
  ASID,
  'L',
  'Equity, "ordinary"',
  3571,
  '',
  null,
  sedol,
  tickers,
  [period],
  ['Alpha "A" Corporation', 'TRUE', ''],
  [period],
  [],
  [],
  null,
  null,
  ['NYSE'],
  [period],
  [''],
];

const SECURITIES: CellValue[][] = [
  security(1, '0263494', ['AAO', 'NA']),
  security(2, '', []),
  security(3, null, null),
  security(4, '1E05', ['TRUE']),
];

const FUTURES: CellValue[][] = ['2024-11-01T22:00:00Z', '2024-11-03T23:00:00Z'].map((time, at) => [
  time.slice(0, 10),
  nanos(time),
  'ESZ4',
  'ES',
  5700.25,
  5701,
  null,
  5700.5,
  5700.333333,
  12,
  8,
  4,
  3,
  2,
  1 + at,
]);

const FUTURES_TICKS: CellValue[][] = [
  nanos('2024-11-03T06:30:00Z', 123n),
  nanos('2024-11-03T07:30:00Z', 321n),
].map((time) => [CHANGE, time, 'ESZ4', 'ES', INTEGER_MAX, 'TRADE', 5700.25, 1, null, 0, 0]);

/** 39 halts, of which two have not resumed: as CSV, one column of nulls is empty lines. */
const HALTS: CellValue[][] = Array.from({ length: 39 }, (_, at) => [
  DATE,
  `T${at}`,
  at,
  null,
  at % 2 === 0 ? '' : null,
  'NYSE',
  nanos('2024-11-01T14:00:00Z'),
  'LUDP',
  null,
  null,
  at < 2 ? null : nanos('2024-11-01T14:05:00Z'),
]);

export async function openSnippetService(): Promise<TestService> {
  const service = await openTestService({ retryAfter: 'on', consoleFolder: CONSOLE_FOLDER });
  await service.publish('eq_taq', TICKS);
  await service.publish('eq_daily_ohlc', DAILY);
  await service.publish('eq_sec_master', SECURITIES);
  await service.publish('fut_trades_1min', FUTURES);
  await service.publish('fut_taq', FUTURES_TICKS);
  await service.publish('eq_trading_halts', HALTS);
  return service;
}
