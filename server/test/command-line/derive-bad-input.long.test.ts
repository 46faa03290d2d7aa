/** Derivations warn or refuse if input is missing or wrong, and publish all or nothing. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleOf } from '../repetitions.ts';
import { newFolder, publishedRows, runCommand } from './run-command.ts';

let folder: ReturnType<typeof newFolder>;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => folder.remove());
const run = (...words: string[]) => runCommand(folder.path, ...words);

type Lines = readonly string[];

async function load(dataset: string, [header, ...lines]: Lines, ...options: string[]) {
  const path = join(folder.path, `${dataset}.csv`);
  writeFileSync(path, `${[header, ...lines].join('\n')}\n`);
  return await run('ingest', dataset, path, '--allow-loss', ...options);
}

const TICKS = 'TradeDate,EventDateTime,Ticker,ASID,EventType,Price,Quantity,Exchange,ConditionCode';
const tick = (time: string, rest = 'TRADE,10,100,NYSE,1', ticker = 'ABCD,7') =>
  `${time.slice(0, 10)},${time},${ticker},${rest}`;
const DAILY = 'TradeDate,Ticker,ASID,OpenPrice,HighPrice,LowPrice,ClosePrice';
const FACTORS = 'SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventId';
const DETAIL = `${FACTORS},EventType,DivPayrate,DivCurrency`;
const ANNOUNCED = 'SecId,ASID,Ticker,AnnouncementDate,EventType,EventId,Action,RatioNew,RatioOld';
const CHAIN = 'ASID,Ticker,StartDate,EndDate';

const seconds = Array.from({ length: 9 }, (_, second) => tick(`2025-06-18T10:00:0${second}`));
const later = Array.from({ length: 30 }, (_, second) =>
  tick(`2025-06-18T10:01:${String(second).padStart(2, '0')}`),
);
const DAY = [TICKS, tick('2025-06-18T10:00:00')];
const CLOSE = [DAILY, '2025-06-18,ABCD,7,10,10,10,10'];

type Loads = Readonly<Record<string, Lines>>;

/** Each case: name, loads, derived dataset, row count and warning. */
const WARNED: readonly (readonly [string, Loads, string, number, string])[] = [
  [
    'a trading day without ticks',
    {
      eq_trades: [
        ...[TICKS, tick('2025-06-13T10:00:00'), tick('2025-06-16T10:00:00')],
        tick('2025-06-18T10:00:00'),
      ],
    },
    ...(['eq_trades_1min', 3, 'eq_trades has no rows on 2025-06-17, a trading day'] as const),
  ],
  [
    'a week without ticks',
    { eq_trades: [TICKS, tick('2025-06-06T10:00:00'), tick('2025-06-16T10:00:00')] },
    ...([
      'eq_trades_1min',
      2,
      'eq_trades has no rows from 2025-06-09 to 2025-06-13, 5 trading days',
    ] as const),
  ],
  [
    'rows without factors to adjust them by',
    { eq_daily_ohlc: CLOSE },
    ...([
      'eq_daily_ohlc_adj',
      1,
      'eq_adj_factors_basic has no rows; all is computed without them',
    ] as const),
  ],
  [
    'conditions that nobody has told the meaning of',
    { eq_trades: [...DAY, tick('2025-06-18T10:00:01', 'TRADE,11,100,NYSE,1073741825')] },
    ...([
      'eq_trades_1min',
      1,
      'eq_trades 2025-06-18 ABCD: unknown bits in the trade conditions 1073741825 of 1 event',
    ] as const),
  ],
  [
    'quotes with conditions that are those of trades',
    { eq_taq: [...DAY, tick('2025-06-18T10:00:01', 'QUOTE BID NB,11,100,NYSE,2147483649')] },
    ...([
      'eq_taq_1min',
      960,
      'eq_taq 2025-06-18 ABCD: unknown bits in the quote conditions 2147483649 of 1 event',
    ] as const),
  ],
  [
    'events of an unknown type',
    { eq_trades: [...DAY, tick('2025-06-18T10:00:01', 'TRDE,11,100,NYSE,1')] },
    ...([
      'eq_daily_ohlc',
      1,
      'eq_trades 2025-06-18 ABCD: the unknown type TRDE of 1 event; no bar counts them',
    ] as const),
  ],
  [
    'trades without a price',
    { eq_trades: [...DAY, tick('2025-06-18T10:00:01', 'TRADE,,100,NYSE,1')] },
    ...([
      'eq_trades_1min',
      1,
      'eq_trades 2025-06-18 ABCD: 1 trade without a price; no bar counts them',
    ] as const),
  ],
  [
    'ticks that are there twice',
    { eq_trades: [TICKS, ...seconds, ...seconds] },
    ...([
      'eq_trades_1min',
      1,
      'eq_trades 2025-06-18 ABCD: each event from about 10:00:00 on is there more than once; was a file loaded twice?',
    ] as const),
  ],
  [
    'ticks of a part of the day that are there twice',
    { eq_trades: [TICKS, ...seconds, ...later, ...later] },
    ...([
      'eq_trades_1min',
      2,
      'eq_trades 2025-06-18 ABCD: each event from about 10:01:04 on is there more than once; was a file loaded twice?',
    ] as const),
  ],
  [
    'ticks of two securities under one symbol',
    {
      eq_trades: [
        ...[...DAY, tick('2025-06-18T10:00:01', 'TRADE,99,100,NYSE,1', 'ABCD,8')],
        tick('2025-06-18T10:00:02'),
      ],
    },
    ...([
      'eq_trades_1min',
      1,
      'eq_trades 2025-06-18 ABCD: events of ASID 8 and 7; all count as those of 7',
    ] as const),
  ],
  [
    'national bests alone beside the quotes of venues',
    {
      eq_taq: [
        ...DAY,
        tick('2025-06-18T10:00:01', `QUOTE BID NB,11,100,NYSE,${2 ** 32 + 1}`),
        tick('2025-06-18T10:00:01', `QUOTE ASK NB,12,100,ARCA,${2 ** 32 + 1}`),
        tick('2025-06-18T10:00:02', 'QUOTE ASK NB,13,100,ARCA,1'),
      ],
    },
    ...([
      'eq_taq_1min',
      960,
      'eq_taq 2025-06-18 ABCD: 2 quotes of national bests alone and 1 of venues; sizes at the best are those of both',
    ] as const),
  ],
  [
    'national bests alone that are no pairs of bid and ask',
    {
      eq_taq: [
        ...DAY,
        tick('2025-06-18T10:00:01', `QUOTE BID NB,11,100,NYSE,${2 ** 32 + 1}`),
        tick('2025-06-18T10:00:02', `QUOTE ASK NB,12,100,ARCA,${2 ** 32 + 1}`),
        tick('2025-06-18T10:00:03', `QUOTE BID NB,11,100,NYSE,${2 ** 32 + 1}`),
      ],
    },
    ...([
      'eq_taq_1min',
      960,
      'eq_taq 2025-06-18 ABCD: 3 quotes of national bests alone without the other side; spreads change with asks',
    ] as const),
  ],
  [
    'quotes none of which is the national best',
    { eq_taq: [...DAY, tick('2025-06-18T10:00:01', 'QUOTE BID,11,100,NYSE,1')] },
    ...([
      'eq_taq_1min',
      960,
      'eq_taq 2025-06-18 ABCD: no quote is marked as the national best; bars have no bid and ask',
    ] as const),
  ],
  [
    'an event without a factor and without terms',
    {
      eq_adj_factors_detail: [
        ...[
          DETAIL,
          '1,7,ABCD,2025-06-18,,DeMerg,1,DMRGR,,',
          '1,7,ABCD,2025-06-20,0.5,Subdiv,2,SD,,',
        ],
      ],
    },
    ...([
      'eq_adj_factors_basic',
      1,
      'eq_adj_factors_detail 2025-06-18 ABCD: left out; DeMerg has no factor, and its terms tell none',
    ] as const),
  ],
  [
    'a dividend in another currency, without a factor',
    {
      eq_adj_factors_detail: [
        ...[
          DETAIL,
          '1,7,ABCD,2025-06-20,,CashDiv,1,DIV,0.1,CAD',
          '1,7,ABCD,2025-06-23,0.5,Subdiv,2,SD,,',
        ],
      ],
      eq_daily_ohlc: CLOSE,
    },
    ...([
      'eq_adj_factors_basic',
      1,
      'eq_adj_factors_detail 2025-06-20 ABCD: left out; CashDiv has no factor, and its terms tell none',
    ] as const),
  ],
  [
    'a dividend whose factor the close before contradicts',
    {
      eq_adj_factors_detail: [DETAIL, '1,7,ABCD,2025-06-20,0.9,CashDiv,1,DIV,0.1,USD'],
      eq_daily_ohlc: CLOSE,
    },
    ...([
      'eq_adj_factors_basic',
      1,
      'eq_adj_factors_detail 2025-06-20 ABCD: the factor 0.9 contradicts 0.99, that of a CashDiv of 0.1 after a close of 10',
    ] as const),
  ],
  [
    'a split whose factor its announcement contradicts',
    {
      eq_adj_factors_detail: [DETAIL, '1,7,ABCD,2025-06-20,4,Subdiv,1,SD,,'],
      eq_announce: [ANNOUNCED, '1,7,ABCD,2025-06-02,SD,1,I,4,1'],
    },
    ...([
      'eq_adj_factors_basic',
      1,
      'eq_adj_factors_detail 2025-06-20 ABCD: the factor 4 contradicts 0.25, that of a Subdiv of 4 for 1',
    ] as const),
  ],
  [
    'one split under two numbers',
    {
      eq_adj_factors_basic: [
        ...[FACTORS, '1,7,ABCD,2025-06-20,0.5,Subdiv,1', '1,7,ABCD,2025-06-20,0.5,Subdiv,2'],
      ],
    },
    ...([
      'eq_adj_factors_cumulative',
      2,
      'eq_adj_factors_basic 2025-06-20 ABCD: one Subdiv is there twice, as 0.5 (EventId 1) and 0.5 (EventId 2); it counts once',
    ] as const),
  ],
  [
    'a price that did not move as its split says',
    {
      eq_daily_ohlc: [DAILY, '2025-06-18,ABCD,7,10,10,10,10', '2025-06-20,ABCD,7,5,5,5,5'],
      eq_adj_factors_basic: [FACTORS, '1,7,ABCD,2025-06-20,2,Subdiv,1'],
    },
    ...([
      'eq_daily_ohlc_adj',
      2,
      'eq_daily_ohlc 2025-06-20 ABCD: the close went from 10 to 5, where eq_adj_factors_basic has a factor of 2',
    ] as const),
  ],
  [
    'a price that moved like a split, of which nobody knows',
    {
      eq_daily_ohlc: [DAILY, '2025-06-18,ABCD,7,10,10,10,10', '2025-06-20,ABCD,7,5,5,5,5'],
      eq_adj_factors_basic: [FACTORS, '1,7,ABCD,2025-06-23,0.9,CashDiv,1'],
    },
    ...([
      'eq_daily_ohlc_adj',
      2,
      'eq_daily_ohlc 2025-06-20 ABCD: the close went from 10 to 5, where eq_adj_factors_basic has no factor',
    ] as const),
  ],
  [
    'a factor of nobody',
    {
      eq_adj_factors_basic: [
        ...[FACTORS, '1,7,ABCD,2025-06-20,0.5,Subdiv,1', ',,ZTEST,2025-06-20,0.2,Subdiv,2'],
      ],
    },
    ...([
      'eq_adj_factors_cumulative',
      2,
      'eq_adj_factors_basic 2025-06-20 ZTEST: left out; it has no ASID',
    ] as const),
  ],
  [
    'a symbol of two securities on one day',
    {
      eq_secid_chains_lookup: [
        CHAIN,
        '7,ABCD,2025-06-02,2099-12-31',
        '8,ABCD,2025-06-18,2099-12-31',
      ],
    },
    ...([
      'eq_lookup_files',
      2,
      'eq_secid_chains_lookup 2025-06-18 ABCD: the symbol of ASID 7 and 8 on one day',
    ] as const),
  ],
  [
    'a security of two chains',
    {
      eq_secid_chains_lookup: [
        CHAIN,
        '7,ABCD,2025-06-02,2025-06-17',
        '8,ABCD,2025-06-18,2099-12-31',
      ],
      eq_lookup_files: ['SecId,Ticker,StartDate,EndDate', '1,ABCD,2025-06-02,2099-12-31'],
    },
    ...([
      'eq_sec_master',
      1,
      'eq_lookup_files 2025-06-02 ABCD: SecId 1 has the ASIDs 7, 8; 8 counts',
    ] as const),
  ],
];

