/** Recipes refuse files that are not as they should be, and change no value of the others. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tradingDayFrom } from '@ticklake/market/calendars.ts';
import { afterAll, expect, it } from 'vitest';
import { FURTHER_DEFINITIONS, SHIPPED_RECIPES } from '../../src/base/installation.ts';
import type { CsvSource } from '../../src/ingest/load-sources.ts';
import { RecipeOpener } from '../../src/recipes/recipe-opener.ts';
import type { TimeZone } from '../../src/time/time-zone.ts';
import { newFolder, publishedRows, runCommand } from '../command-line/run-command.ts';
import { drawsOf } from '../seed.ts';
import { fieldsOf, recipeOf, sampleOf, separatorOf } from './shipped-samples.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const SAMPLE = join(import.meta.dirname, 'samples/massive-stocks-day/2024-03-11.csv');
const MINUTES = join(import.meta.dirname, 'samples/massive-stocks-minute/2024-03-11.csv');
const LINES = readFileSync(SAMPLE, 'utf8').trimEnd().split('\n');
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

let folderCount = 0;

/** A file of that name in a folder of its own. */
function fileOf(text: string, name = basename(SAMPLE)): string {
  const path = join(folder.path, `files-${folderCount++}`);
  mkdirSync(path);
  writeFileSync(join(path, name), text);
  return join(path, name);
}

/** A home with this recipe. */
function homeWith(recipe: string, name = 'own'): string {
  const home = join(folder.path, `home-${folderCount++}`);
  mkdirSync(join(home, 'recipes'), { recursive: true });
  writeFileSync(join(home, 'recipes', `${name}.yaml`), recipe);
  return home;
}

const HOME = join(folder.path, 'home');
const replaced = (at: number, from: string, to: string) =>
  textOf(LINES.map((line, n) => (n === at ? line.replace(from, to) : line)));
const withField = (place: (line: string, added: string) => string) =>
  textOf(LINES.map((line, n) => place(line, n === 0 ? 'extra' : '1')));

it.each([
  ['a new field', withField((line, added) => `${line},${added}`), 'does not know the fields extra'],
  [
    'a field less',
    textOf(LINES.map((line) => line.replace(/^[^,]+,/, ''))),
    'needs the fields ticker; found the first line volume,',
  ],
  ['a field twice', replaced(0, 'close', 'open'), 'needs the fields close'],
  ['a field less in one record', replaced(3, ',', ''), 'rows.csv:4: the record'],
  [
    'doubled rows',
    textOf([...LINES, ...LINES.slice(1)]),
    'check failed: no other row has the same TradeDate, Ticker',
  ],
  [
    'rows of another date',
    replaced(2, '1710129600', '1710216000'),
    ':3: TradeDate "1710216000000000000" is not nanoseconds since 1970 in the field window_start, at midnight in the market, on 2024-03-11, the date in the name',
  ],
  [
    'a time that is no number',
    replaced(2, '1710129600000000000', '2024-03-11'),
    ':3: TradeDate "2024-03-11" is not nanoseconds since 1970',
  ],
  [
    'a price that is no number',
    replaced(20, '1710129600000000000', '1710129600000000000').replace(/,(\d+\.\d\d),/, ',$1x,'),
    ':2: OpenPrice',
  ],
  [
    'another separator',
    textOf(LINES.map((line) => line.replaceAll(',', '|'))),
    'found fields separated by |: ticker|',
  ],
  ['JSON lines', '{"ticker":"A"}\n', 'as CSV first (mlr --ijsonl --ocsv cat FILE): {"ticker"'],
  ['HTML', '<html>\n', 'found XML or HTML, which has to be saved as CSV first: <html>'],
  ['no text', '\n', 'found an empty line'],
])('%s: refused, and nothing is published', async (_mutation, text, message) => {
  const file = fileOf(text);
  const { exitCode, stderr } = await runCommand(HOME, 'ingest', '--as', 'massive-stocks-day', file);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message.replace('rows.csv', file));
  expect(await publishedRows(HOME, 'US1020', ['Ticker'])).toEqual([]);
});

const EXPLAIN = '; ticklake recipe explain FILE shows the recipe that reads such a file';
const TEXT = `${LINES[0]}\n`;

