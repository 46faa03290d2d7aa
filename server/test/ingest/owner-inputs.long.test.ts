/** Small files as owners get them from vendors, each with what a load of it has to come to. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
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
  runCommand(home, 'ingest', dataset, resolve(INPUTS, name), ...options);

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

  describe('with corporate events', () => {
    const FACTOR = 0.142857142857143;
    /** Loads Apple's days and the events, and runs `derive` on them. */
    async function derived(events: string, ...options: string[]) {
      const home = newHome();
      await load(home, 'eq_daily_ohlc', 'aapl-days.csv');
      const loaded = await load(home, 'eq_adj_factors_basic', events, ...options);
      const said = await runCommand(home, 'derive', 'eq_daily_ohlc_adj');
      return { home, loaded, said };
    }

    it.each([
      ['split-once.csv', null],
      ['split-twice-same-id.csv', null],
      ['split-twice-two-ids.csv', `${FACTOR} (EventId 11) and ${FACTOR} (EventId 12)`],
      ['split-twice-no-id.csv', `${FACTOR} (no EventId) and ${FACTOR} (no EventId)`],
    ])('adjusts by a split once, however often %s has it', async (name, rows) => {
      const { home, said } = await derived(name);
      const factors = await publishedRows(home, 'US1022', ['Ticker', 'PriceAdjFactor']);
      expect(factors.filter(([ticker]) => ticker === 'AAPL')).toEqual(
        [FACTOR, FACTOR, 1, 1].map((factor) => ['AAPL', factor === 1 ? '1.0' : `${factor}`]),
      );
      const warnings = said.stdout.match(/warning: .*/g) ?? [];
      const place = 'eq_adj_factors_basic 2014-06-09 AAPL';
      expect(warnings).toEqual(
        rows === null
          ? []
          : [`warning: ${place}: one Subdiv is there twice, as ${rows}; it counts once`],
      );
    });

    it('stops where two rows give one split two factors', async () => {
      const { home, said } = await derived('split-twice-two-factors.csv');
      expect([said.exitCode, said.stderr]).toEqual([
        2,
        expect.stringContaining('0.14 (EventId 11)'),
      ]);
      expect(await publishedRows(home, 'US1022', ['Ticker'])).toEqual([]);
    });

    it('goes by the factor that an owner has marked, in place of two that contradict each other', async () => {
      const { home } = await derived('split-twice-two-factors.csv');
      const path = join(folder.path, 'marked.csv');
      const head = 'SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventId';
      writeFileSync(path, `${head}\n1,1,AAPL,2014-06-09,${FACTOR},Subdiv,-1\n`);
      await load(home, 'eq_adj_factors_basic', path, '--append');
      const { exitCode } = await runCommand(home, 'derive', 'eq_daily_ohlc_adj');
      expect(exitCode).toBe(0);
      const factors = await publishedRows(home, 'US1022', ['PriceAdjFactor']);
      expect(factors.flat()).toContain(`${FACTOR}`);
      expect(factors.flat()).not.toContain('0.14');
    });

    it('refuses a factor of 0, and warns of one that the price contradicts', async () => {
      const { loaded } = await derived('factor-inverse-zero.csv');
      expect([loaded.exitCode, loaded.stderr]).toEqual([
        2,
        expect.stringContaining('factor-inverse-zero.csv:3: AdjustmentFactor "0"'),
      ]);
      const path = join(folder.path, 'inverse.csv');
      const lines = readFileSync(join(INPUTS, 'factor-inverse-zero.csv'), 'utf8').split('\n');
      writeFileSync(path, lines.toSpliced(2, 1).join('\n'));
      const { said } = await derived(path);
      expect(said.stdout).toContain(
        'eq_daily_ohlc 2014-06-09 AAPL: the close went from 645.57 to 93.7, where eq_adj_factors_basic has a factor of 7',
      );
    });

    it('tells of a split that vanishes before anything is published', async () => {
      const home = newHome();
      const before = join(folder.path, 'with-split.csv');
      const now = readFileSync(join(INPUTS, 'factors-split-vanished.csv'), 'utf8').split('\n');
      const split = '1,1,AAPL,2020-08-31,0.25,Subdiv,2';
      writeFileSync(
        before,
        [...now.filter((line) => !line.includes('CashDiv')), split, ''].join('\n'),
      );
      expect((await load(home, 'eq_adj_factors_basic', before)).exitCode).toBe(0);
      const refused = await load(home, 'eq_adj_factors_basic', 'factors-split-vanished.csv');
      expect(refused.stderr).toContain('would lose all rows of 1 date: 2020-08-31;');
    });
  });

  it.each([
    ['eq_daily_ohlc', 'US1020', 'integer-dot-zero.csv', 'MarketHoursVolume', ['2367868']],
    ['eq_daily_ohlc', 'US1020', 'date-with-midnight.csv', 'TradeDate', ['2020-10-19']],
    [
      'eq_trades',
      'US1001',
      'int96-nanoseconds.parquet',
      'EventDateTime_utc_ns',
      ['1795012200123456789'],
    ],
    [
      'eq_trades',
      'US1001',
      'fraction-digits.csv',
      'EventDateTime_utc_ns',
      ['1795098600120000000', '1795098600123456789'],
    ],
    ['fut_daily', 'US6015', 'negative.csv', 'ClosePrice', ['-37.63', '-5.6']],
  ])(
    '%s takes every value as it is, %s of %s',
    async (dataset, datasetId, name, column, values) => {
      const home = newHome();
      expect((await load(home, dataset, name)).exitCode).toBe(0);
      const rows = (await publishedRows(home, datasetId, [column])).map(([cell]) => `${cell}`);
      for (const value of values) expect(rows.join()).toContain(value);
    },
  );

  it.each([
    ['eq_daily_ohlc', 'daily-1900.csv', 'TradeDate >= 2007-01-01'],
    ['eq_daily_ohlc', 'daily-1969.csv', 'TradeDate >= 2007-01-01'],
    ['eq_trades_1min', 'bars-1969.csv', 'TradeDate >= 2007-01-01'],
    ['eq_daily_ohlc', 'wap-18-digits.csv', 'few enough digits to be stored exactly'],
    ['eq_daily_ohlc', 'big-volume.csv', '"1e3" is not an integer such as 100'],
    ['fut_trades_1min', 'autumn-twice.csv', 'no other row has the same'],
    ['fut_trades_1min', 'spring-gap.csv', 'clocks skip this one'],
  ])('%s refuses %s, and says why', async (dataset, name, text) => {
    const { exitCode, stderr } = await load(newHome(), dataset, name);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('has every symbol as it is but the two that no path can name, which are refused', async () => {
    const home = newHome();
    const refused = await load(home, 'eq_trades', 'odd-symbols.csv');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('..')]);
    await load(home, 'eq_trades', 'odd-symbols.csv', '--max-bad-rows', '2');
    const tickers = (await publishedRows(home, 'US1001', ['Ticker'])).map(([cell]) => `${cell}`);
    expect(tickers).toEqual(expect.arrayContaining(['NA', 'NULL', 'TRUE', 'A#B', 'A\\B']));
    expect(tickers).not.toContain('..');
  });

  it('has its times by the clock that an option names, in text and in Parquet', async () => {
    const bars = join(folder.path, 'eastern.csv');
    writeFileSync(
      bars,
      'TradeDate,BarDateTime,Ticker,BaseSymbol,ClosePrice\n2026-03-02,2026-03-02T18:00:00,ESH6,ES,1\n',
    );
    const eastern = await load(newHome(), 'fut_trades_1min', bars, '--time-zone', 'US/Easter');
    expect(eastern.stderr).toContain('--time-zone must be the IANA name of a time zone');
    const timeOf = async (
      dataset: string,
      id: string,
      name: string,
      column: string,
      zone: string,
    ) => {
      const home = newHome();
      await load(home, dataset, name, '--time-zone', zone);
      return (await publishedRows(home, id, [column])).map(([cell]) => `${cell}`);
    };
    expect(
      await timeOf('fut_trades_1min', 'US6014', bars, 'BarDateTime', 'America/New_York'),
    ).toEqual([expect.stringContaining('23:00:00')]);
    const ticks = [
      'eq_trades',
      'US1001',
      'int96-nanoseconds.parquet',
      'EventDateTime_utc_ns',
    ] as const;
    expect(await timeOf(...ticks, 'America/Chicago')).toEqual(['1795015800123456789']);
  });

  it('is refused where its bytes were replaced since, and changes nothing where its rows are there', async () => {
    const home = newHome();
    const prices = () => publishedRows(home, 'US1001', ['Price']);
    const trades = (name: string, ...options: string[]) =>
      load(home, 'eq_trades', name, ...options);
    expect((await trades('resend-original.csv')).exitCode).toBe(0);
    expect((await trades('resend-corrected.csv')).exitCode).toBe(0);
    for (const dryRun of [['--dry-run'], []]) {
      const stale = await trades('resend-original.csv', ...dryRun);
      expect([stale.exitCode, stale.stderr]).toEqual([
        2,
        expect.stringMatching(
          /publication 1 has published this file, .*; --again loads them once more/,
        ),
      ]);
    }
    expect(await prices()).toEqual([['10.5']]);
    const same = await trades('resend-corrected.csv');
    expect([same.exitCode, same.stderr]).toEqual([
      3,
      'US1001 eq_trades: unchanged, it has these rows already\n',
    ]);
    expect((await trades('resend-original.csv', '--again')).exitCode).toBe(0);
    expect(await prices()).toEqual([['10.0']]);
  });

  it('is not appended again as other bytes of the same rows', async () => {
    const home = newHome();
    const text = readFileSync(join(INPUTS, 'resend-original.csv'), 'utf8');
    const other = join(folder.path, 'other.csv');
    const packed = join(folder.path, 'packed.csv.gz');
    writeFileSync(other, `${text}\n`);
    writeFileSync(packed, gzipSync(text));
    await load(home, 'eq_trades', 'resend-original.csv', '--append');
    for (const name of [other, packed]) {
      const again = await load(home, 'eq_trades', name, '--append');
      expect(again.stderr).toContain('of eq_trades has all of these rows already; --again');
    }
    expect((await load(home, 'eq_trades', other, '--append', '--again')).exitCode).toBe(0);
    expect(await publishedRows(home, 'US1001', ['Price'])).toHaveLength(2);
  });

  it('is refused if its last line has no end, unless that is allowed', async () => {
    const home = newHome();
    const cut = await load(home, 'eq_trades', 'truncated-mid-value.csv');
    expect([cut.exitCode, cut.stderr]).toEqual([
      2,
      expect.stringMatching(/the last line has no end, .*; --allow-unended loads it all the same/),
    ]);
    const allowed = await load(home, 'eq_trades', 'truncated-mid-value.csv', '--allow-unended');
    expect(allowed.exitCode).toBe(0);
  });
});
