/** A first recipe that is written from a file reads that file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newFolder, publishedRows, runCommand } from '../command-line/run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());
let count = 0;

/** The output of `recipe init` for a file, in a home that has it as a recipe. */
async function recipeFor(dataset: string, name: string, text: string) {
  const home = join(folder.path, `home-${count++}`);
  const file = join(home, name);
  mkdirSync(join(home, 'recipes'), { recursive: true });
  writeFileSync(file, text);
  const { exitCode, stdout } = await runCommand(home, 'recipe', 'init', dataset, file);
  expect(exitCode).toBe(0);
  writeFileSync(join(home, 'recipes/own.yaml'), stdout);
  return { home, file, stdout };
}

const DAYS: readonly (readonly [what: string, name: string, text: string])[] = [
  ['ISO dates', 'x.csv', 'Date,Symbol,Open,High,Low,Close,Vol,Note\n2024-03-13,AAA,1,3,1,2,30,x\n'],
  ['semicolons and M/D/YYYY', 'x.csv', 'symbol;date;o;h;l;c;v\nAAA;3/13/2024;1;3;1;2;30\n'],
  ['D/M/YYYY', 'x.csv', 'symbol,date,o,h,l,c,v\nAAA,13/3/2024,1,3,1,2,30\n'],
  [
    'the symbol in the name',
    'AAA_daily.csv',
    'day|open|high|low|close|volume\n20240313|1|3|1|2|30\n',
  ],
  ['epoch seconds', 'x.csv', 'ticker,ts,open,high,low,close,volume\nAAA,1710302400,1,3,1,2,30\n'],
];

it.each(DAYS)(
  'a file with %s is read by the recipe that is printed for it',
  async (_, name, text) => {
    const { home, file } = await recipeFor('eq_daily_ohlc', name, text);
    const loaded = await runCommand(home, 'ingest', '--as', 'own-eq-daily-ohlc', file);
    expect([loaded.exitCode, loaded.stderr]).toEqual([0, '']);
    const columns = ['TradeDate', 'Ticker', 'OpenPrice', 'HighPrice', 'ClosePrice', 'DailyVolume'];
    expect(await publishedRows(home, 'US1020', columns)).toEqual([
      ['2024-03-13', 'AAA', '1.0', '3.0', '2.0', '30'],
    ]);
  },
);

const POINTS = ['AAA;1.234,50;1.300,25;1.200;1.250,75;1.010', 'BBB;10,5;11;10;10,25;500'];

it('commas for decimal points, and points between thousands, are read as they are meant', async () => {
  const header = '"Date";"Sym";"Open";"High";"Low";"Close";"Vol"\n';
  const text = `${header}${POINTS.map((line) => `13.03.2024;${line}\n`).join('')}`;
  const proposed = await initOf('points.csv', text);
  expect(proposed.stdout).toContain('\ndataset: eq_daily_ohlc\n');
  const { home, file } = await recipeFor('eq_daily_ohlc', 'x.csv', text);
  const loaded = await runCommand(home, 'ingest', '--as', 'own-eq-daily-ohlc', file);
  expect([loaded.exitCode, loaded.stderr]).toEqual([0, '']);
  const columns = ['Ticker', 'OpenPrice', 'HighPrice', 'LowPrice', 'ClosePrice', 'DailyVolume'];
  expect(await publishedRows(home, 'US1020', columns)).toEqual([
    ['AAA', '1234.5', '1300.25', '1200.0', '1250.75', '1010'],
    ['BBB', '10.5', '11.0', '10.0', '10.25', '500'],
  ]);
});

/** The output of `recipe init` for a file, without a dataset. */
async function initOf(name: string, text: string) {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return await runCommand(join(folder.path, 'home'), 'recipe', 'init', file);
}

it.each([
  ['eq_daily_ohlc', 'AAA.csv', 'Date,Open,High,Low,Close,Volume\n2024-03-13,1,3,1,2,30\n'],
  ['eq_trades_1min', 'x.csv', 't,ts,o,h,l,c,v,symbol\n1,2024-03-13 09:30,1,3,1,2,30,AAA\n'],
  ['eq_trades', 'AAA_x.csv', 'time,price,size,note\n2024-03-13 09:30:00.123,10,1,X\n'],
  [
    'opt_greeks_daily',
    'x.csv',
    'symbol,date,call/put,option expiration,strike,ask,bid\nA,2024-03-13,C,2024-03-15,9,2,1\n',
  ],
])('the dataset %s is chosen by the fields of a file', async (dataset, name, text) => {
  const { exitCode, stdout } = await initOf(name, text);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`\ndataset: ${dataset}\n`)]);
});

const ZEROS = '0'.repeat(10);

