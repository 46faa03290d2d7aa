import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import {
  type Arrival,
  arrivalMark,
  arrivalsIn,
  Settling,
} from '../../src/ingest/watch/arrivals.ts';
import { type Ended, Watcher } from '../../src/ingest/watch/watcher.ts';
import { tryLockFile } from '../../src/installed.ts';
import {
  newFolder,
  publishedRows,
  runByClock,
  runCommand,
  runUntil,
} from '../command-line/run-command.ts';
import { eventually } from '../eventually.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const EQ_TAQ = 'US1032';
const HEADER = 'Price,TradeDate,Ticker,EventDateTime';
const textOf = (price: number, day = '2024-03-11') =>
  `${HEADER}\n${price},${day},AAPL,${day}T09:30:00\n`;

let count = 0;
const newPath = (name: string) => join(folder.path, `${name}-${count++}`);

function watchedFolder(files: Readonly<Record<string, string>>): string {
  const directory = newPath('watched');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(directory, name)).isFile() && !name.endsWith('.lock'))
    .sort();
const watchOnce = (home: string, directory: string, ...words: string[]) =>
  runCommand(home, 'watch', directory, '--once', ...words);
const reportIn = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

test('arrivals are loaded in order of name and put away with their reports', async () => {
  const home = newPath('home');
  const directory = watchedFolder({
    'eq_taq/b.csv': textOf(2),
    'eq_taq/a.csv': textOf(1),
    'eq_taq/c/1.csv': textOf(3, '2024-03-12'),
    'eq_taq/c/2.csv': textOf(4, '2024-03-13'),
    'eq_taq/d.csv': textOf(5).replace('5,', 'five,'),
    'eq_taq/e.csv': `${HEADER}\n`,
    'eq_taq/f.csv': `Prise\n1\n`,
    'eq_taq/g.csv.part': textOf(6),
    'eq_taq/.h.csv': textOf(7),
    'nothing/i.csv': textOf(8),
  });
  const output = await watchOnce(home, directory);
  expect([output.exitCode, output.stdout]).toEqual([0, '4 loaded, 2 refused\n']);
  expect(filesIn(directory)).toEqual([
    'eq_taq/.h.csv',
    'eq_taq/done/a.csv',
    'eq_taq/done/a.csv.report.json',
    'eq_taq/done/b.csv',
    'eq_taq/done/b.csv.report.json',
    'eq_taq/done/c.report.json',
    'eq_taq/done/c/1.csv',
    'eq_taq/done/c/2.csv',
    'eq_taq/done/e.csv',
    'eq_taq/done/e.csv.report.json',
    'eq_taq/g.csv.part',
    'eq_taq/refused/d.csv',
    'eq_taq/refused/d.csv.report.json',
    'eq_taq/refused/f.csv',
    'eq_taq/refused/f.csv.report.json',
    'nothing/i.csv',
  ]);
  const dataset = join(directory, 'eq_taq');
  expect(reportIn(join(dataset, 'done/b.csv.report.json'))).toMatchObject({
    is_published: true,
    version: 2,
    files: [join(dataset, 'b.csv')],
    sources: [{ name: join(dataset, 'b.csv'), byte_count: textOf(2).length }],
  });
  expect(reportIn(join(dataset, 'done/c.report.json'))).toMatchObject({ version: 3, row_count: 2 });
  expect(reportIn(join(dataset, 'done/e.csv.report.json'))).toMatchObject({ is_published: false });
  expect(reportIn(join(dataset, 'refused/d.csv.report.json')).bad_values).toMatchObject([
    { file: join(dataset, 'd.csv'), line: 2, column: 'Price', value: 'five' },
  ]);
  expect(reportIn(join(dataset, 'refused/f.csv.report.json'))).toEqual({
    error: expect.stringContaining(
      `${join(dataset, 'f.csv')}: line 1: eq_taq has no column "Prise"`,
    ),
  });
  expect(output.stderr).toContain(`refused ${join(dataset, 'd.csv')}: 1 bad row:`);
  expect(output.stderr).toContain(
    `${join(directory, 'nothing')} is not a folder named after a dataset`,
  );
  expect((await publishedRows(home, EQ_TAQ, ['Price'])).flat()).toEqual(['2.0', '3.0', '4.0']);
});

const DAILY = 'US1020';
const barsOf = (ticker: string) =>
  `date,symbol,open,high,low,close,volume\n2024-03-11,${ticker},1,2,1,2,30\n`;

