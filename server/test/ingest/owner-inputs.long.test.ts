/** Small files as owners get them from vendors, each with what a load of it has to come to. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';
import { openTestService } from '../harness.ts';
import { arrowPage } from '../read-arrow.ts';
import { parquetPage } from '../read-parquet-page.ts';
import { sampleOf } from '../repetitions.ts';

const INPUTS = resolve(import.meta.dirname, '../../../../shared/inputs/owner');
const folder = newFolder();
afterAll(() => folder.remove());

let count = 0;
const newHome = () => join(folder.path, `home-${count++}`);
const runCommand = (home: string, ...words: string[]) =>
  runByClock(fixedClock('2026-11-27T12:00:00Z'), home, ...words);
const load = (home: string, dataset: string, name: string, ...options: string[]) =>
  runCommand(home, 'ingest', dataset, resolve(INPUTS, name), ...options);

const DAILY = 'us-equity/daily-ohlc?Ticker=AAPL&adjusted=true&period=20Y';
const WEEKS = 'TradeDate,HighPrice,LowPrice,ClosePrice,DailyVolume';

/** Files that are loaded, datasets that are derived, and the rows of requests after that. */
const ANSWERS = [
  {
    what: 'days and events without an ASID are adjusted by ticker and date',
    files: { eq_daily_ohlc: ['no-asid-days.csv'], eq_adj_factors_basic: ['no-asid-events.csv'] },
    derived: ['eq_daily_ohlc_adj'],
    answers: {
      [`${DAILY}&TradeDate.in=2014-06-06,2014-06-09,2014-08-07&columns=ASID,ClosePrice,DailyVolume`]:
        [',91.7678,4900', ',93.2362,700', ',94.48,700'],
      [`${DAILY}&adjusted_as_of=2014-06-30&TradeDate.ge=2014-06-06&limit=2&columns=ClosePrice`]: [
        '92.2243',
        '93.7',
      ],
    },
  },
  {
    what: 'a corrected day and a split that is listed twice are in adjusted weeks',
    files: {
      eq_daily_ohlc: ['aapl-2014.csv', 'correction.csv'],
      eq_adj_factors_basic: ['split-twice-two-ids.csv'],
    },
    derived: ['eq_daily_ohlc_adj'],
    answers: {
      [`${DAILY}&interval=1w&columns=${WEEKS}`]: [
        '2014-06-02,93,89.7143,92.2243,24500',
        '2014-06-09,95,90.9,91.28,4300',
        '2014-08-04,95.9,93.2,94.74,2100',
      ],
    },
  },
  {
    what: 'minute bars of weeks are adjusted by a split between, and a dividend within them',
    files: { eq_trades_1min: ['aapl-2014-bars.csv'], eq_adj_factors_basic: ['aapl-events.csv'] },
    derived: ['eq_trades_1min_adj'],
    answers: {
      'us-equity/eq-trades-1min?ASID=1&adjusted=true&interval=1w&period=20Y&columns=TradeDate,HighTradePrice,LowTradePrice,LastTradePrice,Volume':
        [
          '2014-06-02,92.5397,89.2702,91.7678,24500',
          '2014-06-09,94.5796,90.4501,90.8282,3500',
          '2014-08-04,95.9,93.2,94.74,2100',
        ],
    },
  },
  {
    what: 'a contract with an adjusted root is another one than that of its security',
    files: {
      opt_contr_sec_master: ['adjusted-root-contracts.csv'],
      opt_tanq: ['adjusted-root-ticks.csv'],
    },
    derived: ['opt_greeks_daily'],
    answers: {
      'us-equity-opt/opt-greeks-daily?Ticker.in=SDS,SDS1&period=20Y&columns=Ticker,LastMidPrice,ImpliedVolConvergence':
        ['SDS,1.55,Converged', 'SDS1,0.25,No time value'],
      'us-equity-opt-ref/opt-contr-sec-master?OptionTicker.in=SDS,SDS1&columns=OptionTicker,Multiplier,OsiSymbol':
        ['SDS,100,SDS   261218C00020000', 'SDS1,20,SDS1  261218C00020000'],
    },
  },
  {
    what: 'times of no to nine fraction digits are exact to the nanosecond',
    files: { eq_taq: ['fraction-digits.csv'] },
    derived: [],
    answers: Object.fromEntries(
      Array.from({ length: 10 }, (_, digits) => [
        `us-equity/eq-taq/2026-11-19/F${digits + 1}?columns=EventDateTime,Quantity`,
        [
          `2026-11-19T09:30:00.${'123456789'.slice(0, digits).padEnd(9, '0')}-05:00,9007199254740993`,
        ],
      ]),
    ),
  },
] as const;

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
    ['eq_taq', 'fractional-sizes.csv', 'first run ticklake dataset widen'],
    ['eq_trades', 'fractional-sizes.csv', 'first run ticklake dataset widen'],
    ['eq_daily_ohlc', 'daily-1900.csv', 'TradeDate >= 2007-01-01'],
    [
      'eq_daily_ohlc',
      'daily-1969.csv',
      'TradeDate >= 2007-01-01, the start_date of eq_daily_ohlc,',
    ],
    ['eq_trades_1min', 'bars-1969.csv', 'TradeDate >= 2007-01-01'],
    ['eq_daily_ohlc', 'wap-18-digits.csv', 'few enough digits to be stored exactly'],
    ['eq_daily_ohlc', 'big-volume.csv', '"1e3" is not an integer such as 100'],
    ['fut_trades_1min', 'autumn-twice.csv', 'no other row has the same'],
    ['fut_trades_1min', 'spring-gap.csv', 'clocks skip this one'],
  ])('%s refuses %s, and says why', async (dataset, name, text) => {
    const { exitCode, stderr } = await load(newHome(), dataset, name);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it.each(sampleOf(ANSWERS))('is answered rightly: $what', async ({ files, derived, answers }) => {
    const home = newHome();
    for (const [dataset, names] of Object.entries(files)) {
      for (const name of names) expect((await load(home, dataset, name)).exitCode).toBe(0);
    }
    if (derived.length > 0) {
      expect((await runCommand(home, 'derive', ...derived)).exitCode).toBe(0);
    }
    const service = await openTestService({}, undefined, home);
    for (const [path, rows] of Object.entries(answers)) {
      const { body, headers } = await service.get(`/v1/data/${path}&response_format=csv`);
      expect(body.split('\n').slice(1, -1), path).toEqual(rows);
      expect(headers['x-unadjusted']).toBeUndefined();
    }
    await service.close();
  });

  it('has volumes past 2^53 exactly, in every format', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', 'big-volume.csv', '--max-bad-rows', '1');
    const service = await openTestService({}, undefined, home);
    const answer = (format: string) =>
      service.get(
        `/v1/data/us-equity/daily-ohlc?period=20Y&columns=MarketHoursVolume&response_format=${format}`,
      );
    const volumes = ['6674913000', '9007199254740993'];
    for (const format of ['json', 'csv']) {
      expect((await answer(format)).body.match(/\d{10,}/g)).toEqual(volumes);
    }
    const cells = volumes.map((volume) => [BigInt(volume)]);
    expect(arrowPage((await answer('arrow')).rawPayload).rows).toEqual(cells);
    expect((await parquetPage((await answer('parquet')).rawPayload)).rows).toEqual(cells);
    await service.close();
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
          /1 file published before: .*\(publication 1, rows of .*\); .*; --again loads/,
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