it.each([
  ['ohlcv-daily', 'x.csv', 'a|b\n', `found fields separated by |: a|b${EXPLAIN}`],
  ['ohlcv-daily', 'x.csv', 'a,b\n', `found the first line a,b${EXPLAIN}`],
  ['nyse-taq-trades', 'x.csv', 'a,b\n', `found fields separated by commas: a,b${EXPLAIN}`],
  [
    'massive-stocks-day',
    'days2.csv',
    TEXT,
    'names of the form *{date:YYYY-MM-DD}.csv; found the first line ticker,',
  ],
  ['massive-stocks-day', 'days2.csv', '{}\n', 'found JSON lines'],
])('the recipe %s says what it found in %s, and which command reads it', async (...given) => {
  const [recipe, name, text, message] = given;
  const { exitCode, stderr } = await runCommand(HOME, 'ingest', '--as', recipe, fileOf(text, name));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('a recipe for other files says that it found a DBN file', async () => {
  const bars = join(import.meta.dirname, 'dbn/glbx-mdp3-20240310-v2.ohlcv-1m.dbn');
  const { exitCode, stderr } = await runCommand(HOME, 'ingest', '--as', 'ohlcv-daily', bars);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/needs the fields date; found a DBN file, or CSV of one: ts_event,/);
  expect(stderr).toContain(EXPLAIN);
});

it('fields in another order are the same rows', async () => {
  const moved = textOf(LINES.map((line) => line.split(',').toReversed().join()));
  const [home, other] = ['in-order', 'moved'].map((name) => join(folder.path, name)) as [
    string,
    string,
  ];
  await runCommand(home, 'ingest', '--as', 'massive-stocks-day', SAMPLE);
  expect(
    await runCommand(other, 'ingest', '--as', 'massive-stocks-day', fileOf(moved)),
  ).toMatchObject({
    exitCode: 0,
  });
  const columns = [
    'TradeDate',
    'Ticker',
    'OpenPrice',
    'HighPrice',
    'LowPrice',
    'ClosePrice',
    'DailyVolume',
  ];
  const rows = await publishedRows(home, 'US1020', columns);
  expect(rows).toHaveLength(LINES.length - 1);
  expect(await publishedRows(other, 'US1020', columns)).toEqual(rows);
});

it('a file that is cut at any byte of its last records is refused, unless a record ends there', async () => {
  const whole = textOf(LINES.slice(0, 3));
  const home = join(folder.path, 'cut');
  for (let end = textOf(LINES.slice(0, 2)).length + 1; end < whole.length; end += 7) {
    const { exitCode } = await runCommand(
      home,
      'ingest',
      '--as',
      'massive-stocks-day',
      fileOf(whole.slice(0, end)),
    );
    expect({ end, exitCode }).toEqual({ end, exitCode: 2 });
  }
});

it.each([
  ['old', 0, [[null, '7.5']]],
  ['new', 0, [['7.5', null]]],
  ['old one', 2, []],
])('a part of the name such as %s chooses the column of a field', async (kind, exitCode, rows) => {
  const home = homeWith(String.raw`recipe: own
title: T
vendor: V
dataset: eq_daily_ohlc
file_name: "{kind}.csv"
columns:
  TradeDate: { from: day, time: YYYY-MM-DD }
  Ticker: ticker
  OpenPrice: { from: [file.kind, price], rewrite: { "(?:ol|el)[^ ]* .*": "", "[^ ]* (.*)": '\1' } }
  ClosePrice: { from: [file.kind, price], rewrite: { "(?:ol|el)[^ ]* (.*)": '\1', ".*": "" } }
`);
  const file = fileOf('day,ticker,price\n2024-03-11,A,7.5\n', `${kind}.csv`);
  expect(await runCommand(home, 'ingest', '--as', 'own', file)).toMatchObject({ exitCode });
  expect(await publishedRows(home, 'US1020', ['OpenPrice', 'ClosePrice'])).toEqual(rows);
});

it.each([
  ['[[:digit:]]{8}', '20240311', '7.5'],
  ['[]2]0240311', '20240311', '7.5'],
  ['20240311$', '20240311', null],
  ['[^ ]{8}', '20240311', '7.5'],
  ['[^ ]{3}', '\u{1f600}ab', '7.5'],
])('a part of the name is found by %s as in any other text', async (pattern, part, price) => {
  const home = homeWith(String.raw`recipe: own
title: T
vendor: V
dataset: eq_daily_ohlc
file_name: "{part}.csv"
columns:
  TradeDate: { from: day, time: YYYY-MM-DD }
  Ticker: ticker
  OpenPrice: { from: [file.part, price], rewrite: { "${pattern} (.*)": '\1', ".*": "" } }
`);
  const file = fileOf('day,ticker,price\n2024-03-11,A,7.5\n', `${part}.csv`);
  expect(await runCommand(home, 'ingest', '--as', 'own', file)).toMatchObject({ exitCode: 0 });
  expect(await publishedRows(home, 'US1020', ['OpenPrice'])).toEqual([[price]]);
});

const TRAILED = `recipe: own
title: T
vendor: V
dataset: eq_daily_ohlc
file_name: "{symbol}_{date:YYYYMMDD}.txt"
separator: pipe
encoding: windows-1252
skip_lines: 1
trailer: "END|{date:YYYYMMDD}|{rows}"
columns:
  TradeDate: { from: Day, time: [D-MMM-YYYY, M/D/YYYY] }
  Ticker: { from: [file.symbol], replace: { "-": "." }, without_end: ".US" }
  OpenPrice: { from: Open, decimal: ",", group: ".", undefined: ["n/a"] }
  ClosePrice: { from: Close, scaled: 4 }
  DailyVolume: { from: Volume, extract: "([0-9]+) shares" }
only: { Kind: ["X", ""] }
unread_fields: [Näme]
`;
const trailed = (records: readonly string[], trailer: string) =>
  Buffer.from(
    `a preamble\r\nDay|Open|Close|Volume|Kind|Näme\r\n${records.map((r) => `${r}\r\n`).join('')}${trailer}`,
    'latin1',
  );

it('reads preambles, trailers, dates by name, local numbers, scaled integers and chosen records', async () => {
  const home = homeWith(TRAILED);
  const file = fileOf('', 'BRK-B.US_20240311.txt');
  writeFileSync(
    file,
    trailed(
      [
        '11-MAR-2024|1.234,50|40500|7 shares|X|é',
        '3/8/2024|n/a|-5|0012 shares||',
        '3/7/2024|n/a|1|1 shares|Y|',
      ],
      'END|20240311|3',
    ),
  );
  expect(await runCommand(home, 'ingest', '--as', 'auto', file)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('ClosePrice >= 0'),
  });
  writeFileSync(
    file,
    trailed(
      [
        '11-MAR-2024|1.234,50|40500|7 shares|X|é',
        '3/8/2024|n/a|5|0012 shares||',
        '3/7/2024|n/a|1|1 shares|Y|',
      ],
      'END|20240311|3',
    ),
  );
  expect(await runCommand(home, 'ingest', '--as', 'auto', file)).toMatchObject({ exitCode: 0 });
  const columns = ['TradeDate', 'Ticker', 'OpenPrice', 'ClosePrice', 'DailyVolume'];
  expect(await publishedRows(home, 'US1020', columns)).toEqual([
    ['2024-03-08', 'BRK.B', null, '0.0005', '12'],
    ['2024-03-11', 'BRK.B', '1234.5', '4.05', '7'],
  ]);
});

