/** A night loads new files, derives, publishes all of it or nothing, and says what it did. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { SHIPPED_DEFINITIONS } from '../../src/base/installation.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const [TRADES, DAILY, MINUTES] = ['US1001', 'US1020', 'US1014'];
const TRADE_HEADER =
  'TradeDate,EventDateTime,Ticker,EventType,Price,Quantity,Exchange,ConditionCode';
const DAY = '2026-01-06';

let count = 0;
const run = (home: string, ...words: string[]) =>
  runByClock(fixedClock('2026-01-07T02:00:00Z'), home, ...words);
const shown = (text: string) => text.replaceAll(`${folder.path}/`, '');

function newHome(): string {
  const home = join(folder.path, `home-${count++}`);
  mkdirSync(home);
  return home;
}

type Files = Readonly<Record<string, readonly string[]>>;

/** Writes files below a new folder, or below `feeds`. */
function writeFeeds(files: Files, feeds = join(folder.path, `feeds-${count++}`)): string {
  for (const [name, lines] of Object.entries(files)) {
    mkdirSync(join(feeds, name, '..'), { recursive: true });
    writeFileSync(join(feeds, name), `${lines.join('\n')}\n`);
  }
  return feeds;
}

const trade = (price: number, second = 0, date = DAY) =>
  `${date},${date}T10:00:${String(second).padStart(2, '0')},AAA,TRADE,${price},100,NYSE,1`;
const trades = (...prices: readonly number[]) => [
  TRADE_HEADER,
  ...prices.map((price, second) => trade(price, second)),
];
const bars = (...dates: readonly string[]) => [
  'date,symbol,open,high,low,close,volume',
  ...dates.map((date) => `${date},BBB,1,2,1,2,300`),
];

const idsOf = async (home: string) => {
  const { stdout } = await run(home, 'publication', 'list', '--json');
  return JSON.parse(stdout).data.map(
    ({ publication_id: id, state, command }: Record<string, unknown>) =>
      `${id} ${command} ${state}`,
  );
};
/** The datasets of the newest publication. */
const lastDatasets = async (home: string) => {
  const { stdout } = await run(home, 'publication', 'list', '--json');
  const [{ datasets }] = JSON.parse(stdout).data;
  return datasets.map(({ dataset_id: id }: Record<string, unknown>) => id);
};
const alertsIn = async (home: string) =>
  JSON.parse((await run(home, 'alerts', '--json')).stdout).alerts.map(
    ({ kind, text }: Record<string, string>) => `${kind} ${shown(text as string)}`,
  );
const minuteRows = (home: string) =>
  publishedRows(home, MINUTES as string, ['Ticker', 'LastTradePrice', 'ASID IS NOT NULL']);