test('folders named after a recipe, or auto, are read by it, and others by their datasets', async () => {
  const home = newPath('home');
  const directory = watchedFolder({
    'ohlcv-daily/a.csv': barsOf('AAA'),
    'auto/b.csv': barsOf('AAA').replace('03-11', '03-12'),
    'auto/odd.csv': 'x,y\n1,2\n',
    'eq_taq/c.csv': textOf(1),
  });
  const output = await watchOnce(home, directory);
  expect([output.exitCode, output.stdout]).toEqual([0, '3 loaded, 1 refused\n']);
  expect(output.stderr).toContain(`${join(directory, 'auto/odd.csv')}: no recipe fits it`);
  expect(filesIn(directory).filter((name) => name.endsWith('.csv'))).toEqual([
    'auto/done/b.csv',
    'auto/refused/odd.csv',
    'eq_taq/done/c.csv',
    'ohlcv-daily/done/a.csv',
  ]);
  const alerts = async () => (await runCommand(home, 'alerts')).stdout;
  expect(await alerts()).toContain(`was refused: ${join(directory, 'auto/odd.csv')}: no recipe`);
  writeFileSync(join(directory, 'auto/odd.csv'), barsOf('AAA').replace('03-11', '03-13'));
  expect((await watchOnce(home, directory)).stdout).toBe('1 loaded, 0 refused\n');
  expect(await alerts()).not.toContain('odd.csv');
  const rows = await publishedRows(home, DAILY, ['TradeDate', 'Ticker']);
  expect(rows).toEqual([
    ['2024-03-11', 'AAA'],
    ['2024-03-12', 'AAA'],
    ['2024-03-13', 'AAA'],
  ]);
});

test('with --as the files lie in the folder itself', async () => {
  const home = newPath('home');
  const directory = watchedFolder({ 'a.csv': barsOf('AAA') });
  const refused = await watchOnce(home, directory, '--as', 'no-such');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('there is no recipe no-such'),
  ]);
  const output = await watchOnce(home, directory, '--as', 'auto');
  expect([output.exitCode, output.stdout]).toEqual([0, '1 loaded, 0 refused\n']);
  expect(filesIn(directory)).toEqual(['done/a.csv', 'done/a.csv.report.json']);
  expect(await publishedRows(home, DAILY, ['Ticker'])).toEqual([['AAA']]);
});

/** A watch that goes on until it is ended, and then resolves to what it said. */
function startWatch(home: string, directory: string) {
  const end = new AbortController();
  const watching = runUntil(end.signal, home, [], 'watch', directory, '--settle', '0');
  const bring = async (name: string, text: string) => {
    const path = join(directory, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(`${path}.part`, text);
    renameSync(`${path}.part`, path);
    const isIn = (result: string) => existsSync(join(path, '..', result, basename(path)));
    return await eventually(() => {
      const result = ['done', 'refused'].find(isIn);
      expect(result).toBeDefined();
      return result;
    });
  };
  const stop = async () => {
    end.abort();
    return (await watching).stderr;
  };
  return { bring, stop };
}

/** The recipe `own-bars` of daily bars, with that rule for their volume. */
const ownBars = (volume: string) =>
  readFileSync('datasets/recipes/ohlcv-daily.yaml', 'utf8')
    .replace('ohlcv-daily', 'own-bars')
    .replace('DailyVolume: volume', volume);

const barsOn = (day: string) => barsOf('AAA').replace('03-11', day);

/** A watch of a home with the recipe `own-bars`, which lies in `own`. */
function watchOwnBars(folderOf = (home: string) => join(home, 'recipes')) {
  const [home, directory] = [newPath('home'), newPath('watched')];
  mkdirSync(home);
  const recipes = folderOf(home);
  mkdirSync(recipes, { recursive: true });
  mkdirSync(directory);
  const own = join(recipes, 'own.yaml');
  writeFileSync(own, ownBars('DailyVolume: volume'));
  return { home, own, ...startWatch(home, directory) };
}

test('a changed recipe behind links applies from the next file on, whatever lies beside it', async () => {
  const { home, own, bring, stop } = watchOwnBars((home) => {
    const elsewhere = newPath('recipes');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(home, 'recipes'));
    for (const name of ['.own.yaml.swp', 'own.yaml~']) writeFileSync(join(elsewhere, name), '');
    const linked = newPath('linked.yaml');
    symlinkSync(linked, join(elsewhere, 'own.yaml'));
    return elsewhere;
  });
  expect(await bring('own-bars/a.csv', barsOf('AAA'))).toBe('done');
  writeFileSync(own, ownBars('MarketHoursVolume: volume'));
  expect(await bring('own-bars/b.csv', barsOn('03-12'))).toBe('done');
  await stop();
  expect(await publishedRows(home, DAILY, ['MarketHoursVolume'])).toEqual([[null], ['30']]);
});

