/** Daily prices of equities whose minute bars were loaded, and no ticks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newFolder, publishedRows, runCommand } from './run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const run = (...words: string[]) => runCommand(folder.path, ...words);

/** Before the bell, in regular hours and behind them; 3 July 2024 ends at 13:00. */
const BARS = `TradeDate,BarDateTime,Ticker,ASID,FirstTradePrice,HighTradePrice,LowTradePrice,LastTradePrice,VolumeWeightPrice,Volume,TotalTrades
2025-06-18,2025-06-18T09:29:00,ABCD,7,9,99,1,9,9,100,1
2025-06-18,2025-06-18T09:30:00,ABCD,7,10,11,9.5,10.5,10.2,1000,5
2025-06-18,2025-06-18T15:59:00,ABCD,7,10.6,12,10.4,11.5,11,3000,7
2025-06-18,2025-06-18T16:00:00,ABCD,7,13,50,2,13,13,100,1
2025-06-18,2025-06-18T08:00:00,ZYXW,8,20,20,20,20,20,100,1
2024-07-03,2024-07-03T12:59:00,ABCD,7,30,31,29,30.5,30,200,2
2024-07-03,2024-07-03T13:00:00,ABCD,7,40,40,40,40,40,300,1
`;

test('are put together of the bars of regular hours, also of half days, and have volumes of the whole day', async () => {
  const path = join(folder.path, 'bars.csv');
  writeFileSync(path, BARS);
  const loaded = await run('ingest', 'eq_trades_1min_ind_std', path, '--allow-loss');
  expect([loaded.stderr, loaded.exitCode]).toEqual(['', 0]);
  const { stdout, exitCode } = await run('derive', 'eq_daily_ohlc_ind_std');
  expect([stdout.split('\n')[0], exitCode]).toEqual([
    'US1021 eq_daily_ohlc_ind_std: 2 rows from 2 parts',
    0,
  ]);
  const prices = [
    'TradeDate',
    'Ticker',
    'ASID',
    'OpenPrice',
    'HighPrice',
    'LowPrice',
    'ClosePrice',
  ];
  const volumes = ['MarketHoursVolume', 'MarketHoursVWAP', 'DailyVolume', 'DailyVWAP'];
  const finra = ['MarketHoursFinraVolume', 'DailyFinraVolume'];
  const rows = await publishedRows(folder.path, 'US1021', [...prices, ...volumes, ...finra]);
  expect(rows.map((cells) => cells.join(' '))).toEqual([
    '2024-07-03 ABCD 7 30.0 31.0 29.0 30.5 200 30.0 500 36.0  ',
    '2025-06-18 ABCD 7 10.0 12.0 9.5 11.5 4000 10.8 4200 10.809524  ',
  ]);
});
