/** Further datasets are no part of a home until a person or a load adds them. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { FURTHER_DEFINITIONS, SHIPPED_DEFINITIONS } from '../../src/base/installation.ts';
import { definitionPaths, furtherCatalog, loadCatalog } from '../../src/catalog/load-catalog.ts';
import { openCatalog } from '../../src/open-services.ts';
import { newFolder, publishedRows, runCommand, runUntil } from '../command-line/run-command.ts';
import { openTestService } from '../harness.ts';
import { adminKey } from '../ingest/admin-key.ts';
import { filesOf, recipeOf, shipped } from './shipped-samples.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const NAME = 'idx_trades_1min';
const SHIPPED = join(FURTHER_DEFINITIONS, `${NAME}.yaml`);
const FILES = filesOf('firstrate-indices-minute');
const ADDED = (home: string) =>
  `Added the dataset ${NAME}: ${join(home, 'datasets', `${NAME}.yaml`)}. If a server is running, run ticklake definitions reload`;

let homeCount = 0;

function newHome(): string {
  const home = join(folder.path, `home-${homeCount++}`);
  mkdirSync(home);
  return home;
}

const definitionsOf = (home: string) =>
  existsSync(join(home, 'datasets')) ? readdirSync(join(home, 'datasets')) : [];
const rowsOf = (home: string) => publishedRows(home, 'US8001', ['Ticker', 'ClosePrice']);

it('files are named after further datasets, which clash with no others', () => {
  const named = furtherCatalog().datasets.map(({ textId }) => `${textId}.yaml`);
  const files = definitionPaths(FURTHER_DEFINITIONS).map((path) => basename(path));
  expect(files).toEqual(named.toSorted());
  const { datasets } = loadCatalog([SHIPPED_DEFINITIONS, FURTHER_DEFINITIONS]);
  expect(datasets).toHaveLength(definitionPaths(SHIPPED_DEFINITIONS).length + files.length);
});

it('further datasets offer all values that recipes read into them', () => {
  const further = furtherCatalog();
  const missing = shipped.flatMap((name) => {
    const { dataset, rowRules } = recipeOf(name);
    if (!further.byTextId(dataset.textId)) return [];
    return rowRules.flatMap((row) =>
      [...row].flatMap(([column, { table = {}, constant = '' }]) => {
        const { values } = dataset.columnByName.get(column) ?? {};
        const read = [constant, ...Object.values(table)].filter((text) => text !== '');
        return read.filter((text) => values && !values.includes(text)).map((text) => [name, text]);
      }),
    );
  });
  expect(missing).toEqual([]);
});

it('looking at files adds nothing to the home, and no home has them from the start', async () => {
  const home = newHome();
  for (const words of [
    ['recipe', 'list'],
    ['recipe', 'show', 'firstrate-indices-minute'],
    ['recipe', 'explain', FILES[0] ?? ''],
    ['recipe', 'test', ...FILES],
    ['ingest', '--as', 'auto', '--dry-run', ...FILES],
  ]) {
    expect(await runCommand(home, ...words)).toMatchObject({ exitCode: 0, stderr: '' });
  }
  expect(definitionsOf(home)).toEqual([]);
  expect(openCatalog(home).datasets).toHaveLength(definitionPaths(SHIPPED_DEFINITIONS).length);
});

it.each([
  ['ingest', (file: string) => ['ingest', '--as', 'auto', file]],
  ['watch', (file: string) => ['watch', '--as', 'auto', '--once', dirname(file)]],
  ['night', (file: string) => ['night', '--as', 'firstrate-indices-minute', file]],
])('%s adds the dataset that its files need, once', async (_command, wordsOf) => {
  const home = newHome();
  const [first = '', second = ''] = FILES.map((file) => {
    const path = join(home, basename(file, '.txt'), basename(file));
    mkdirSync(dirname(path));
    copyFileSync(file, path);
    return path;
  });
  const loaded = await runCommand(home, ...wordsOf(first));
  expect([loaded.exitCode, loaded.stderr]).toEqual([0, expect.stringContaining(ADDED(home))]);
  expect(readFileSync(join(home, 'datasets', `${NAME}.yaml`), 'utf8')).toContain(
    `\nadds: ${NAME}\n`,
  );
  const again = await runCommand(home, ...wordsOf(second));
  expect(again.exitCode).toBe(0);
  expect(again.stderr).not.toContain('Added');
  expect(await rowsOf(home)).toHaveLength(9);
});

it('a load that is refused leaves a sound home', async () => {
  const home = newHome();
  const file = join(home, 'SPX_full_1min.txt');
  writeFileSync(file, '2024-03-11 09:30:00,5111.96,5112.88,5113.10,5110.1\n');
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'auto', file);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('LowPrice <= HighPrice')]);
  expect((await runCommand(home, 'ingest', '--as', 'auto', ...FILES)).exitCode).toBe(0);
});

it('dataset add writes the definitions, and only those that are wanted', async () => {
  const home = newHome();
  const plain = await runCommand(home, 'ingest', NAME, ...FILES);
  const next = expect.stringContaining(`no dataset ${NAME}; ticklake dataset add ${NAME} adds it`);
  expect([plain.exitCode, plain.stderr]).toEqual([2, next]);
  const added = await runCommand(home, 'dataset', 'add', NAME);
  expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(ADDED(home)) });
  expect(definitionsOf(home)).toEqual([`${NAME}.yaml`]);
});

it.each([
  ['an unknown one', ['idx_trades_1min', 'eq_taq'], null, 'dataset add takes ', 'not eq_taq'],
  ['one that is there', [NAME], NAME, 'the home has a dataset idx_trades_1min already', ''],
  ['one whose id is taken', [NAME], 'my_indices', 'cannot be added: there is my_indices', ''],
])('dataset add refuses %s, and writes nothing', async (_which, names, own, ...messages) => {
  const home = newHome();
  mkdirSync(join(home, 'datasets'));
  const text = readFileSync(SHIPPED, 'utf8').replace(NAME, own ?? '');
  if (own) writeFileSync(join(home, 'datasets/own.yaml'), text);
  const before = definitionsOf(home);
  const { exitCode, stderr } = await runCommand(home, 'dataset', 'add', ...names);
  expect(exitCode).toBe(2);
  for (const message of messages) expect(stderr).toContain(message);
  expect(definitionsOf(home)).toEqual(before);
});

it.each([
  ['no file of that name', `${NAME}.yaml`, `cannot be added: there is `],
  ['no path of another dataset', 'mine.yaml', 'variant none is already used at'],
])('%s is replaced', async (_what, name, message) => {
  const home = newHome();
  mkdirSync(join(home, 'datasets'));
  const own = readFileSync(SHIPPED, 'utf8').replace(NAME, 'mine').replace('US8001', 'US9001');
  writeFileSync(join(home, 'datasets', name), own);
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'auto', ...FILES);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(definitionsOf(home)).toEqual([name]);
  expect(readFileSync(join(home, 'datasets', name), 'utf8')).toBe(own);
});

it("a dataset that was added can be widened, and gives way to the home's own definition", async () => {
  const home = newHome();
  const [bars = ''] = filesOf('firstrate-futures-continuous');
  await runCommand(home, 'ingest', '--as', 'auto', bars);
  await runCommand(home, 'dataset', 'add', NAME);
  const bar = () => openCatalog(home).byTextId('fut_cont_trades_1min');
  expect(bar()?.columnByName.get('TotalQuantity')?.dataType).toBe('integer');
  const widened = await runCommand(home, 'dataset', 'widen', 'fut_cont_trades_1min');
  expect(widened).toMatchObject({ exitCode: 0 });
  expect(bar()?.columnByName.get('TotalQuantity')).toMatchObject({ dataType: 'decimal', scale: 6 });
  const own = readFileSync(SHIPPED, 'utf8').replace('US8001', 'US9001');
  writeFileSync(join(home, 'datasets/own.yaml'), own);
  expect(openCatalog(home).byTextId(NAME)?.datasetId).toBe('US9001');
  expect(openCatalog(home).byId('US8001')).toBeUndefined();
});

it('files of the home can add further datasets alone', () => {
  const home = newHome();
  mkdirSync(join(home, 'datasets'));
  const file = join(home, 'datasets/own.yaml');
  writeFileSync(file, 'adds: eq_taq\n');
  expect(openCatalog(home).datasets).toHaveLength(definitionPaths(SHIPPED_DEFINITIONS).length);
  writeFileSync(file, 'adds: eq_tak\n');
  const message = `${file}:1: adds eq_tak is no further dataset`;
  expect(() => openCatalog(home)).toThrow(message);
});

it('a watch loads into a dataset that somebody has added since it began', async () => {
  const home = newHome();
  const inbox = join(home, 'inbox');
  mkdirSync(inbox);
  const [minutes = ''] = FILES;
  const [listed = ''] = filesOf('nasdaq-listed');
  const bring = async (file: string) => {
    copyFileSync(file, join(home, basename(file)));
    renameSync(join(home, basename(file)), join(inbox, basename(file)));
    const ended = () =>
      ['done', 'refused'].filter((end) => existsSync(join(inbox, end, basename(file))));
    await expect.poll(ended, { timeout: 60_000 }).not.toEqual([]);
    return ended();
  };
  const end = new AbortController();
  const words = ['watch', '--as', 'auto', '--settle', '0', inbox];
  const watching = runUntil(end.signal, home, [], ...words);
  expect(await bring(listed)).toEqual(['done']);
  expect(await runCommand(home, 'dataset', 'add', NAME)).toMatchObject({ exitCode: 0 });
  expect(await bring(minutes)).toEqual(['done']);
  end.abort();
  expect((await watching).stderr).not.toContain(`Added the dataset ${NAME}`);
  expect(await rowsOf(home)).not.toHaveLength(0);
});

it('a night with a dataset that cannot be added tells of its other loads too', async () => {
  const home = newHome();
  mkdirSync(join(home, 'datasets'));
  const text = readFileSync(SHIPPED, 'utf8').replace(NAME, 'my_indices');
  writeFileSync(join(home, 'datasets/own.yaml'), text);
  const [minutes = ''] = FILES;
  const [listed = ''] = filesOf('nasdaq-listed');
  const refused = await runCommand(home, 'night', minutes, listed);
  const { exitCode, stdout, stderr } = refused;
  expect([exitCode, stdout]).toEqual([
    2,
    expect.stringContaining(`refused: ${minutes}: ${NAME} (US8001) cannot be added: there is my`),
  ]);
  expect(stdout).toContain(`${minutes}: clear what keeps its dataset out of the home`);
  expect(stdout).toContain('US8006 eq_symbol_directory: 1 new file by nasdaq-listed');
  expect(stderr).toContain('Added the dataset eq_symbol_directory');
  rmSync(join(home, 'datasets/own.yaml'));
  expect(await runCommand(home, 'night', minutes, listed)).toMatchObject({ exitCode: 0 });
  expect(await rowsOf(home)).not.toHaveLength(0);
});

it('with calendars of its own, a first night assigns ASIDs in a dataset that it adds', async () => {
  const home = newHome();
  const days = 'XNYS:\n  source: A notice\n  days: { 2031-01-09: closed }\n';
  writeFileSync(join(home, 'calendars.yaml'), days);
  const files = filesOf('nyse-taq-quotes');
  const night = await runCommand(home, 'night', '--assign-symbols', ...files);
  expect(night).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ASIDs for ') });
});

it("a home's own definition of that name is the one that is loaded", async () => {
  const home = newHome();
  mkdirSync(join(home, 'datasets'));
  const own = readFileSync(SHIPPED, 'utf8').replace('US8001', 'US9001');
  writeFileSync(join(home, 'datasets/own.yaml'), own);
  const loaded = await runCommand(home, 'ingest', '--as', 'auto', ...FILES);
  expect([loaded.exitCode, loaded.stderr]).toEqual([0, '']);
  expect(await publishedRows(home, 'US9001', ['Ticker'])).toHaveLength(9);
});

it('uploads name the command that adds it, and only a rule lets an account read it', async () => {
  const service = await openTestService({ uploadBytesMax: 1_000_000 });
  const headers = { 'x-api-key': await adminKey(service) };
  const url = `/v1/ingest/${NAME}?as=firstrate-indices-minute`;
  const sent = await service.app.inject({ method: 'POST', url, headers, payload: '1\n' });
  expect([sent.statusCode, sent.body]).toEqual([
    404,
    expect.stringContaining(`ticklake dataset add ${NAME} adds it`),
  ]);
  mkdirSync(join(service.services.config.home, 'datasets'), { recursive: true });
  writeFileSync(join(service.services.config.home, 'datasets', `${NAME}.yaml`), `adds: ${NAME}\n`);
  const byId = url.replace(NAME, 'US8001');
  const before = await service.app.inject({ method: 'POST', url: byId, headers, payload: '1\n' });
  expect(before.body).toContain('; ticklake definitions reload takes it over');
  await service.close();
  const home = newHome();
  await runCommand(home, 'ingest', '--as', 'auto', ...FILES);
  const added = await openTestService({}, undefined, home);
  const path =
    '/v1/data/us-index/idx-trades-1min?Ticker=SPX&TradeDate=2024-03-11&response_format=csv';
  expect((await added.get(path)).body.trimEnd().split('\n')).toHaveLength(1 + 3);
  const { key } = await added.addAccount('without rules');
  const refused = await added.get(path, { 'x-api-key': key });
  expect(refused.statusCode).toBe(403);
  await added.close();
});

it('unadjusted and adjusted series of a product stay side by side, loaded one after the other', async () => {
  const home = newHome();
  for (const file of filesOf('firstrate-futures-continuous')) {
    expect(await runCommand(home, 'ingest', '--as', 'auto', file)).toMatchObject({ exitCode: 0 });
  }
  const series = await publishedRows(home, 'US8003', ['Ticker', 'BaseSymbol', 'Adjustment']);
  expect([...new Set(series.map((row) => `${row}`))].sort()).toEqual([
    '6E,6E,NONE',
    'ES,ES,NONE',
    'ES.DIFFERENCE,ES,DIFFERENCE',
    'ES.RATIO,ES,RATIO',
  ]);
});

it('options are added by days, and no contract of a day comes twice or gives way to one with less', async () => {
  const home = newHome();
  const [sample = ''] = filesOf('ivolatility-options-download');
  const first = readFileSync(sample, 'utf8').split('\n').slice(0, 4).join('\n');
  const load = (name: string, text: string) => {
    const file = join(home, name);
    writeFileSync(file, text);
    return runCommand(home, 'ingest', '--as', 'auto', file);
  };
  const second = first.replaceAll('03/11/2024', '03/12/2024');
  for (const [name, day] of [
    ['1.csv', first],
    ['2.csv', second],
  ] as const) {
    expect(await load(name, `${day}\n`)).toMatchObject({ exitCode: 0 });
  }
  const [prices = ''] = filesOf('ivolatility-options-prices');
  for (const text of [`${second.replace(',2.9,', ',2.8,')}\n`, readFileSync(prices, 'utf8')]) {
    const { exitCode, stderr } = await load('again.csv', text);
    const twice = 'no other row has the same TradeDate, Ticker, Expiration';
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(twice)]);
  }
  const volatilities = await publishedRows(home, 'US8103', ['MidImpliedVol']);
  expect(volatilities.flat().filter((value) => value !== null)).toHaveLength(4);
});

const TRADES = 'databento-equities-trades';
const BARS = 'databento-equities-minute';
const DEFINITIONS = 'databento-futures-definitions';

/** All of them, as files made so have: a recipe may not read each price of a record. */
const PRICE = /,(\d+)\.(\d{9})(?=,)/g;