test.each(sampleOf(WARNED))(
  '%s: a warning names it, and the rest is derived',
  async (_, loads, derived, rowCount, text) => {
    for (const [dataset, lines] of Object.entries(loads)) {
      expect((await load(dataset, lines)).exitCode).toBe(0);
    }
    const { exitCode, stdout } = await run('derive', derived);
    expect(stdout).toContain(`${derived}: ${rowCount} row`);
    expect(stdout).toContain(`  warning: ${text}\n`);
    expect(exitCode).toBe(0);
  },
);

test('a day of national bests that nothing marks is a warning, and no day of a full feed or of marked ones', async () => {
  const bid = (day: string, ticker: string, rest: string) =>
    tick(`2025-06-${day}T10:00:01`, `QUOTE BID${rest}`, ticker);
  const ask = (day: string, ticker: string, conditions: unknown) =>
    tick(`2025-06-${day}T10:00:01`, `QUOTE ASK NB,12,100,ARCA,${conditions}`, ticker);
  const [marked, none] = [2 ** 32 + 1, ''];
  await load('eq_taq', [
    ...[TICKS, bid('16', 'ABCD,7', ' NB,11,100,NYSE,1'), bid('16', 'ZTST,8', ',10,100,ARCA,1')],
    ...[bid('17', 'ABCD,7', ` NB,11,100,NYSE,${marked}`), ask('17', 'ABCD,7', marked)],
    ...[bid('18', 'ABCD,7', ` NB,11,100,NYSE,${marked}`), ask('18', 'ABCD,7', marked)],
    ...[bid('18', 'ZTST,8', ' NB,11,100,NYSE,1'), ask('18', 'ZTST,8', none)],
  ]);
  const { exitCode, stdout } = await run('derive', 'eq_taq_1min');
  const warnings = stdout.split('\n').filter((line) => line.includes('national bests'));
  expect([exitCode, warnings]).toEqual([
    0,
    [
      '  warning: eq_taq 2025-06-18: all quotes are national bests, and not all have bit 32 of ConditionCode; ' +
        'if the feed has no others, load it again with the bit; sizes at the best are sums over venues',
    ],
  ]);
});