test('a recipe that becomes faulty, or cannot be read, is used as it was, and its fault said once', async () => {
  const { home, own, bring, stop } = watchOwnBars();
  expect(await bring('own-bars/a.csv', barsOf('AAA'))).toBe('done');
  writeFileSync(own, ownBars('Volumes: volume'));
  expect(await bring('own-bars/b.csv', barsOn('03-12'))).toBe('done');
  expect(await bring('own-bars/c.csv', barsOn('03-13'))).toBe('done');
  writeFileSync(own, 'recipe: [');
  expect(await bring('own-bars/torn.csv', barsOn('03-18'))).toBe('done');
  rmSync(own);
  symlinkSync(`${own}.lacking`, own);
  expect(await bring('own-bars/d.csv', barsOn('03-14'))).toBe('done');
  writeFileSync(own, ownBars('MarketHoursVolume: volume'));
  expect(await bring('own-bars/e.csv', barsOn('03-15'))).toBe('done');
  const said = (await stop()).split('\n').filter((line) => line.includes('still using'));
  expect(said).toEqual([
    expect.stringMatching(/still using .*own\.yaml:\d+: columns\.Volumes is no column of/),
    expect.stringMatching(/still using .*own\.yaml:1/),
    expect.stringMatching(/still using .*own\.yaml does not exist/),
  ]);
  const rows = await publishedRows(home, DAILY, ['MarketHoursVolume']);
  expect(rows).toEqual([[null], [null], [null], [null], ['30'], [null]]);
});

test('a new recipe that is faulty is named, and does not hold back others', async () => {
  const { home, own, bring, stop } = watchOwnBars();
  expect(await bring('own-bars/a.csv', barsOf('AAA'))).toBe('done');
  writeFileSync(join(own, '../torn.yaml'), 'recipe: [');
  writeFileSync(own, ownBars('MarketHoursVolume: volume'));
  expect(await bring('own-bars/b.csv', barsOn('03-12'))).toBe('done');
  expect(await stop()).toMatch(/the recipe torn is left out: .*torn\.yaml:1/);
  expect(await publishedRows(home, DAILY, ['MarketHoursVolume'])).toEqual([[null], ['30']]);
});

test('a new definition applies from the next file on, and an illegal one changes nothing', async () => {
  const [home, directory] = [newPath('home'), newPath('watched')];
  mkdirSync(directory);
  const { bring, stop } = startWatch(home, directory);
  expect(await bring('eq_taq/a.csv', textOf(1))).toBe('done');
  const definition = readFileSync('datasets/eq_taq.yaml', 'utf8');
  const own = definition.replace(EQ_TAQ, 'US9032').replaceAll(/eq([_-])taq/g, 'own$1taq');
  mkdirSync(join(home, 'datasets'));
  writeFileSync(join(home, 'datasets/own.yaml'), own);
  expect(await bring('own_taq/b.csv', textOf(2))).toBe('done');
  writeFileSync(join(home, 'datasets/own.yaml'), own.replace('id: US9032', 'id: 7'));
  expect(await bring('own_taq/c.csv', textOf(3, '2024-03-12'))).toBe('done');
  expect(await stop()).toMatch(
    /still using the earlier definitions and recipes: .*own\.yaml.* id must be/,
  );
  expect((await publishedRows(home, EQ_TAQ, ['Price'])).flat()).toEqual(['1.0']);
});

test('one look with a time to settle loads what stays as it is for so long, and leaves the rest', async () => {
  const [home, directory] = [newPath('home'), watchedFolder({ 'eq_taq/a.csv': textOf(1) })];
  const growing = join(directory, 'eq_taq/b.csv');
  writeFileSync(growing, `${HEADER}\n`);
  let nowMs = Date.parse('2025-06-20T16:00:00Z');
  // The file has grown whenever anybody looks at it.
  const now = () => {
    appendFileSync(growing, '\n');
    nowMs += 400;
    return nowMs;
  };
  const words = ['watch', directory, '--once', '--settle', '1'];
  expect(await runByClock({ now }, home, ...words)).toMatchObject({
    exitCode: 0,
    stdout: '1 loaded, 0 refused\n',
  });
  expect(filesIn(directory)).toEqual([
    'eq_taq/b.csv',
    'eq_taq/done/a.csv',
    'eq_taq/done/a.csv.report.json',
  ]);
});