it.each([
  ...[
    [TRADES, 'Price'],
    [BARS, 'FirstTradePrice'],
    ['databento-futures-minute', 'OpenPrice'],
    ['databento-futures-trades', 'Price'],
    ['databento-futures-ticks', 'Price'],
  ].map(([recipe, column]) => ['prices in billionths', recipe, PRICE, ',$1$2', `${column} "`]),
  ['trades of several venues', TRADES, ',0,2,', ',0,95,', 'Exchange "95"'],
  ['trades of FINRA', TRADES, ',0,2,', ',0,17,', 'Exchange "17"'],
  ['bars of several venues', BARS, ',33,2,', ',33,95,', 'Exchange "95"'],
  ['bars of a venue and of FINRA', BARS, ',33,2,', ',33,81,', 'Exchange "81"'],
  ['trades of a second feed of NYSE', TRADES, ',0,2,', ',0,45,', 'Exchange "45"'],
  ['sizes in billionths', DEFINITIONS, ',50.000000000,', ',50000000000,', 'ContractSize "500'],
  ['an unknown action', DEFINITIONS, ',A,F,', ',X,F,', 'ListStatus "X"'],
] as [string, string, string | RegExp, string, string][])(
  'files with %s are refused: %s',
  async (_what, recipe, from, to, message) => {
    const [sample = ''] = filesOf(recipe);
    const home = newHome();
    const file = join(home, basename(sample));
    writeFileSync(file, readFileSync(sample, 'utf8').replace(from, to));
    const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', recipe, file);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  },
);

it.each([
  ['firstrate-futures-continuous', 'ES_full_1min_continuous_adjusted.txt', 'Ticker "ES adjusted"'],
  [
    'firstrate-futures-continuous',
    'FESX_full_1min_continuous_UNadjusted.txt',
    'BaseSymbol "FESX" is not the root of a future of the United States in the field file.root',
  ],
  ['firstrate-futures-minute', 'C_H24_1min.txt', 'BaseSymbol "C" is not the root of'],
  ...['BFX', 'FCE', 'EBM', 'FDAX'].map((root) => [
    'firstrate-futures-minute',
    `${root}_H24_1min.txt`,
    `BaseSymbol "${root}" is not the root of`,
  ]),
  [DEFINITIONS, 'glbx-mdp3-20240301-20240311.definition.csv', 'files with names of the form glbx'],
])(
  'files of %s whose names say too little, or a contract of Europe, are refused',
  async (recipe, name, message) => {
    const home = newHome();
    copyFileSync(filesOf(recipe)[0] ?? '', join(home, name));
    const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'auto', join(home, name));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  },
);

it('rows have the date of the last line of their own file, whose halves of one day add up', async () => {
  const home = newHome();
  const [listed = ''] = filesOf('nasdaq-listed');
  const text = readFileSync(listed, 'utf8');
  const days = ['0311202417:03', '0312202416:00'].map((time, d) => {
    const file = join(home, `${d}.txt`);
    writeFileSync(file, text.replace('0311202417:03', time));
    return file;
  });
  const load = (...files: string[]) => runCommand(home, 'ingest', '--as', 'auto', ...files);
  expect(await load(...days)).toMatchObject({ exitCode: 0 });
  expect(await load(...filesOf('nasdaq-other-listed'))).toMatchObject({ exitCode: 0 });
  const rows = (await publishedRows(home, 'US8006', ['TradeDate'])).flat();
  expect(rows.filter((date) => date === '2024-03-11')).toHaveLength(5 + 10);
  expect(rows.filter((date) => date === '2024-03-12')).toHaveLength(5);
  const { exitCode, stderr } = await load(...filesOf('nasdaq-traded'));
  const twice = 'no other row has the same TradeDate, Ticker';
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(twice)]);
});