it.each([
  ['midnights', '2024-03-11 00:00:00', '2024-03-12 00:00:00', 'eq_daily_ohlc'],
  ['midnights of UTC', '2024-03-11T00:00:00Z', '2024-03-12T00:00:00Z', 'eq_daily_ohlc'],
  ['midnights as epochs', '1710129600', '1710216000', 'eq_daily_ohlc'],
  ['midnights of UTC as epochs', '1710115200', '1710201600', 'eq_daily_ohlc'],
  ['midnights of UTC in nanoseconds', `171011520${ZEROS}`, `171020160${ZEROS}`, 'eq_daily_ohlc'],
  ['one midnight', '2024-03-11 00:00', '2024-03-11 00:00', 'eq_daily_ohlc'],
  ['a close each day', '2024-03-11 16:00:00', '2024-03-12 16:00:00', 'eq_daily_ohlc'],
  ['minutes', '2024-03-11 09:30:00', '2024-03-11 09:31:00', 'eq_trades_1min'],
  ['one minute', '2024-03-11 09:30:00', '2024-03-11 09:30:00', 'eq_trades_1min'],
  ['minutes as epochs', '1710163800', '1710163860', 'eq_trades_1min'],
])('bars with %s are taken for what they are', async (_, first, second, dataset) => {
  const rows = [`AAA,${first},1,3,1,2,30`, `BBB,${second},1,3,1,2,30`];
  const text = `ticker,time,open,high,low,close,volume\n${rows.join('\n')}\n`;
  const { stdout } = await initOf('bars.csv', text);
  expect(stdout).toContain(`\ndataset: ${dataset}\n`);
  if (dataset !== 'eq_daily_ohlc') return;
  const { home, file } = await recipeFor(dataset, 'x.csv', text);
  const loaded = await runCommand(home, 'ingest', '--as', 'own-eq-daily-ohlc', file);
  expect([loaded.exitCode, loaded.stderr]).toEqual([0, '']);
  const dates = (await publishedRows(home, 'US1020', ['TradeDate'])).flat();
  expect(dates).toEqual(['2024-03-11', first === second ? '2024-03-11' : '2024-03-12']);
});

it('the recipe of midnights in UTC refuses other times, and does not fit their files', async () => {
  const textAt = (time: number) => `ticker,time,open,high,low,close,volume\nA,${time},1,3,1,2,30\n`;
  const { home, file } = await recipeFor('eq_daily_ohlc', 'days.csv', textAt(1710115200));
  writeFileSync(file, textAt(1710163800));
  const load = async (as: string) => await runCommand(home, 'ingest', '--as', as, file);
  expect(await load('own-eq-daily-ohlc')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('seconds since 1970 in the field time, at midnight in UTC'),
  });
  expect(await load('auto')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no recipe fits it'),
  });
  writeFileSync(file, textAt(Date.UTC(1962, 0, 2) / 1000));
  expect(await load('auto')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/the start_date of eq_daily_ohlc.*\n.*TradeDate "1962-01-02"/),
  });
  writeFileSync(file, textAt(1710115200));
  expect(await load('auto')).toMatchObject({ exitCode: 0 });
});

it('a file whose lines end with CR alone is refused, with what to do', async () => {
  const text = 'Date,Open,High,Low,Close,Volume\r2024-03-13,1,3,1,2,30\r';
  const { exitCode, stderr } = await initOf('AAA.csv', text);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('AAA.csv is text whose lines end with CR alone (save it with LF or'),
  ]);
  const file = join(folder.path, 'AAA.csv');
  const loaded = await runCommand(join(folder.path, 'home'), 'ingest', '--as', 'auto', file);
  expect(loaded).toMatchObject({ exitCode: 2, stderr });
});

it('a recipe names the other datasets that the fields may be those of', async () => {
  const { stdout } = await initOf('A.csv', 'Date,Open,High,Low,Close\n2024-03-13,1,3,1,2\n');
  expect(stdout).toMatch(/^# dataset: the fields may as well be those of .*eq_daily_ohlc_adj/);
});

it('fields that are like those of no dataset are refused with the way on', async () => {
  const { exitCode, stderr } = await initOf('odd.csv', 'foo,bar\n1,2\n');
  const message = 'found the first line foo,bar; no dataset has such fields; ticklake recipe init';
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it.each(['{"date": 1, "symbol": 2}\n', '[\n'])(
  'no recipe is begun for %j, which has to be CSV first',
  async (text) => {
    const { exitCode, stdout, stderr } = await initOf('x.jsonl', text);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/x\.jsonl: found JSON lines|JSON text, which has to be written as CSV/);
  },
);

it('a recipe for bars in DBN reads bars of that length alone', async () => {
  const name = 'glbx-mdp3-20240310.ohlcv-1m.csv';
  const text = readFileSync(join(import.meta.dirname, 'dbn', name), 'utf8');
  const { home, file, stdout } = await recipeFor('fut_trades_1min', name, text);
  expect(stdout).toContain(
    '# rtype: must be 33, the rtype of bars of one minute in the first file,',
  );
  const load = () => runCommand(home, 'ingest', '--as', 'own-fut-trades-1min', file);
  writeFileSync(file, text.replaceAll(',33,', ',35,'));
  const hours = await load();
  expect([hours.exitCode, hours.stderr]).toEqual([2, expect.stringContaining('is not 33, the')]);
  writeFileSync(file, text);
  expect(await load()).toMatchObject({ exitCode: 0, stderr: '' });
});

it('a recipe names what no field is like, and does not load before it is completed', async () => {
  const { home, file, stdout } = await recipeFor('eq_trades', 'x.csv', 'a,symbol\n1,AAA\n');
  expect(stdout).toMatch(/^# No field is like TradeDate: name the one that it comes from\.\n/);
  expect(stdout).toContain('unread_fields:\n  - a\n');
  expect(readFileSync(file, 'utf8')).toBe('a,symbol\n1,AAA\n');
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'own-eq-trades', file);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('columns must have TradeDate')]);
});

