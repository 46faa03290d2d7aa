/** Small files as owners get them from vendors, each with what a load of it has to come to. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';

const INPUTS = resolve(import.meta.dirname, '../../../../shared/inputs/owner');
const folder = newFolder();
afterAll(() => folder.remove());

let count = 0;
const newHome = () => join(folder.path, `home-${count++}`);
const runCommand = (home: string, ...words: string[]) =>
  runByClock(fixedClock('2026-11-27T12:00:00Z'), home, ...words);
const load = (home: string, dataset: string, name: string, ...options: string[]) =>
  runCommand(home, 'ingest', dataset, join(INPUTS, name), ...options);

if (!existsSync(INPUTS)) console.warn(`skipped: there is no ${INPUTS}`);

describe.skipIf(!existsSync(INPUTS))('a file of an owner', () => {
  it('adds its day of daily bars, or replaces that day, and leaves the others', async () => {
    const home = newHome();
    const names = [
      'day-2026-01-02',
      'day-2026-01-05',
      'day-2026-01-06',
      'day-2026-01-06-corrected',
    ];
    const said = [];
    for (const name of names) said.push((await load(home, 'eq_daily_ohlc', `${name}.csv`)).stdout);
    expect(said.map((text) => text.replace(/^.*version \d, /, ''))).toEqual([
      '3 rows in 1 partition\n',
      '3 rows in 1 partition\n',
      '3 rows in 1 partition\n',
      '3 rows in 1 partition, in place of 3 rows\n',
    ]);
    const rows = await publishedRows(home, 'US1020', ['TradeDate', 'Ticker', 'ClosePrice']);
    const closes = { '2026-01-02': '10.1', '2026-01-05': '10.5', '2026-01-06': '10.7' };
    expect(rows).toEqual(
      Object.entries(closes).flatMap(([date, close]) =>
        ['AAA', 'BBB', 'CCC'].map((ticker) => [date, ticker, close]),
      ),
    );
  });

  it('takes no date away from a partition that it replaces as a whole, and says which', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', 'day-2026-01-02.csv');
    const whole = ['--replace', 'partitions'];
    const refused = await load(home, 'eq_daily_ohlc', 'day-2026-01-05.csv', ...whole);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      'ticklake: partition 2026 of eq_daily_ohlc would lose all rows of 1 date: 2026-01-02; ' +
        '--allow-loss publishes it all the same\n',
    ]);
    const allowed = await load(
      home,
      'eq_daily_ohlc',
      'day-2026-01-05.csv',
      ...whole,
      '--allow-loss',
    );
    expect(allowed.stdout).toContain('in place of 3 rows');
  });

  it('cannot take identifiers from a day of a longer partition without a word', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', 'day-2026-01-02.csv');
    await load(home, 'eq_daily_ohlc', 'day-2026-01-05.csv');
    const path = join(folder.path, 'short.csv');
    writeFileSync(path, 'TradeDate,Ticker,ClosePrice\n2026-01-05,AAA,1\n2026-01-05,CCC,1\n');
    const refused = await runCommand(home, 'ingest', 'eq_daily_ohlc', path);
    expect(refused.stderr).toContain('would lose 1 identifier, such as BBB on 2026-01-05;');
  });
});