const chosen = ['ClosePrice', 'DailyVolume'];

test('ticks out of order make the rows of those in order', async () => {
  const ticks = [
    ...[
      tick('2025-06-18T10:00:01', 'TRADE,10,100,NYSE,1'),
      tick('2025-06-18T10:00:02', 'TRADE,11,100,NYSE,1'),
    ],
    ...[
      tick('2025-06-18T10:00:03', 'TRADE,12,200,NYSE,1'),
      tick('2025-06-17T10:00:03', 'TRADE,9,100,NYSE,1'),
    ],
  ];
  await load('eq_trades', [TICKS, ...ticks.toReversed()]);
  const { stdout } = await run('derive', 'eq_daily_ohlc');
  expect(stdout).toBe('US1020 eq_daily_ohlc: 2 rows from 2 parts\n');
  expect(await publishedRows(folder.path, 'US1020', chosen)).toEqual([
    ['9.0', '100'],
    ['12.0', '400'],
  ]);
});

describe('nothing', () => {
  test.each([
    ['eq_adj_factors_detail', 'eq_adj_factors_basic', DETAIL, ',SD,,', 'a later ReportDate'],
    ['eq_adj_factors_basic', 'eq_adj_factors_cumulative', FACTORS, '', 'an EventId below 0'],
    ['eq_adj_factors_basic', 'eq_daily_ohlc_adj', FACTORS, '', 'an EventId below 0'],
  ])(
    'is derived from two factors of one event in %s: %s',
    async (dataset, derived, header, end, mark) => {
      await load('eq_daily_ohlc', CLOSE);
      const event = (factor: string) => `1,7,ABCD,2025-06-20,${factor},Subdiv,1${end}`;
      await load(dataset, [header, event('0.5'), event('0.2')]);
      const { exitCode, stderr } = await run('derive', derived);
      expect([exitCode, stderr]).toEqual([
        2,
        `ticklake: ${dataset} 2025-06-20 ABCD: two factors of one Subdiv, 0.5 (EventId 1) and 0.2 (EventId 1); ` +
          `append the right one, or the product of both, with ${mark}, which decides\n`,
      ]);
    },
  );

  test('is computed without the rows that all comes from, and the line says which', async () => {
    await load('eq_daily_ohlc', CLOSE);
    const { exitCode, stdout } = await run('derive', 'eq_trades_1min', 'fut_daily');
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      'US1014 eq_trades_1min: nothing computed, eq_trades has no rows',
      'US6015 fut_daily: nothing computed, fut_taq has no rows, fut_trades_1min has no rows',
      'nothing was due',
    ]);
    expect(exitCode).toBe(0);
  });

  test('is derived from one split under two numbers with two factors, unlike two dividends of a day', async () => {
    await load('eq_daily_ohlc', CLOSE);
    const event = (factor: string, reason: string, id: number) =>
      `1,7,ABCD,2025-06-20,${factor},${reason},${id}`;
    const rows = (reason: string) => [FACTORS, event('0.5', reason, 1), event('0.2', reason, 2)];
    await load('eq_adj_factors_basic', rows('Subdiv'));
    const { exitCode, stderr } = await run('derive', 'eq_adj_factors_cumulative');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('0.2 (EventId 2)')]);
    await load('eq_adj_factors_basic', rows('CashDiv'));
    await run('derive', 'eq_adj_factors_cumulative');
    expect(await publishedRows(folder.path, 'US2014', ['PriceBackwardFactor'])).toEqual([
      ['0.1'],
      ['1.0'],
    ]);
  });

  test('is derived from an event that cannot decide, as it has another SecId', async () => {
    await load('eq_daily_ohlc', CLOSE);
    const rows = ['1,7,ABCD,2025-06-20,0.5,CashDiv,1', '2,7,ABCD,2025-06-20,0.2,CashDiv,-1'];
    await load('eq_adj_factors_basic', [FACTORS, ...rows]);
    const { exitCode, stderr } = await run('derive', 'eq_daily_ohlc_adj');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('0.2 (EventId -1) cannot')]);
  });

  test('is loaded of a file whose rows are there already, or of rows that break a check', async () => {
    await load('eq_trades', DAY);
    const again = await load('eq_trades', DAY, '--append');
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('has all of these rows already'),
    ]);
    for (const wrong of ['TRADE,-1,100,NYSE,1', 'TRADE,10,-1,NYSE,1']) {
      const { exitCode, stderr } = await load('eq_trades', [
        ...DAY,
        tick('2025-06-18T11:00:00', wrong),
      ]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('eq_trades.csv:3: ')]);
    }
  });

  /** A dataset of the home, as that of minute bars of trades but for what is given. */
  function define(textId: string, change: (text: string) => string): void {
    const names = {
      id: textId === 'my_bars' ? 'US9001' : 'US9002',
      text_id: textId,
      segment: textId.replaceAll('_', '-'),
    };
    const shipped = readFileSync(
      new URL('../../../datasets/eq_trades_1min.yaml', import.meta.url),
      'utf8',
    );
    const named = Object.entries({ ...names, variant: '{}' }).reduce(
      (text, [field, value]) => text.replace(new RegExp(`^${field}:.*`, 'm'), `${field}: ${value}`),
      shipped,
    );
    mkdirSync(join(folder.path, 'datasets'), { recursive: true });
    writeFileSync(join(folder.path, 'datasets', `${textId}.yaml`), change(named));
  }

  const from = (input: string) => (text: string) =>
    text.replace('inputs: [eq_trades]', `inputs: [${input}]`);

  test.each<[string, readonly [string, (text: string) => string][], RegExp]>([
    [
      'definitions that lead back to themselves',
      [
        ['my_bars', from('my_other_bars')],
        ['my_other_bars', from('my_bars')],
      ],
      /my_bars\.yaml:\d+: derived_from\.inputs must not lead back to the dataset: my_bars from my_other_bars from my_bars/,
    ],
    [
      'an input that does not exist',
      [['my_bars', from('my_ticks')]],
      /derived_from\.inputs names an unknown dataset: my_ticks/,
    ],
    [
      'an input of other columns',
      [['my_bars', from('eq_daily_ohlc')]],
      /^ticklake: my_bars cannot be derived: equity_trade_bars needs a column EventDateTime of eq_daily_ohlc\n$/,
    ],
    [
      'a column that is not computed',
      [
        [
          'my_bars',
          (text) =>
            text.replace(
              /^columns:/m,
              'columns:\n  - name: Mood\n    type: number\n    description: Nobody knows.',
            ),
        ],
      ],
      /^ticklake: my_bars has a column Mood that its rows are made without\n$/,
    ],
  ])('is published where a definition has %s', async (_, definitions, message) => {
    await load('eq_trades', DAY);
    await run('derive', 'eq_daily_ohlc');
    for (const [textId, change] of definitions) define(textId, change);
    const { exitCode, stderr, stdout } = await run('derive', 'eq_trades_1min', 'my_bars');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(await publishedRows(folder.path, 'US1014', ['Ticker'])).toEqual([]);
  });

  test('is published where derived rows break a check, of no dataset', async () => {
    await load('eq_trades', [...DAY, tick('2025-06-18T11:00:00', 'TRADE,10,900,NYSE,1')]);
    define('my_bars', (text) =>
      text.replace(/^checks:/m, 'checks:\n  - range: [Volume]\n    max: 500'),
    );
    const { exitCode, stderr } = await run('derive', 'eq_trades_1min', 'my_bars');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Volume <= 500, which 1 row breaks');
    const keys = 'TradeDate "2025-06-18", Ticker "ABCD", BarDateTime "2025-06-18T11:00:00-04:00"';
    expect(stderr).toContain(`row 2: ${keys}, Volume "900"`);
    for (const datasetId of ['US1014', 'US9001']) {
      expect(await publishedRows(folder.path, datasetId, ['Ticker'])).toEqual([]);
    }
    const audited = await run('audit', '--operation', 'derive', '--limit', '2', '--json');
    const targets = ['dataset:US1014', 'dataset:US9001'];
    for (const target of targets) expect(audited.stdout).toContain(`"target":"${target}"`);
    const reason = '"reason":"my_bars: checks failed: Volume <= 500 (1 row)"';
    expect(audited.stdout.split(reason)).toHaveLength(3);
  });
});