it.each([
  ['only: { file.symbol: [A] }', 2],
  ['except: { file.symbol: [A], trailer.rows: ["9"] }', 0],
  ['only: { trailer.rows: ["2"] }', 2],
  ['except: { trailer.date: ["2024-03-11"] }', 0],
  ['only: { Lacking: ["", X] }\noptional_fields: [Lacking]', 2],
  ['except: { Lacking: [""] }\noptional_fields: [Lacking]', 0],
])(
  'records are chosen by names and last lines of files, and by fields that they lack: %s',
  async (choice, count) => {
    const recipe = TRAILED.replace(/only: .*/, choice).replace('[Näme]', '[Kind, Näme]');
    const file = fileOf('', 'A_20240311.txt');
    const records = ['3/11/2024|1|1|1 shares|X|', '3/8/2024|1|1|1 shares|Y|'];
    writeFileSync(file, trailed(records, 'END|20240311|2'));
    const home = homeWith(recipe);
    const { stderr } = await runCommand(home, 'ingest', '--as', 'own', file);
    expect(stderr).not.toContain('Error');
    expect(await publishedRows(home, 'US1020', ['Ticker'])).toHaveLength(count);
  },
);

it.each([
  ['only: { file.symbol: [A] }', 2],
  ['except: { file.symbol: [B] }', 2],
  ['only: { file.symbol: [B] }', 0],
  ['only: { trailer.rows: ["1"] }', 0],
])(
  'auto takes a recipe by names that it reads, and refuses others: %s',
  async (choice, exitCode) => {
    const recipe = TRAILED.replace(/only: .*/, choice).replace('[Näme]', '[Kind, Näme]');
    const file = fileOf('', 'B_20240311.txt');
    writeFileSync(file, trailed(['3/11/2024|1|1|1 shares|X|'], 'END|20240311|1'));
    const found = await runCommand(homeWith(recipe), 'ingest', '--as', 'auto', file);
    expect(found.exitCode).toBe(exitCode);
    if (exitCode === 2)
      expect(found.stderr).toContain('own leaves out files whose file.symbol is B');
  },
);

it.each([
  ['END|20240311|4', 'the trailer says 4 records, but there are 1'],
  ['END|20240312|1', 'the trailer is of 2024-03-12, but the name of the file of 2024-03-11'],
  [
    '3/8/2024|1|1|1 shares|X|',
    'the last line does not have the form END|{date:YYYYMMDD}|{rows}, so the file may be cut off',
  ],
])('the trailer %s is refused', async (trailer, message) => {
  const file = fileOf('', 'A_20240311.txt');
  writeFileSync(file, trailed(['3/11/2024|1|1|1 shares|X|'], trailer));
  const { exitCode, stderr } = await runCommand(homeWith(TRAILED), 'ingest', '--as', 'own', file);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it.each([
  [
    'separator: pipe',
    'separator: bar',
    '6: separator must be one of comma, semicolon, pipe, tab, not "bar"',
  ],
  [
    'dataset: eq_daily_ohlc',
    'dataset: nothing',
    '4: dataset must be the text_id of a dataset, not nothing',
  ],
  [
    'scaled: 4',
    'scaled: 40',
    '14: columns.ClosePrice.scaled must be a whole number from 1 to 18, not 40',
  ],
  [
    'scaled: 4',
    'shift: 4',
    '14: columns.ClosePrice.shift is not a field; legal fields: from, constant,',
  ],
  [
    'Ticker:',
    'Symbol:',
    '12: columns.Symbol is no column of eq_daily_ohlc; its columns are TradeDate,',
  ],
  [
    'scaled: 4',
    'rewrite: { "(": "" }',
    '14: columns.ClosePrice.rewrite must have regular expressions, not (',
  ],
  ['scaled: 4', 'by: symbol', '14: columns.ClosePrice must have one of from, constant and by'],
  ['scaled: 4', 'minus_seconds: 4', '14: columns.ClosePrice.minus_seconds needs time'],
  [
    'D/YYYY] }',
    'D/YYYY HH:mmZ], minus_seconds: 4 }',
    '11: columns.TradeDate.time must be forms of a time without an offset',
  ],
  ['D-MMM-YYYY', 'D-MMM', '11: columns.TradeDate.time must be a form of YYYY,'],
  [
    'file.symbol',
    'trailer.name',
    '10: columns must not name trailer.name: trailer has no part {name}',
  ],
  [
    'Kind: ["X"',
    'file.kind: ["X"',
    '16: only must not name file.kind: file_name has no part {kind}',
  ],
  ['file.symbol', 'file.name', '10: columns must not name file.name: file_name has no part {name}'],
  [
    '([0-9]+) shares',
    '[0-9',
    '15: columns.DailyVolume.extract must be a regular expression with one group',
  ],
])(
  'a recipe with a fault is refused by file, line, field and legal values: %s',
  async (from, to, message) => {
    const home = homeWith(TRAILED.replace(from, to));
    const { exitCode, stderr } = await runCommand(home, 'recipe', 'show', 'own');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`own.yaml:${message}`)]);
  },
);

const DAY_RECIPE = readFileSync(join(SHIPPED_RECIPES, 'massive-stocks-day.yaml'), 'utf8');

it.each([
  ['read in capitals or not', 'other_names: { ticker: [Sym] }', [/ticker/, 'SYM'], 0, ''],
  [
    'refused where two of them are one optional field',
    'optional_fields: [volume]\nother_names: { volume: [Vol] }',
    [/transactions/, 'VOL'],
    2,
    'the field volume is there twice',
  ],
] as const)('other names are %s', async (_, lines, [name, other], code, message) => {
  const home = homeWith(`${DAY_RECIPE.replace('massive-stocks-day', 'own')}\n${lines}\n`);
  const [header = '', ...rows] = LINES;
  const file = fileOf(textOf([header.replace(name, other), ...rows]));
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'own', file);
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
});

