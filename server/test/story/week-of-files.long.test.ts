/** A week of nightly files of daily bars in a watched folder, with all that goes wrong in it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';
import { zipBytes } from '../import-lean/zip-file.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const home = join(folder.path, 'home');
const feeds = join(folder.path, 'feeds');

const TICKERS = ['AAA', 'BBB', 'CCC'];
const bars = (date: string, close: number, tickers = TICKERS) =>
  [
    'TradeDate,Ticker,ClosePrice',
    ...tickers.map((ticker) => `${date},${ticker},${close}`),
    '',
  ].join('\n');

/** Files arriving each evening, by name, and the counts of loaded and refused ones. */
const WEEK: readonly [string, Readonly<Record<string, string | Buffer>>, string][] = [
  ['2026-01-05', { 'a-first.csv': bars('2026-01-05', 1) }, '1 loaded, 0 refused\n'],
  // Monday is corrected; Tuesday is cut off, and the file behind it loads.
  [
    '2026-01-06',
    {
      'b-cut-20260106.csv.gz': gzipSync(bars('2026-01-06', 2)).subarray(0, 40),
      'c-corrected.csv': bars('2026-01-05', 1.5),
    },
    '1 loaded, 1 refused\n',
  ],
  // Wednesday comes, and Tuesday late. A vendor sends Monday's first file again.
  [
    '2026-01-07',
    {
      'd-late.csv': bars('2026-01-06', 2.5),
      'e-stale.csv': bars('2026-01-05', 1),
      'f-next.csv': bars('2026-01-07', 3),
    },
    '2 loaded, 1 refused\n',
  ],
  // Thursday is cut off in its last value, then lacks a symbol, then is whole. A repeat changes
  // nothing.
  [
    '2026-01-08',
    {
      'g-unended-2026-01-08.csv': bars('2026-01-08', 4).slice(0, -1),
      'h-whole.csv': bars('2026-01-08', 4),
      'i-short.csv': bars('2026-01-08', 4, ['AAA', 'CCC']),
      'j-same.csv.gz': gzipSync(bars('2026-01-08', 4)),
    },
    '2 loaded, 2 refused\n',
  ],
  // Friday is in a zip file that nobody can read, and never comes.
  [
    '2026-01-09',
    { 'k-out.zip': zipBytes({ '../x': bars('2026-01-09', 5) }), 'l-bad.csv': 'TradeDate\nx\n' },
    '0 loaded, 2 refused\n',
  ],
];

async function alertsAt(day: string): Promise<string[]> {
  const { stdout } = await runByClock(fixedClock(`${day}T23:00:00Z`), home, 'alerts', '--json');
  const found: { kind: string; text: string }[] = JSON.parse(stdout).alerts;
  return found
    .filter(({ kind }) => kind === 'load_refused' || kind === 'dataset_failed')
    .map(({ text }) => text);
}

test('a week of nightly files ends with every day right and every problem in the alerts', async () => {
  mkdirSync(join(feeds, 'eq_daily_ohlc'), { recursive: true });
  await runByClock(fixedClock('2026-01-05T00:00:00Z'), home, 'identity', 'create', '--name', 'a');
  for (const [day, files, ended] of WEEK) {
    for (const [name, bytes] of Object.entries(files)) {
      writeFileSync(join(feeds, 'eq_daily_ohlc', name), bytes);
    }
    const clock = fixedClock(`${day}T22:00:00Z`);
    expect((await runByClock(clock, home, 'watch', feeds, '--once')).stdout).toBe(ended);
  }
  const closes = { '05': '1.5', '06': '2.5', '07': '3.0', '08': '4.0' };
  expect(await publishedRows(home, 'US1020', ['TradeDate', 'Ticker', 'ClosePrice'])).toEqual(
    Object.entries(closes).flatMap(([day, close]) =>
      TICKERS.map((ticker) => [`2026-01-${day}`, ticker, close]),
    ),
  );
  for (const name of ['b-cut-20260106.csv.gz', 'e-stale.csv', 'k-out.zip', 'l-bad.csv']) {
    expect(existsSync(join(feeds, 'eq_daily_ohlc/refused', name))).toBe(true);
  }
  // Tuesday and Thursday arrived; Monday's stale file and both of Friday's await attention.
  const told = await alertsAt('2026-01-09');
  const named = ['l-bad.csv', 'k-out.zip', 'e-stale.csv'];
  expect(told.map((text) => named.find((name) => text.includes(name)))).toEqual(named);
  const ids = told.map((text) => /load (\d+)/.exec(text)?.[1]).filter((id) => id !== undefined);
  for (const id of ids) {
    const clock = fixedClock('2026-01-09T23:00:00Z');
    const done = await runByClock(clock, home, 'publication', 'acknowledge', id);
    expect(done.exitCode).toBe(0);
  }
  expect((await alertsAt('2026-01-09')).length).toBe(told.length - ids.length);
});