describe('ticklake night', () => {
  it('publishes files of several datasets with ASIDs and what comes from them, at once', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'eq_trades/2026-01-06.csv': trades(10, 11), 'bars.csv': bars(DAY) });
    const { exitCode, stdout } = await run(home, 'night', feeds, '--assign-symbols', '--derive');
    expect(exitCode).toBe(0);
    expect(shown(stdout)).toMatch(
      /^Night at 2026-01-07T02:00:00Z: published as publication 1\n\nUS1020 eq_daily_ohlc: 1 new file by ohlcv-daily\n {2}2026-01-06: 1 row\nUS1001 eq_trades: 1 new file\n {2}2026-01-06: 2 rows\nASIDs for 2 new symbols: AAA \d+, BBB \d+\n/,
    );
    expect(stdout).toContain('derived eq_trades_1min: 1 row\n');
    expect(await idsOf(home)).toEqual(['1 night published']);
    expect(await minuteRows(home)).toEqual([['AAA', '11.0', 'true']]);
    expect(await publishedRows(home, DAILY as string, ['Ticker', 'DailyVolume'])).toEqual([
      ['BBB', '300'],
    ]);
  });

  it.each([
    ['an expectation', 'dataset: eq_trades, expect: [{ date_in_name: true }]', trades(10)],
    [
      'the recipe',
      'as: massive-stocks-day',
      [
        'ticker,volume,open,close,high,low,window_start,transactions',
        'AAA,100,1,2,2,1,1767675600000000000,3',
      ],
    ],
  ])('refuses an earlier file under the name of another date, by %s', async (_, how, lines) => {
    const home = newHome();
    const feeds = writeFeeds({ '2026-01-06.csv': lines });
    const file = join(home, 'night.yaml');
    writeFileSync(file, `loads: [{ files: ${feeds}, ${how} }]\n`);
    expect((await run(home, 'night')).exitCode).toBe(0);
    renameSync(join(feeds, '2026-01-06.csv'), join(feeds, '2026-01-05.csv'));
    const { exitCode, stdout } = await run(home, 'night');
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining('2026-01-05')]);
    expect(await alertsIn(home)).toHaveLength(1);
    renameSync(join(feeds, '2026-01-05.csv'), join(feeds, '2026-01-06.csv'));
    expect((await run(home, 'night')).exitCode).toBe(3);
    const right = lines.map((line) =>
      line.replaceAll(DAY, '2026-01-05').replace('17676756', '17675892'),
    );
    writeFeeds({ '2026-01-05.csv': right }, feeds);
    expect((await run(home, 'night')).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
  });

  it('finds text in folders that recipes read, and none in folders of datasets', async () => {
    const home = newHome();
    const feeds = writeFeeds({
      'bars.txt': bars(DAY),
      'ohlcv-daily/b.asc': bars('2026-01-05'),
      'eq_trades/notes.txt': ['Notes'],
      'eq_trades/a.csv': trades(10),
      'README.txt': ['Notes'],
    });
    const ended = await run(home, 'night', feeds);
    expect([ended.exitCode, ended.stdout]).toEqual([
      0,
      expect.stringContaining('README.txt, left'),
    ]);
    expect(ended.stdout).toContain('eq_daily_ohlc: 2 new files by ohlcv-daily');
    expect((await run(home, 'night', feeds)).exitCode).toBe(3);
    writeFeeds({ 'notes.txt': ['Notes'] }, feeds);
    expect((await run(home, 'night', feeds)).stdout).toContain('notes.txt: no recipe fits it');
  });

  it('leaves files out that cannot hold rows, and names them each time', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'bars.csv': bars(DAY), 'metadata.json': ['{}'] });
    writeFileSync(join(feeds, 'empty.csv'), '');
    const leftOut = [`${feeds}/empty.csv`, `${feeds}/metadata.json`];
    for (const exitCode of [0, 3]) {
      const ended = await run(home, 'night', `${feeds}/*`);
      expect(ended.exitCode).toBe(exitCode);
      expect(ended.stdout).toContain(`each file holds rows; found ${leftOut.join(', ')}, left out`);
    }
    const named = await run(home, 'night', leftOut[0] as string);
    expect([named.exitCode, named.stdout]).toEqual([
      2,
      expect.stringContaining('empty.csv is empty'),
    ]);
  });

  it('refuses two loads that bring the same date, and copies of one file', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'a/bars.csv': bars(DAY), 'b/bars.csv': bars(DAY) });
    const same = await run(home, 'night', feeds);
    expect([same.exitCode, same.stdout]).toEqual([2, '']);
    expect(same.stderr).toMatch(/: has the same bytes as .*; take one of them out\n$/);
    const others = bars(DAY).map((line) => line.replaceAll('BBB', 'CCC'));
    writeFeeds({ 'b/bars.csv': others }, feeds);
    const loads = ['a', 'b'].map((name) => `{ files: ${join(feeds, name)}, vendor: ${name} }`);
    const file = join(home, 'night.yaml');
    writeFileSync(file, `loads: [${loads.join(', ')}]\n`);
    const { exitCode, stdout } = await run(home, 'night', file);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('refused: another load of this night brings 2026-01-06 as well\n');
    expect(await idsOf(home)).toEqual(['1 night refused']);
  });

  it('reads no file again, and takes a correction and what comes from it', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'eq_trades/a.csv': trades(10, 11) });
    const night = () => run(home, 'night', feeds, '--derive', '--assign-symbols');
    expect((await night()).exitCode).toBe(0);
    const idle = await night();
    expect([idle.exitCode, idle.stdout]).toEqual([
      3,
      'Night at 2026-01-07T02:00:00Z: nothing new was published\n\nUS1001 eq_trades: no new file, 1 published before\n',
    ]);
    writeFeeds({ 'eq_trades/b.csv': trades(10, 12) }, feeds);
    const corrected = await night();
    expect(corrected.exitCode).toBe(0);
    expect(corrected.stdout).toContain('\nASIDs for 1 known symbol\n');
    expect(corrected.stdout).not.toContain('new symbol');
    expect(corrected.stdout).toContain(
      'US1001 eq_trades: 1 new file, 1 published before\n  2026-01-06: 2 rows, in place of 2 rows\n',
    );
    expect(await minuteRows(home)).toEqual([['AAA', '12.0', 'true']]);
    expect(await idsOf(home)).toEqual(['2 night published', '1 night published']);
    const stale = await run(home, 'derive', '--all', '--stale');
    expect(stale.stdout + stale.stderr).toContain('nothing was due');
  });

  it('takes no old content for a correction of its own, also where ASIDs are assigned', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'ohlcv-daily/a.csv': bars('2026-01-05', DAY) });
    const night = () => run(home, 'night', feeds, '--assign-symbols');
    expect((await night()).exitCode).toBe(0);
    const corrected = bars(DAY).map((line) => line.replace(',300', ',301'));
    writeFeeds({ 'ohlcv-daily/b.csv': corrected }, feeds);
    expect((await night()).exitCode).toBe(0);
    const old = gzipSync(`${bars(DAY).join('\n')}\n`);
    writeFileSync(join(feeds, 'ohlcv-daily/c.csv.gz'), old);
    const { exitCode, stdout } = await night();
    expect([exitCode, stdout]).toEqual([
      2,
      expect.stringMatching(
        /would have rows again that publication 2 has replaced.*--again eq_daily_ohlc\n/s,
      ),
    ]);
    const again = await run(home, 'night', feeds, '--assign-symbols', '--again', 'eq_daily_ohlc');
    expect(again.exitCode).toBe(0);
    expect(await publishedRows(home, DAILY as string, ['DailyVolume'])).toEqual([['300'], ['300']]);
  });

  it('refuses a file that has its bytes of before a correction again, until told to take it', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'eq_trades/a.csv': trades(10, 11) });
    const night = (...more: string[]) => run(home, 'night', feeds, ...more);
    expect((await night()).exitCode).toBe(0);
    writeFeeds({ 'eq_trades/a.csv': trades(10, 12) }, feeds);
    expect((await night()).exitCode).toBe(0);
    writeFeeds({ 'eq_trades/a.csv': trades(10, 11) }, feeds);
    const stale = await night();
    expect([stale.exitCode, stale.stdout]).toEqual([
      2,
      expect.stringMatching(
        /1 file published before: \S+a\.csv \(publication 1, rows of 2026-01-0\d\); their rows in eq_trades have been replaced/,
      ),
    ]);
    expect(stale.stdout).toContain('--again eq_trades');
    expect(await alertsIn(home)).toHaveLength(1);
    expect(await publishedRows(home, TRADES as string, ['Price'])).toEqual([['10.0'], ['12.0']]);
    writeFeeds({ 'eq_trades/a.csv': trades(10, 12) }, feeds);
    expect((await night()).exitCode).toBe(3);
    const next = [TRADE_HEADER, trade(9, 0, '2026-01-05')];
    writeFeeds({ 'eq_trades/b.csv': next }, feeds);
    expect((await night()).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
    writeFeeds({ 'eq_trades/a.csv': trades(10, 11) }, feeds);
    expect((await night('--again', 'eq_trades')).exitCode).toBe(0);
    const rows = await publishedRows(home, TRADES as string, ['Price']);
    expect(rows).toEqual([['9.0'], ['10.0'], ['11.0']]);
    expect((await night()).exitCode).toBe(3);
  });

  it('names in an alert only the file that the reason names', async () => {
    const home = newHome();
    const feeds = writeFeeds({
      'eq_trades/a.csv': trades(10),
      'own/2026-01-06.csv': bars('2026-01-05'),
    });
    const loads =
      '[{ files: eq_trades, dataset: eq_trades }, { files: own, as: ohlcv-daily, expect: [{ date_in_name: true }] }]';
    writeFileSync(join(feeds, 'night.yaml'), `loads: ${loads}\n`);
    expect((await run(home, 'night', join(feeds, 'night.yaml'))).exitCode).toBe(2);
    const [alert] = await alertsIn(home);
    expect(alert).toContain('own/2026-01-06.csv');
    expect(alert).not.toContain('a.csv');
  });

  it('refuses bytes of before a correction beside a new file of the month', async () => {
    const home = newHome();
    const day = (date: string, volume: number) => [
      'date,symbol,open,high,low,close,volume',
      `${date},BBB,1,2,1,2,${volume}`,
    ];
    const feeds = writeFeeds({ '27.csv': day('2025-12-29', 300) });
    const file = join(home, 'night.yaml');
    writeFileSync(file, `loads: [{ files: ${feeds}, as: ohlcv-daily }]\n`);
    const night = (...more: string[]) => run(home, 'night', ...more);
    expect((await night()).exitCode).toBe(0);
    writeFeeds({ '27.csv': day('2025-12-29', 400) }, feeds);
    expect((await night()).exitCode).toBe(0);
    writeFeeds({ '27.csv': day('2025-12-29', 300), '30.csv': day('2025-12-30', 500) }, feeds);
    const stale = await night();
    expect([stale.exitCode, stale.stdout]).toEqual([
      2,
      expect.stringMatching(
        /1 file published before: \S+27\.csv \(publication 1, rows of 2025\); their rows .* replaced/,
      ),
    ]);
    const ingested = await run(home, 'ingest', '--as', 'ohlcv-daily', feeds);
    expect([ingested.exitCode, ingested.stderr]).toEqual([
      2,
      expect.stringMatching(
        /1 file published before: \S+27\.csv \(publication 1, rows of 2025\); their rows .* replaced/,
      ),
    ]);
    expect(await publishedRows(home, DAILY as string, ['DailyVolume'])).toEqual([['400']]);
    expect((await night('--again', 'eq_daily_ohlc')).exitCode).toBe(0);
    const rows = await publishedRows(home, DAILY as string, ['DailyVolume']);
    expect(rows).toEqual([['300'], ['500']]);
    expect(await alertsIn(home)).toEqual([]);
  });

  it('ends the alert of stale bytes once a night finds those that were published', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'eq_trades/a.csv': trades(10) });
    const night = () => run(home, 'night', feeds);
    await night();
    writeFeeds({ 'eq_trades/a.csv': trades(11) }, feeds);
    await night();
    const next = [TRADE_HEADER, trade(12, 0, '2026-01-05')];
    writeFeeds({ 'eq_trades/a.csv': trades(10), 'eq_trades/b.csv': next }, feeds);
    expect((await night()).exitCode).toBe(2);
    expect(await alertsIn(home)).toHaveLength(1);
    rmSync(join(feeds, 'eq_trades/b.csv'));
    writeFeeds({ 'eq_trades/a.csv': trades(11), 'bars.csv': bars(DAY) }, feeds);
    expect((await night()).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
  });

  it('keeps the alert of a warned file while other files come', async () => {
    const home = newHome();
    mkdirSync(join(home, 'datasets'));
    const shipped = readFileSync(join(SHIPPED_DEFINITIONS, 'eq_secid_chains_lookup.yaml'), 'utf8');
    writeFileSync(join(home, 'datasets', 'chains.yaml'), `${shipped}other_columns: warn\n`);
    const rows = ['ASID,Ticker,StartDate,EndDate,Note', '1,AAA,2020-01-01,2099-12-31,new'];
    const feeds = writeFeeds({ 'eq_secid_chains_lookup/a.csv': rows });
    const night = () => run(home, 'night', feeds);
    expect(await night()).toMatchObject({ exitCode: 0 });
    expect(await alertsIn(home)).toHaveLength(1);
    writeFeeds({ 'bars.csv': bars(DAY) }, feeds);
    expect((await night()).exitCode).toBe(0);
    expect(await alertsIn(home)).toHaveLength(1);
  });

  it('names three of the files with bytes of before a correction, with dates, and notes all', async () => {
    const home = newHome();
    const dates = ['2025-12-29', '2025-12-30', '2025-12-31', '2026-01-02', '2026-01-05'];
    const files = (price: number, ...more: string[]) =>
      Object.fromEntries(
        [...dates.slice(0, 4), ...more].map((date, at) => [
          `eq_trades/${'abcde'[at]}.csv`,
          [TRADE_HEADER, trade(price, at, date)],
        ]),
      );
    const feeds = writeFeeds(files(10));
    for (const price of [10, 11]) {
      writeFeeds(files(price), feeds);
      expect((await run(home, 'night', feeds)).exitCode).toBe(0);
    }
    const stale = writeFeeds(files(10, '2026-01-05'), feeds);
    const { exitCode, stdout } = await run(home, 'night', stale);
    const ingested = await run(home, 'ingest', '--dry-run', 'eq_trades', join(stale, 'eq_trades'));
    const named = /refused: 4 files published before: (.*); their rows in eq_trades/.exec(stdout);
    const texts = named?.[1]?.replaceAll(`${feeds}/eq_trades/`, '');
    expect([exitCode, texts]).toEqual([
      2,
      'a.csv (publication 1, rows of 2025-12-29 to 2026-01-02), b.csv (publication 1, rows of 2025-12-29 to 2026-01-02), c.csv (publication 1, rows of 2025-12-29 to 2026-01-02) and 1 more',
    ]);
    expect(ingested).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${named?.[1]}`),
    });
    // The alert stays while one of them has not come.
    writeFeeds(files(11, '2026-01-05'), feeds);
    rmSync(join(feeds, 'eq_trades/d.csv'));
    expect((await run(home, 'night', feeds)).exitCode).toBe(0);
    expect(await alertsIn(home)).toHaveLength(1);
    writeFeeds(files(12, '2026-01-05'), feeds);
    expect((await run(home, 'night', feeds)).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
  });

  it('refuses bytes of before a correction beside a new file whose rows are added', async () => {
    const home = newHome();
    mkdirSync(join(home, 'recipes'));
    const columns = TRADE_HEADER.split(',').map((name) => `${name}: ${name}`);
    const recipe = ['recipe: added', 'title: Trades.', 'dataset: eq_trades', 'replace: nothing'];
    const text = [...recipe, 'vendor: own files', `columns: { ${columns.join(', ')} }`].join('\n');
    writeFileSync(join(home, 'recipes', 'added.yaml'), `${text}\n`);
    const feeds = writeFeeds({ 'a.csv': trades(10) });
    const night = () => run(home, 'night', feeds, '--as', 'added');
    expect(await night()).toMatchObject({ exitCode: 0, stderr: '' });
    writeFeeds({ 'a.csv': trades(11) }, feeds);
    expect((await night()).exitCode).toBe(0);
    writeFeeds({ 'a.csv': trades(10), 'b.csv': [TRADE_HEADER, trade(12, 3)] }, feeds);
    expect(await night()).toMatchObject({
      exitCode: 2,
      stdout: expect.stringMatching(/a\.csv \(publication 1, rows of /),
    });
  });

  it('publishes nothing if one file is refused, says why of each, and alerts tell of it', async () => {
    const home = newHome();
    const feeds = writeFeeds({
      'eq_daily_ohlc/a.csv': ['TradeDate,Ticker,ClosePrice', `${DAY},BBB,two`],
      'eq_trades/a.csv': trades(10, -11),
      'ohlcv-daily/bars.csv': bars('2026-01-05'),
    });
    await run(home, 'night', feeds, '--derive');
    const { exitCode, stdout, stderr } = await run(home, 'night', feeds, '--derive');
    expect([exitCode, stderr]).toEqual([2, '']);
    expect(shown(stdout)).toContain(
      'nothing was published; refused as publication 2\n\nUS1020 eq_daily_ohlc: 1 new file\n  1 bad row:\n',
    );
    expect(stdout).toContain('  check failed: Price >= 0, which 1 row breaks:\n');
    expect(stdout).toContain('- eq_trades: get a correct file, and run the night again\n');
    for (const id of [TRADES, DAILY, MINUTES]) {
      expect(await publishedRows(home, id as string, ['Ticker'])).toEqual([]);
    }
    expect(await alertsIn(home)).toEqual([
      expect.stringMatching(
        /^load_refused US Equities Trade Only, US Equities Daily OHLC: load 2 was refused, .*\/eq_daily_ohlc\/a\.csv:2: ClosePrice "two"/,
      ),
    ]);
    writeFeeds({ 'eq_trades/a.csv': trades(10, 11) }, feeds);
    writeFeeds({ 'eq_daily_ohlc/a.csv': ['TradeDate,Ticker,ClosePrice', `${DAY},BBB,2`] }, feeds);
    expect((await run(home, 'night', feeds, '--derive')).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
  });

  it('is one alert until the dates of its good files have come as well', async () => {
    const home = newHome();
    const daily = ['TradeDate,Ticker,ClosePrice', `${DAY},BBB,2`];
    const feeds = writeFeeds({
      'eq_daily_ohlc/d.csv': daily,
      'eq_market_holidays/h.csv': ['Date,Holiday', 'soon,New Year'],
      'eq_trades/empty-20260101.csv': [TRADE_HEADER],
    });
    expect((await run(home, 'night', feeds)).exitCode).toBe(2);
    const refused =
      'eq_market_holidays: bad rows: 1, where at most 0 are allowed; first .*/h.csv:2: Date "soon" is not a date .*';
    expect(await alertsIn(home)).toEqual([
      expect.stringMatching(
        `^load_refused US Equities Daily OHLC, US Equities Market Holidays: load 1 .*: ${refused}$`,
      ),
    ]);
    writeFeeds({ 'h2.csv': ['Date,Holiday', '2026-01-01,New Year'] }, feeds);
    await run(home, 'ingest', 'eq_market_holidays', join(feeds, 'h2.csv'));
    expect(await alertsIn(home)).toEqual([
      expect.stringMatching(
        `^load_refused US Equities Daily OHLC: load 1 was refused, .*: ${refused}$`,
      ),
    ]);
    await run(home, 'night', join(feeds, 'eq_daily_ohlc'));
    expect(await alertsIn(home)).toEqual([]);
  });

  it('is one alert until it is acknowledged, also if another dataset brings its dates', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'eq_trades/a.csv': trades(-10), 'ohlcv-daily/a.csv': bars(DAY) });
    await run(home, 'night', feeds, '--derive');
    await run(home, 'night', join(feeds, 'ohlcv-daily'), '--derive');
    expect(await alertsIn(home)).toEqual([
      expect.stringMatching(/ US Equities Trade Only: load 1 of .*a\.csv was refused, and not/),
    ]);
    expect((await run(home, 'publication', 'acknowledge', '1')).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
  });

  it('is refused before it begins where a recipe replaces by what the dataset has not', async () => {
    const home = newHome();
    mkdirSync(join(home, 'recipes'));
    const recipe = `recipe: days
title: T
vendor: V
dataset: eq_market_holidays
replace: identifiers
columns: { Date: day }
`;
    writeFileSync(join(home, 'recipes/days.yaml'), recipe);
    const feeds = writeFeeds({ 'days.csv': ['day', '2026-01-01'] });
    expect(await run(home, 'night', feeds, '--as', 'days')).toMatchObject({
      exitCode: 2,
      stderr: 'ticklake: the rows of eq_market_holidays have no identifiers to be replaced by\n',
    });
    expect(await idsOf(home)).toEqual([]);
  });

  it('publishes nothing of the files if what comes from them is refused', async () => {
    const home = newHome();
    mkdirSync(join(home, 'datasets'), { recursive: true });
    const definition = readFileSync(join(SHIPPED_DEFINITIONS, 'eq_trades_1min.yaml'), 'utf8');
    const strict = definition.replace('    min: 0\n', '    min: 0\n    max: 50\n');
    writeFileSync(join(home, 'datasets', 'strict.yaml'), strict);
    const feeds = writeFeeds({ 'eq_trades/a.csv': trades(10, 11) });
    const { exitCode, stdout } = await run(home, 'night', feeds, '--derive');
    expect([exitCode, stdout]).toEqual([
      2,
      expect.stringContaining('eq_trades_1min: check failed'),
    ]);
    expect(await lastDatasets(home)).toEqual(expect.arrayContaining([TRADES, MINUTES]));
    expect(await publishedRows(home, TRADES as string, ['Ticker'])).toEqual([]);
  });

  it('names the command that loads what loses rows, if that is right', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'eq_trades/a.csv': trades(10, 11, 12) });
    await run(home, 'night', feeds);
    const file = join(writeFeeds({ 'eq_trades/b.csv': trades(10) }), 'eq_trades/b.csv');
    const { exitCode, stdout } = await run(home, 'night', file, '--derive');
    expect(exitCode).toBe(2);
    const command = /, run: ticklake (.*)\n/.exec(stdout)?.[1]?.split(' ') ?? [];
    expect(command).toEqual(['night', file, '--derive', '--allow-loss', 'eq_trades']);
    // The bars, which were not derived, keep the outcome of the night before.
    expect(await lastDatasets(home)).toEqual([TRADES]);
    expect((await run(home, ...command)).exitCode).toBe(0);
    expect((await run(home, 'night', file)).exitCode).toBe(3);
  });

  it('refuses a file that no recipe reads, and loads none of the others', async () => {
    const home = newHome();
    const feeds = writeFeeds({ 'eq_trades/a.csv': trades(10), 'odd.csv': ['a,b', '1,2'] });
    const { exitCode, stdout } = await run(home, 'night', feeds);
    expect([exitCode, shown(stdout)]).toEqual([
      2,
      expect.stringMatching(/odd\.csv: no recipe fits it; found the first line a,b/),
    ]);
    expect(await publishedRows(home, TRADES as string, ['Ticker'])).toEqual([]);
    await run(home, 'night', join(feeds, 'odd.csv'));
    await run(home, 'night', join(feeds, 'odd.csv'));
    expect(await alertsIn(home)).toEqual([
      expect.stringMatching(/^load_refused Load 3 was refused: .*odd\.csv: no recipe fits it/),
      expect.stringMatching(
        /^load_refused .*Trade Only: load 1 was refused, .*: .*odd\.csv: no recipe fits/,
      ),
    ]);
    expect((await run(home, 'night', join(feeds, 'eq_trades'))).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([expect.stringContaining('Load 3 was refused: ')]);
    writeFeeds({ 'odd.csv': bars(DAY) }, feeds);
    expect((await run(home, 'night', join(feeds, 'odd.csv'))).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
    // A good night forgets a file that somebody has taken out.
    const odd = writeFeeds({ 'odd.csv': ['a,b', '1,2'] });
    expect((await run(home, 'night', odd)).exitCode).toBe(2);
    rmSync(join(odd, 'odd.csv'));
    expect(await alertsIn(home)).toEqual([expect.stringContaining('odd.csv: no recipe fits it')]);
    const good = writeFeeds({ 'eq_trades/b.csv': trades(10, 11) });
    expect((await run(home, 'night', good)).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual([]);
  });

  it('keeps alerts of files that are still there, or that a watch has moved', async () => {
    const home = newHome();
    const odd = { 'auto/odd.csv': ['a,b', '1,2'] };
    const [moved, away] = [writeFeeds(odd), writeFeeds(odd)];
    expect((await run(home, 'watch', moved, '--once')).stdout).toContain('1 refused');
    expect(existsSync(join(moved, 'auto/odd.csv'))).toBe(false);
    expect((await run(home, 'night', away)).exitCode).toBe(2);
    renameSync(away, `${away}-unmounted`);
    const alerts = [1, 2].map((id) => expect.stringContaining(`Load ${id} was refused: `));
    expect(await alertsIn(home)).toEqual(expect.arrayContaining(alerts));
    const good = writeFeeds({ 'eq_trades/a.csv': trades(10) });
    expect((await run(home, 'night', good)).exitCode).toBe(0);
    expect(await alertsIn(home)).toEqual(expect.arrayContaining(alerts));
  });
});

describe('the file of a night', () => {
  const FILE = `
loads:
  - files: "trades/*.csv"
    dataset: eq_trades
    vendor: Our own feed
    expect: [{ usual_percent_min: 70 }]
  - files: bars/*.csv
    as: ohlcv-daily
assign_symbols: true
derive: true
`;
  const history = ['2025-12-30', '2025-12-31', '2026-01-02', '2026-01-05'];
  const tradesOf = (...dates: readonly string[]) => [
    TRADE_HEADER,
    ...dates.flatMap((date) => [0, 1, 2, 3].map((second) => trade(10, second, date))),
  ];

  /** A home after its first night; each test has a copy. */
  const afterNight = newHome();
  beforeAll(async () => {
    writeFeeds({ 'trades/a.csv': tradesOf(...history), 'night.yaml': [FILE] }, afterNight);
    const { exitCode, stdout, stderr } = await run(afterNight, 'night');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('US1020 eq_daily_ohlc: no new file\n');
  });
  const homeAfterNight = () => {
    const home = newHome();
    cpSync(afterNight, home, { recursive: true });
    return home;
  };

  it('is in the home unless another is named, and its expectations hold for new files', async () => {
    const home = homeAfterNight();
    writeFeeds({ 'trades/b.csv': trades(10) }, home);
    const short = await run(home, 'night', join(home, 'night.yaml'));
    expect([short.exitCode, short.stdout]).toEqual([
      2,
      expect.stringContaining(
        '  2026-01-06: 1 row, 25% of the usual 4\n  check failed: a date has at least 70% of its usual rows; found 1 row on 2026-01-06, where 4 are usual\n',
      ),
    ]);
    const allowed = await run(home, 'night', '--allow-loss', 'eq_trades', '--again', 'US1001');
    expect([allowed.exitCode, allowed.stdout]).toEqual([
      2,
      expect.stringContaining('check failed: a date has at least 70% of its usual rows'),
    ]);
    writeFeeds({ 'trades/b.csv': tradesOf(DAY) }, home);
    const whole = await run(home, 'night', '--json');
    const { loads, late, waiting } = JSON.parse(whole.stdout);
    expect(loads).toMatchObject([
      { text_id: 'eq_trades', dates: [{ date: DAY, row_count: 4, usual_row_count: 4 }] },
    ]);
    expect([late, waiting]).toEqual([[], ['eq_daily_ohlc']]);
    const { stdout } = await run(home, 'publication', 'list', '--json');
    expect(JSON.parse(stdout).data[0]).toMatchObject({ command: 'night', state: 'published' });
  });

  it('tells what is late, by exit code 2', async () => {
    const home = homeAfterNight();
    const { exitCode, stdout } = await runByClock(
      fixedClock('2026-01-08T12:00:00Z'),
      home,
      'night',
    );
    expect([exitCode, stdout]).toEqual([
      2,
      expect.stringContaining('late: eq_trades: rows of 2026-01-06 have not come\n'),
    ]);
  });

  it('is refused with the line of each fault', async () => {
    const home = newHome();
    const file = join(home, 'night.yaml');
    writeFileSync(file, 'loads:\n  - { files: a.csv, as: x, dataset: eq_taq }\nderived: true\n');
    const { exitCode, stderr } = await run(home, 'night');
    expect([exitCode, stderr.replaceAll(`${home}/`, '')]).toEqual([
      2,
      expect.stringContaining('night.yaml:3: derived is not a field; legal fields: loads'),
    ]);
    writeFileSync(file, 'loads:\n  - { files: a.csv, as: x, dataset: eq_taq }\n');
    expect((await run(home, 'night')).stderr).toContain(':2: loads[0] must have as or dataset');
    writeFileSync(file, 'loads:\n  - { files: a.csv, as: x }\n');
    expect((await run(home, 'night')).stderr).toContain('there is no recipe x');
  });
});