it('a file that two recipes fit is refused with both names', async () => {
  const home = homeWith(DAY_RECIPE.replace('massive-stocks-day', 'own'));
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'auto', SAMPLE);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('massive-stocks-day and own fit it; --as NAME says which is meant'),
  ]);
});

it.each([
  'Date,Symbol,Open,High,Low,Close,Volume',
  'timestamp,TICKER,open,high,low,close,vol',
  'Trade Date,Ticker,OPEN,HIGH,LOW,CLOSE,Vol',
])('daily bars with the header %s are known by it', async (header) => {
  const home = join(folder.path, `home-${folderCount++}`);
  mkdirSync(home);
  const rows = [
    '2024-03-11T00:00:00-04:00,AAPL,1.1,2.2,0.5,1.25,100',
    '2024-03-12 00:00:00,AAPL,1,2,0.5,1.5,7',
  ];
  const file = fileOf(textOf([header, ...rows]), 'bars.csv');
  const loaded = await runCommand(home, 'ingest', '--as', 'auto', file);
  expect(loaded.exitCode, loaded.stderr).toBe(0);
  const columns = ['TradeDate', 'Ticker', 'HighPrice', 'ClosePrice', 'DailyVolume'];
  const found = await publishedRows(home, 'US1020', columns);
  expect(found.map((row) => row.join())).toEqual([
    '2024-03-11,AAPL,2.2,1.25,100',
    '2024-03-12,AAPL,2.0,1.5,7',
  ]);
});

it('a field without a name is told as one', async () => {
  const text = textOf([',date,symbol,open,high,low,close,volume', '0,2024-03-11,A,1,1,1,1,1']);
  const { exitCode, stderr } = await runCommand(HOME, 'ingest', '--as', 'auto', fileOf(text));
  const told = 'ohlcv-daily does not know its fields without a name;';
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
});

it.each([
  [
    'a field twice',
    'Date,timestamp,Symbol,Open,High,Low,Close,Volume',
    'the field date is there twice',
  ],
  [
    'adjusted prices',
    'Date,Symbol,Open,High,Low,Close,Volume,Adj Close',
    'does not know its fields Adj Close',
  ],
  [
    'bars of minutes',
    'date,symbol,open,high,low,close,volume',
    'ohlcv-daily reads a date such as 2024-03-11 in the field date, not 2024-03-11 09:30:00',
  ],
])('daily bars with %s are refused', async (_, header, text) => {
  const record = `2024-03-11 09:30:00${header.includes('stamp') ? ',2024-03-11' : ''},A,1,1,1,1,1,1`;
  const fields = record.split(',').slice(0, header.split(',').length).join();
  const file = fileOf(
    textOf([header, header.includes('Adj') ? fields.replace(' 09:30:00', '') : fields]),
    'bars.csv',
  );
  const as = header.includes('stamp') ? 'ohlcv-daily' : 'auto';
  const { exitCode, stderr } = await runCommand(HOME, 'ingest', '--as', as, file);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
});

it.each([
  ['20240311_aapl_minute_trade.csv', '34200000,1690000,1700000,1680000,1695000,100'],
  ['aapl.csv', '20240311 00:00,1690000,1700000,1680000,1695000,100'],
])('a file of LEAN, %s, names the command that reads its folder', async (name, line) => {
  const file = fileOf(textOf([line]), name);
  const { exitCode, stderr } = await runCommand(HOME, 'ingest', '--as', 'auto', file);
  const text = 'found a file of a LEAN folder, which ticklake import lean FOLDER reads';
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
});

it('a file whose fields alone fit a recipe is refused with the names that it reads', async () => {
  const file = fileOf(readFileSync(SAMPLE, 'utf8'), 'odd.csv');
  const { exitCode, stderr } = await runCommand(HOME, 'ingest', '--as', 'auto', file);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      'massive-stocks-day reads its fields, but files with names of the form *{date:YYYY-MM-DD}.csv;',
    ),
  ]);
});

it.each([
  ['massive-stocks-day', /^ticker/, 'Ticker', 'ticker'],
  ['databento-futures-trades', /,symbol$/, '', 'symbol'],
])(
  'a file that %s would read with one field more is refused with that field',
  async (recipe, from, to, field) => {
    const { name, lines } = sampleOf(recipe);
    const file = fileOf(textOf(lines.map((line) => line.replace(from, to))), name);
    expect(await runCommand(HOME, 'ingest', '--as', 'auto', file)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`; ${recipe} needs the field ${field};`),
    });
  },
);

it('prices in billionths name the option with which Databento writes others', async () => {
  const { name, lines } = sampleOf('databento-futures-trades');
  const file = fileOf(textOf(lines.map((line) => line.replace(/(\d)\.(\d{9}),/, '$1$2,'))), name);
  expect(await runCommand(HOME, 'ingest', '--as', 'auto', file)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      'reads a price with nine decimals (pretty_px) in the field price',
    ),
  });
});

/** Minute bars of a sample, as bars of an hour. */
function hoursOf(kind: string, name: string): string {
  const sample = `samples/databento-${kind}-minute/${name}.ohlcv-1m.csv`;
  const text = readFileSync(join(import.meta.dirname, sample), 'utf8');
  return fileOf(text.replaceAll('Z,33,', 'Z,34,'), `${name}.ohlcv-1h.csv`);
}
const OTHER_RTYPE = /:2: \w+ "34" is not 33, the rtype of bars of one minute, in the fields rtype/;