test('a name that comes again is put away under another one', async () => {
  const [home, directory] = [newPath('home'), watchedFolder({ 'US1032/a.csv': textOf(1) })];
  await watchOnce(home, directory);
  writeFileSync(join(directory, 'US1032/a.csv'), textOf(2));
  await watchOnce(home, directory, '--append');
  expect(filesIn(directory)).toEqual([
    'US1032/done/a-2.csv',
    'US1032/done/a-2.csv.report.json',
    'US1032/done/a.csv',
    'US1032/done/a.csv.report.json',
  ]);
  expect((await publishedRows(home, EQ_TAQ, ['Price'])).flat()).toEqual(['1.0', '2.0']);
});

test('a refusal says the option that would lift it, and its report the name of that', async () => {
  const [home, directory] = [newPath('home'), watchedFolder({ 'eq_taq/a.csv': textOf(1) })];
  await watchOnce(home, directory, '--append');
  writeFileSync(join(directory, 'eq_taq/a.csv'), textOf(1));
  const { stderr } = await watchOnce(home, directory, '--append');
  expect(stderr).toContain('has all of these rows already; --again loads them once more');
  expect(reportIn(join(directory, 'eq_taq/refused/a.csv.report.json'))).toEqual({
    error: expect.stringMatching(/has all of these rows already$/),
    allowed_by: 'again',
  });
});

test('a load that was published before its process was killed is not repeated', async () => {
  const [home, directory] = [newPath('home'), watchedFolder({ 'eq_taq/a.csv': textOf(1) })];
  const dataset = join(directory, 'eq_taq');
  const [{ mark }] = arrivalsIn(dataset) as [Arrival];
  const note = {
    name: 'a.csv',
    mark,
    startedAtMs: Date.parse('2025-06-20T15:59:00Z'),
    ended: null,
  };
  await runCommand(home, 'ingest', 'eq_taq', join(dataset, 'a.csv'));
  writeFileSync(join(dataset, '.ticklake-load.json'), JSON.stringify(note));
  const output = await watchOnce(home, directory, '--append');
  expect(output.stderr).toContain('a.csv: was published before the watch ended');
  expect(reportIn(join(dataset, 'done/a.csv.report.json'))).toMatchObject({ is_published: true });
  expect(filesIn(directory)).toEqual(['eq_taq/done/a.csv', 'eq_taq/done/a.csv.report.json']);
  expect((await publishedRows(home, EQ_TAQ, ['Price'])).flat()).toEqual(['1.0']);
});

test('a load that came to nothing before its process was killed is repeated', async () => {
  const [home, directory] = [newPath('home'), watchedFolder({ 'eq_taq/a.csv': textOf(1) })];
  const dataset = join(directory, 'eq_taq');
  const [{ mark }] = arrivalsIn(dataset) as [Arrival];
  const earlier = newPath('earlier');
  writeFileSync(earlier, textOf(1));
  await runCommand(home, 'ingest', 'eq_taq', earlier);
  // An earlier command loaded the same bytes, but not since this load began.
  const note = {
    name: 'a.csv',
    mark,
    startedAtMs: Date.parse('2025-06-20T16:00:01Z'),
    ended: null,
  };
  writeFileSync(join(dataset, '.ticklake-load.json'), JSON.stringify(note));
  await watchOnce(home, directory, '--append', '--again');
  expect((await publishedRows(home, EQ_TAQ, ['Price'])).flat()).toEqual(['1.0', '1.0']);
});

test.each([
  [['watch'], /ticklake watch takes <dir>, but was given nothing/],
  [['watch', 'missing'], /missing does not exist; check the path/],
  [['watch', '.', '--settle', 'x'], /--settle must be a whole number from 0 to 99999, not x/],
])('the words %j are refused', async (words, message) => {
  const output = await runCommand(newPath('home'), ...words);
  expect(output.stderr).toMatch(message);
  expect(output.exitCode).toBe(2);
});