const UNCLEAR: readonly (readonly [text: string, notes: readonly string[]])[] = [
  [
    'Symbol,Date,Close,Volume\nAAA,3/4/2024,120.000,1.010\nBBB,5/6/2024,99.500,2.020\n',
    [
      'ClosePrice: Close may have groups of digits, as 120.000: choose decimal and group.',
      'DailyVolume: Volume may have groups of digits, as 1.010: choose decimal and group.',
      'TradeDate: Date may be M/D/YYYY or D/M/YYYY: choose.',
    ],
  ],
  [
    'AAA,2024-03-11,10,1.010\nBBB,2024-03-12,11,2.020\n',
    [
      ...['- Text 1, such as AAA', '- Date, such as 2024-03-11', '- Number 3, such as 10'],
      '- Number 4, such as 1.010: choose decimal and group.',
    ],
  ],
];

it.each(UNCLEAR)(
  'a recipe says what the first records of a file leave open: %j',
  async (text, notes) => {
    const { home, file, stdout } = await recipeFor('eq_daily_ohlc', 'x.csv', text);
    for (const note of notes) expect(stdout).toContain(`# ${note}\n`);
    const { exitCode } = await runCommand(home, 'ingest', '--as', 'own-eq-daily-ohlc', file);
    expect(exitCode).toBe(2);
  },
);

it('a file without a header is read when its fields are named, and no sooner', async () => {
  const text = '12.03.2024;09:30;10,5;7;X\n13.03.2024;09:30;10,5;8;X\n';
  const { home, file, stdout } = await recipeFor('eq_daily_ohlc', 'AAA.csv', text);
  expect(stdout).toContain('fields:\n  - Date\n  - Time\n  - Number 3\n  - Number 4\n  - Text 5\n');
  const load = async (recipe: string) => {
    writeFileSync(join(home, 'recipes/own.yaml'), recipe);
    return await runCommand(home, 'ingest', '--as', 'own-eq-daily-ohlc', file);
  };
  const open = await load(stdout);
  expect([open.exitCode, open.stderr]).toEqual([2, expect.stringContaining('fields must have ?')]);
  const named = stdout
    .replace('Ticker: "?"', 'Ticker: { constant: AAA }')
    .replace('ClosePrice: "?"', 'ClosePrice: { from: Number 3, decimal: "," }')
    .replace('DailyVolume: "?"', 'DailyVolume: Number 4')
    .replaceAll(/^ {2}\w+: "\?"\n/gm, '');
  expect(await load(named)).toMatchObject({ exitCode: 0, stderr: '' });
  const columns = ['TradeDate', 'Ticker', 'ClosePrice', 'DailyVolume'];
  expect(await publishedRows(home, 'US1020', columns)).toEqual([
    ['2024-03-12', 'AAA', '10.5', '7'],
    ['2024-03-13', 'AAA', '10.5', '8'],
  ]);
});

it('a number without a name is no time, and its note says which time it may be', async () => {
  const text = 'AAA,2024-03-11 09:30:00,1710302400,20240311\nBBB,2024-03-11 09:31:00,1710302460,\n';
  const { stdout } = await recipeFor('eq_trades', 'x.csv', text);
  expect(stdout).toContain('# - Number 3, such as 1710302400; if it is a time, with epoch: s.\n');
  expect(stdout).toMatch(/^ {2}EventDateTime:\n {4}from: DateTime\n/m);
  const { home, ...epochs } = await recipeFor('eq_trades', 'y.csv', 'AAA,1710302400,10\n');
  expect(epochs.stdout).toContain('  EventDateTime: "?"\n');
  const { exitCode } = await runCommand(home, 'ingest', '--as', 'own-eq-trades', epochs.file);
  expect(exitCode).toBe(2);
});

it('a file without a header names no dataset', async () => {
  const { exitCode, stderr } = await initOf('plain.csv', '2024-03-11,2024-03-11 09:30,1,2\n');
  const message = 'no dataset has such fields; ticklake recipe init DATASET FILE names one';
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('a date alone is no time of a trade', async () => {
  const text = 'Symbol,Date,Time,Price,Size,Venue\nAAA,2024-03-11,09:30:00,10,1,X\n';
  const { stdout } = await recipeFor('eq_trades', 'x.csv', text);
  expect(stdout).toMatch(/^# EventDateTime: \w+ has no time; join it with a field that has\.$/m);
  expect(stdout).toMatch(/^# Not read: .*Venue\.$/m);
});