it.each([
  ['massive-stocks-minute', SAMPLE, /:2: BarDateTime .* not at midnight in the market/],
  ['massive-stocks-day', MINUTES, /:2: TradeDate .* at midnight in the market/],
  ['databento-equities-minute', hoursOf('equities', 'xnys-pillar-20240311'), OTHER_RTYPE],
  ['databento-futures-minute', hoursOf('futures', 'glbx-mdp3-20240311'), OTHER_RTYPE],
])('bars of another length than those of %s are bad rows', async (name, file, message) => {
  expect(await runCommand(HOME, 'recipe', 'test', '--as', name, file)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(message),
  });
});

it.each([
  ['massive-stocks-trades', 'correction', '2'],
  ['nyse-taq-trades', 'Trade Correction Indicator', '02'],
])(
  'a correction that %s does not know is a bad row, and none that is left out',
  async (recipe, field, code) => {
    const { name, lines } = sampleOf(recipe);
    const [header, first, ...others] = lines;
    const at = fieldsOf(recipe, header).indexOf(field);
    const changed = fieldsOf(recipe, first).with(at, code).join(separatorOf(recipe));
    const file = fileOf(textOf([header ?? '', changed, ...others]), name);
    expect(await runCommand(HOME, 'recipe', 'test', '--as', recipe, file)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`:2: EventType "${code}" is not one of`),
    });
  },
);

it('fractional sizes name their way out, and are loaded after it', async () => {
  const home = join(folder.path, 'home-fractions');
  mkdirSync(home);
  const trades = readFileSync(
    join(import.meta.dirname, 'samples/massive-stocks-trades/2024-03-11.csv'),
    'utf8',
  );
  const text = trades.replace(',1710144000000000000,5,', ',1710144000000000000,0.0387,');
  const load = () => runCommand(home, 'ingest', '--as', 'massive-stocks-trades', fileOf(text));
  expect((await load()).stderr + (await load()).stdout).toContain(
    'Quantity "0.0387" is not an integer such as 100; for fractional sizes, first run ticklake dataset widen eq_trades',
  );
  expect((await runCommand(home, 'dataset', 'widen', 'eq_trades')).exitCode).toBe(0);
  expect((await load()).exitCode).toBe(0);
  const [first] = await publishedRows(home, 'US1001', ['Quantity']);
  expect(Number(`${first}`)).toBe(0.0387);
});

it('a history that leads up to the first day of a dataset is loaded, and times that were lost are not', async () => {
  const home = join(folder.path, 'home-history');
  mkdirSync(home);
  const header = '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>';
  const daysOf = (first: string, last: string) => {
    const days: string[] = [];
    for (let day = tradingDayFrom('XNYS', first); day <= last; ) {
      days.push(day);
      day = tradingDayFrom('XNYS', Temporal.PlainDate.from(day).add({ days: 25 }).toString());
    }
    return days;
  };
  const load = (ticker: string, days: readonly string[]) => {
    const rows = days.map(
      (day) => `${ticker}.US,D,${day.replaceAll('-', '')},000000,1,2,0.5,1.5,100,0`,
    );
    return runCommand(
      home,
      'ingest',
      '--as',
      'auto',
      fileOf(textOf([header, ...rows]), `${ticker}.us.txt`),
    );
  };
  const start = 'TradeDate >= 2007-01-01, the start_date of eq_daily_ohlc_adj';
  const lost = await load('LOST', ['1970-01-02', ...daysOf('2006-12-20', '2010-01-01')]);
  expect([lost.exitCode, lost.stderr]).toEqual([2, expect.stringContaining(start)]);

  // A header in angle brackets is no XML.
  expect((await load('abc', ['2010-01-05'])).stderr).not.toContain('XML');
  const history = daysOf('1984-09-07', '2024-01-05');
  const loaded = await load('ABC', history);
  expect(loaded.exitCode, loaded.stderr).toBe(0);
  expect(loaded.stdout + loaded.stderr).toContain(start);
  const rows = await publishedRows(home, 'US1022', ['TradeDate']);
  expect(rows.map(String)).toEqual(history);
  // From then on the dataset begins with its rows.
  const later = await load('OLD', ['1990-01-05']);
  expect([later.exitCode, later.stdout.includes(start)], later.stderr).toEqual([0, false]);
  const earlier = await load('LOST', ['1970-01-02', ...history]);
  expect([earlier.exitCode, earlier.stderr]).toEqual([
    2,
    expect.stringContaining('TradeDate >= 1984-09-07'),
  ]);
});

it('a file of one day before the first one of a dataset is loaded where its name has the date', async () => {
  const home = join(folder.path, `home-${folderCount++}`);
  mkdirSync(home);
  const epoch = BigInt(Date.parse('2003-09-10T04:00:00Z')) * 1_000_000n;
  const text = textOf([LINES[0] ?? '', `A,7,1,1,1,1,${epoch},1`]);
  const file = fileOf(text, '2003-09-10.csv');
  const loaded = await runCommand(home, 'ingest', '--as', 'auto', file);
  expect([loaded.exitCode, loaded.stderr]).toEqual([0, '']);
  expect(await publishedRows(home, 'US1020', ['TradeDate'])).toEqual([['2003-09-10']]);
});

it('a faulty recipe stops only what uses it', async () => {
  const home = homeWith(DAY_RECIPE.replace('massive-stocks-day', 'own').replace('epoch: ns, ', ''));
  writeFileSync(join(home, 'recipes/torn.yaml'), 'recipe: [');
  const list = await runCommand(home, 'recipe', 'list');
  expect(list.exitCode).toBe(0);
  expect(list.stdout).toMatch(
    /own +faulty .*own\.yaml:8: columns\.TradeDate\.midnight needs epoch/,
  );
  expect(list.stdout).toMatch(/torn +faulty .*torn\.yaml:1/);
  const loaded = await runCommand(home, 'ingest', '--as', 'auto', SAMPLE);
  expect(loaded).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('warning: the recipe own is left out: '),
  });
  const named = await runCommand(home, 'ingest', '--as', 'own', SAMPLE);
  expect(named).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('needs epoch') });
});