test('a second process does not watch the same folder', async () => {
  const directory = watchedFolder({ 'eq_taq/a.csv': textOf(1) });
  const lock = tryLockFile(join(directory, '.ticklake-watch.lock'));
  const output = await watchOnce(newPath('home'), directory);
  lock?.release();
  expect(output.stderr).toContain(`another ticklake watch already watches ${directory}`);
  expect(existsSync(join(directory, 'eq_taq/a.csv'))).toBe(true);
});

test('a changing arrival has to settle, and arrivals behind it wait', () => {
  const settling = new Settling(5000);
  const [a, b] = ['a', 'b'].map((name) => ({ name, path: `/x/${name}`, mark: '1' })) as [
    Arrival,
    Arrival,
  ];
  const settled = (arrivals: Arrival[], nowMs: number) =>
    settling.settled('/x', arrivals, nowMs).map(({ name }) => name);
  expect(settled([a, b], 0)).toEqual([]);
  expect(settled([a, b], 4999)).toEqual([]);
  expect(settled([{ ...a, mark: '2' }, b], 5000)).toEqual([]);
  expect(settled([{ ...a, mark: '2' }, b], 9999)).toEqual([]);
  expect(settled([{ ...a, mark: '2' }, b], 10_000)).toEqual(['a', 'b']);
  expect(settled([b], 10_000)).toEqual(['b']);
  expect(settled([a, b], 10_001)).toEqual([]);
});

test('a folder is unfinished while one of its files is, and changes with them', () => {
  const directory = watchedFolder({ 'day/a.csv': '1', 'day/b.csv': '2' });
  const day = join(directory, 'day');
  const mark = arrivalMark(day);
  writeFileSync(join(day, 'c.csv.tmp'), '3');
  expect(arrivalMark(day)).toBeNull();
  renameSync(join(day, 'c.csv.tmp'), join(day, 'c.csv'));
  expect(arrivalMark(day)).not.toBe(mark);
  expect(arrivalsIn(directory).map(({ name }) => name)).toEqual(['day']);
});

/** A watcher of one folder, whose loads the test decides. */
function watcherOf(directory: string, load: (arrival: Arrival) => Promise<Ended>) {
  const clock = fixedClock('2025-06-20T16:00:00Z');
  const said: string[] = [];
  const watcher = new Watcher({
    clock,
    settleMs: 0,
    folders: () => [{ path: directory, as: EQ_TAQ }],
    load: (_as, arrival) => load(arrival),
    endOf: async () => null,
    onFailure: (text) => said.push(text),
  });
  return { watcher, clock, said };
}

test('after a failure that is not the fault of a file, it stays and is tried again in a minute', async () => {
  const directory = join(watchedFolder({ 'x/a.csv': '1', 'x/b.csv': '2' }), 'x');
  const loaded: string[] = [];
  const { watcher, clock, said } = watcherOf(directory, async ({ name }) => {
    loaded.push(name);
    if (loaded.length === 1) throw new Error('the disk is full');
    return { result: 'done', reportText: '{}' };
  });
  const { signal } = new AbortController();
  await watcher.pass(signal);
  await watcher.pass(signal);
  expect(loaded).toEqual(['a.csv']);
  expect(said).toEqual([`${directory}: the disk is full; will be tried again in a minute`]);
  clock.set('2025-06-20T16:01:00Z');
  await watcher.pass(signal);
  expect([loaded, watcher.counts]).toEqual([['a.csv', 'a.csv', 'b.csv'], { done: 2, refused: 0 }]);
});

test('a load that is interrupted leaves its file where it is, and no other one begins', async () => {
  const directory = join(watchedFolder({ 'x/a.csv': '1', 'x/b.csv': '2' }), 'x');
  const controller = new AbortController();
  const loaded: string[] = [];
  const { watcher, said } = watcherOf(directory, async ({ name }) => {
    loaded.push(name);
    controller.abort();
    throw new Error('interrupted');
  });
  await watcher.pass(controller.signal);
  expect([loaded, said, filesIn(directory)]).toEqual([
    ['a.csv'],
    [],
    ['.ticklake-load.json', 'a.csv', 'b.csv'],
  ]);
});

test('a file overwritten during its load is another arrival', async () => {
  const directory = join(watchedFolder({ 'x/a.csv': '1' }), 'x');
  const { watcher } = watcherOf(directory, async ({ path }) => {
    writeFileSync(path, 'other');
    return { result: 'refused', reportText: '{}' };
  });
  await watcher.pass(new AbortController().signal);
  expect(filesIn(directory)).toEqual(['a.csv', 'refused/a.csv.report.json']);
});