it('a faulty recipe does not leave its place to the shipped one of its name', async () => {
  const home = homeWith(DAY_RECIPE.replace('epoch: ns, ', ''));
  const { exitCode } = await runCommand(home, 'ingest', '--as', 'auto', SAMPLE);
  expect(exitCode).toBe(2);
});

it('a sound recipe takes the place of a faulty one of its name', async () => {
  const own = DAY_RECIPE.replace('massive-stocks-day', 'own');
  const home = homeWith(own.replace('epoch: ns, ', ''), 'first');
  writeFileSync(join(home, 'recipes/second.yaml'), own);
  expect(await runCommand(home, 'ingest', '--as', 'own', SAMPLE)).toMatchObject({ exitCode: 0 });
});

it('a plain load of another text says what was found and which command may read it', async () => {
  const load = (text: string) => runCommand(HOME, 'ingest', 'eq_daily_ohlc', fileOf(text));
  expect((await load('a|b\n')).stderr).toContain(
    'line 1: found fields separated by |; ticklake recipe explain FILE',
  );
  expect((await load('a;b\n')).stderr).toContain('found fields separated by semicolons; ticklake');
  expect((await load('{"a": 1}\n')).stderr).toContain('found JSON lines');
  expect((await load('ts_event,rtype,open\n')).stderr).toMatch(
    /no column "ts_event".*; found a DBN file, or CSV of one; ticklake recipe explain FILE/,
  );
  expect((await load('DBN\x01')).stderr).toContain('the DBN file ends within its metadata');
});

const TICKS = `recipe: own
title: T
vendor: V
dataset: eq_taq
columns:
  TradeDate: { from: at, epoch: ns }
  EventDateTime: { from: at, epoch: ns }
  Ticker: symbol
rows:
  - { EventType: { constant: QUOTE BID }, Price: bid, Quantity: bid_size }
  - { EventType: { constant: QUOTE ASK }, Price: { from: ask, scaled: 9 }, Quantity: ask_size }
`;

it('no digit of a value differs from the file, whichever way its records go', async () => {
  const draws = drawsOf('digits of recipes');
  const digits = () =>
    `${draws.integer(0, 9999)}.${`${draws.integer(0, 9_999_999)}`.padStart(7, '0')}`;
  const expected: (string | null)[][] = [];
  const records = Array.from({ length: 300 }, (_, n) => {
    const nanos = 1_710_163_800_000_000_000n + BigInt(n) * 1_000_000_007n;
    const [bid, ask, bidSize, askSize] = [
      digits(),
      draws.integer(1, 2_000_000_000),
      draws.integer(0, 1e9),
      draws.integer(0, 1e9),
    ];
    const at = ['2024-03-11', `${nanos}`, 'A'];
    expected.push([...at, 'QUOTE BID', `${Number(bid)}`, `${bidSize}`]);
    expected.push([...at, 'QUOTE ASK', `${ask / 1e9}`, `${askSize}`]);
    return `${nanos},A,${bid},${bidSize},${ask},${askSize}`;
  });
  const header = 'at,symbol,bid,bid_size,ask,ask_size';
  const columns = ['TradeDate', 'EventDateTime_utc_ns', 'Ticker', 'EventType', 'Price', 'Quantity'];
  const number = (text: string | null) => (text === null ? null : `${Number(text)}`);
  for (const quoted of [false, true]) {
    const home = homeWith(TICKS);
    // A text outside of ASCII sends records the strict way.
    const text = textOf([
      quoted ? `${header},é` : header,
      ...records.map((r) => (quoted ? `${r},é` : r)),
    ]);
    if (quoted) writeFileSync(join(home, 'recipes/own.yaml'), `${TICKS}unread_fields: [é]\n`);
    const loaded = await runCommand(home, 'ingest', '--as', 'own', fileOf(text, 'ticks.csv'));
    expect(loaded).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('600 rows') });
    const rows = await publishedRows(home, 'US1032', columns);
    expect(rows.map((row) => row.with(4, number(row[4] ?? null)))).toEqual(expected);
  }
});

it.each(['YYYY-MM-DD', 'YYYYMMDD'])(
  'the date of a name, which is YYYY-MM-DD, is joined to times of the form %s only if it fits',
  async (form) => {
    const rule = '{ from: at, time: "YYYY-MM-DD HH:mm:ss" }';
    const joined = `{ from: [file.date, at], time: "${form} HH:mm:ss" }`;
    const home = homeWith(
      CODED.replace('time_zone: Asia/Tokyo', 'file_name: "{date:YYYYMMDD}.csv"')
        .replace(rule, 'file.date')
        .replace(rule, joined),
    );
    const text = textOf(['at,symbol,kind,venue,codes', '09:30:00,A,T,N,A']);
    const { exitCode, stderr } = await runCommand(
      ...[home, 'ingest', '--as', 'own', fileOf(text, '20240311.csv')],
    );
    const isRead = form === 'YYYY-MM-DD';
    const message = 'EventDateTime "2024-03-11 09:30:00" is not a time of the form YYYYMMDD';
    expect([exitCode, stderr]).toEqual([
      isRead ? 0 : 2,
      isRead ? '' : expect.stringContaining(message),
    ]);
  },
);

it.each([
  ['time: "YYYY-MM-DD HH:mm:ss.n"', ['1968-12-30 23:59:59.9999995', '1968-12-31 00:00:00']],
  ['time: "YYYY-MM-DD HH:mm:ss.nZ"', ['1968-12-31 04:59:59.9999995Z', '1968-12-31 05:00:00Z']],
  ['epoch: ns', ['-31604400000000500', '-31604400000000000']],
])('the last moment of a day before 1970 keeps its date: %s', async (rule, [last, first]) => {
  const home = homeWith(DAYS.replace('RULE', rule));
  const indices = readFileSync(join(FURTHER_DEFINITIONS, 'idx_daily.yaml'), 'utf8');
  mkdirSync(join(home, 'datasets'));
  writeFileSync(join(home, 'datasets/idx_daily.yaml'), indices.replace('1990-', '1960-'));
  const file = fileOf(textOf(['at,symbol', `${last},A`, `${first},B`]), 'days.csv');
  expect(await runCommand(home, 'ingest', '--as', 'own', file)).toMatchObject({ exitCode: 0 });
  expect(await publishedRows(home, 'US8002', ['TradeDate'])).toEqual([
    ['1968-12-30'],
    ['1968-12-31'],
  ]);
});

it('a bad value of one of several rows leaves the record out, by its line, and checks know the lines of the others', async () => {
  const home = homeWith(TICKS);
  const at = '1710163800000000000';
  const good = `${at},A,1,1,1000000000,1`;
  const file = fileOf(
    textOf([
      'at,symbol,bid,bid_size,ask,ask_size',
      good,
      `${at},A,1,1,x,1`,
      `${at},A,1,1,1000000000,-1`,
    ]),
    'ticks.csv',
  );
  const { exitCode, stderr } = await runCommand(
    home,
    'ingest',
    '--as',
    'own',
    file,
    '--max-bad-rows',
    '1',
  );
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${file}:4: Quantity "-1"`)]);
  const refused = await runCommand(home, 'ingest', '--as', 'own', file);
  expect(refused.stderr).toContain(`${file}:3: Price "x" is not an integer in the field ask`);
});

it('checks know the lines of records behind those that are left out, in each file', async () => {
  const home = homeWith(`${TICKS}only: { kind: [K] }\n`);
  const record = (kind: string, size = 1) => `1710163800000000000,A,1,1,1000000000,${size},${kind}`;
  const header = 'at,symbol,bid,bid_size,ask,ask_size,kind';
  const files = [
    [record('K'), record('L')],
    [record('L'), record('K'), record('K', -1)],
  ].map((records, f) => fileOf(textOf([header, ...records]), `${f}.csv`));
  const refused = await runCommand(home, 'ingest', '--as', 'own', ...files);
  const message = expect.stringContaining(`${files[1]}:4: Quantity "-1"`);
  expect([refused.exitCode, refused.stderr]).toEqual([2, message]);
  const loaded = await runCommand(home, 'ingest', '--as', 'own', files[0] as string);
  expect(loaded.stdout).toContain('2 rows');
});

const DAYS = `recipe: own
title: T
vendor: V
dataset: idx_daily
columns:
  TradeDate: { from: at, RULE }
  Ticker: symbol
  OpenPrice: { constant: "1" }
  HighPrice: { constant: "1" }
  LowPrice: { constant: "1" }
  ClosePrice: { constant: "1" }
`;

const CODED = `recipe: own
title: T
vendor: V
dataset: eq_trades
time_zone: Asia/Tokyo
columns:
  TradeDate: { from: at, time: "YYYY-MM-DD HH:mm:ss" }
  EventDateTime: { from: at, time: "YYYY-MM-DD HH:mm:ss" }
  Ticker: symbol
  EventType: { from: kind, table: { T: TRADE, X: TRADE CANCELLED } }
  Exchange: { from: venue, if_empty: "?", table: { N: NYSE, "?": UNKNOWN }, otherwise: keep }
  ConditionCode: { from: codes, bits: { A: 0, B: 31, b: 31, "-": none } }
`;
const CODED_COLUMNS = [
  'TradeDate',
  'EventDateTime_utc_ns',
  'EventType',
  'Exchange',
  'ConditionCode',
];
const codedFile = (...records: readonly string[]) =>
  fileOf(textOf(['at,symbol,kind,venue,codes', ...records]), 'trades.csv');
const AT = '2024-03-12 05:00:00';
/** The afternoon of the day before in New York. */
const ON = ['2024-03-11', `${Date.UTC(2024, 2, 11, 20)}000000`];

it('reads tables, bits, empty fields, and the date in New York of times in Tokyo', async () => {
  const home = homeWith(CODED);
  const file = codedFile(
    `${AT},A,T,N,AB`,
    `${AT},B,X,Q,BbB-`,
    `2024-03-12 13:30:00,C,T,,-`,
    `${AT},D,T,N,`,
  );
  expect(await runCommand(home, 'ingest', '--as', 'own', file)).toMatchObject({ exitCode: 0 });
  const night = ['2024-03-12', `${Date.UTC(2024, 2, 12, 4, 30)}000000`];
  expect(await publishedRows(home, 'US1001', CODED_COLUMNS)).toEqual([
    [...ON, 'TRADE', 'NYSE', '2147483649'],
    [...ON, 'TRADE CANCELLED', 'Q', '2147483648'],
    [...ON, 'TRADE', 'NYSE', null],
    [...night, 'TRADE', 'UNKNOWN', '0'],
  ]);
});

it('bits have separators, and unknown texts of tables and codes of bits can be null', async () => {
  const home = homeWith(
    CODED.replace('otherwise: keep', 'otherwise: empty').replace(
      'b: 31, "-": none }',
      'b: 62, "-": none }, separated_by: ",", otherwise: empty',
    ),
  );
  const file = codedFile(`${AT},A,T,Q,"b, A"`, `${AT},B,T,N,AB`);
  expect(await runCommand(home, 'ingest', '--as', 'own', file)).toMatchObject({ exitCode: 0 });
  expect(await publishedRows(home, 'US1001', CODED_COLUMNS)).toEqual([
    [...ON, 'TRADE', null, `${2n ** 62n + 1n}`],
    [...ON, 'TRADE', 'NYSE', '0'],
  ]);
});

it.each([
  [`${AT},A,Z,N,A`, 'EventType "Z" is not one of T, X in the field kind'],
  [`${AT},A,T,N,AC`, 'ConditionCode "AC" is not codes of A, B, b, - in the field codes'],
])('an unknown text of a table or code of bits is a bad row: %s', async (record, message) => {
  const refused = await runCommand(homeWith(CODED), 'ingest', '--as', 'own', codedFile(record));
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`:2: ${message}`) });
});

const CHOSEN = CODED.replace(
  /EventType:.*/s,
  String.raw`EventType: { from: kind, table: { T: TRADE, X: TRADE CANCELLED } }
  Price: { by: [kind, side], fields: { T A: ask, X A: ask, T B: bid }, extract: '([0-9]+\.[0-9]{2})' }
  Quantity: { by: kind, fields: { T: size }, otherwise: empty }
  Exchange: { by: side, fields: { A: venue, B: venue } }
`,
);
const chosenFile = (...records: readonly string[]) =>
  fileOf(textOf(['at,symbol,kind,side,bid,ask,size,venue', ...records]), 'trades.csv');

it.each([
  ['as values', '1.00'],
  ['as texts', 'x'],
])('the texts of fields choose which of others is read, %s', async (_way, bid) => {
  const home = homeWith(CHOSEN);
  const file = chosenFile(
    `${AT},A,T,A,${bid},2.25,100,N`,
    `${AT},A,T,B,1.50,,,`,
    `${AT},A,X,A,1.50,,100,N`,
  );
  expect(await runCommand(home, 'ingest', '--as', 'own', file)).toMatchObject({ exitCode: 0 });
  expect(await publishedRows(home, 'US1001', ['Price', 'Quantity', 'Exchange'])).toEqual([
    ['2.25', '100', 'N'],
    ['1.5', null, null],
    [null, null, 'N'],
  ]);
});

it.each([
  [`${AT},A,X,B,1.50,2.25,1,N`, 'Price "X B" is not a text that'],
  [`${AT},A,T,A,1.50,2250,1,N`, 'Price "2250" is not a text that'],
  [`${AT},A,T,,1.50,2.25,1,N`, 'Exchange "" is not a value in the fields side, venue'],
])(
  'texts that choose no field, and others of the chosen one, are bad rows: %s',
  async (record, message) => {
    const file = chosenFile(`${AT},A,T,A,1.50,2.25,1,N`, record);
    const refused = await runCommand(homeWith(CHOSEN), 'ingest', '--as', 'own', file);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`:3: ${message}`),
    });
  },
);

it('explain shows the records, the rows, and what cannot be read', async () => {
  const file = fileOf(replaced(2, '1710129600000000000', 'soon'));
  const { exitCode, stdout } = await runCommand(
    HOME,
    'recipe',
    'explain',
    file,
    '--as',
    'massive-stocks-day',
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    `${file} is read by the recipe massive-stocks-day, as rows of eq_daily_ohlc`,
  );
  expect(stdout).toContain(`  ${LINES[1]}`);
  expect(stdout).toContain('soon (cannot be read)');
});

it.each([
  ['of a field that it lacks', 'ticker', 'needs the fields'],
  ['of a further field', `${LINES[0]},extra`, 'does not know the fields extra'],
])('a file that is refused because %s is closed', async (_what, header, message) => {
  let isOpen = false;
  async function* open() {
    isOpen = true;
    try {
      yield Buffer.from(`${header}\n`);
      yield Buffer.from('a record\n');
    } finally {
      isOpen = false;
    }
  }
  const opener = new RecipeOpener(recipeOf('massive-stocks-day'), 'America/New_York' as TimeZone);
  const opened = opener.open({ format: 'csv', displayName: basename(SAMPLE), open } as CsvSource);
  await expect(opened).rejects.toThrow(message);
  expect(isOpen).toBe(false);
});

it('explain refuses a file that is cut off in front of the last line that it needs', async () => {
  const sample = join(import.meta.dirname, 'samples/nasdaq-listed/nasdaqlisted.txt');
  const lines = readFileSync(sample, 'utf8').trimEnd().split('\n');
  const file = fileOf(textOf(lines.slice(0, -1)), 'nasdaqlisted.txt');
  const { exitCode, stderr } = await runCommand(HOME, 'recipe', 'explain', file);
  const message = `${file}: the last line does not have the form File Creation Time`;
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('test reads a file and publishes nothing', async () => {
  expect(
    await runCommand(HOME, 'recipe', 'test', SAMPLE, '--as', 'massive-stocks-day'),
  ).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('20 rows'),
  });
  expect(await publishedRows(HOME, 'US1020', ['Ticker'])).toEqual([]);
});

it('test refuses what a load refuses: identifiers that would vanish', async () => {
  const home = join(folder.path, 'losing');
  const recipe = 'massive-stocks-day';
  await runCommand(home, 'ingest', '--as', recipe, SAMPLE);
  const other = fileOf(textOf(LINES.slice(0, 2)));
  const [tested, loaded] = [
    await runCommand(home, 'recipe', 'test', '--as', recipe, other),
    await runCommand(home, 'ingest', '--as', recipe, '--dry-run', other),
  ];
  expect(loaded.stderr).toContain('this would be refused');
  expect(tested).toEqual(loaded);
});

it('show prints a recipe, and list names all', async () => {
  expect((await runCommand(HOME, 'recipe', 'show', 'ohlcv-daily')).stdout).toMatch(
    /^recipe: ohlcv-daily\n/,
  );
  expect((await runCommand(HOME, 'recipe', 'list')).stdout).toContain('massive-stocks-day');
  expect(await runCommand(HOME, 'recipe', 'show', 'nothing')).toMatchObject({ exitCode: 2 });
});
