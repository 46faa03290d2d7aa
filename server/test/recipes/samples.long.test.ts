/** The shipped recipes turn made-up samples of their vendors' layouts into the right rows. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';
import { openTestService } from '../harness.ts';
import { sampleOf } from '../repetitions.ts';
import {
  filesOf,
  golden,
  recipeOf,
  separatorOf,
  shipped,
  withoutAdded,
} from './shipped-samples.ts';

const folder = newFolder();
/** After the days of all samples. */
const CLOCK = fixedClock('2026-02-02T12:00:00Z');
async function runCommand(home: string, ...words: string[]) {
  const ended = await runByClock(CLOCK, home, ...words);
  return { ...ended, stderr: withoutAdded(ended) };
}
afterAll(() => folder.remove());

it.each(shipped)('the sample of %s becomes its golden rows', async (name) => {
  const home = join(folder.path, name);
  const loaded = await runCommand(home, 'ingest', '--as', 'auto', ...filesOf(name));
  expect(loaded).toMatchObject({ exitCode: 0, stderr: '' });
  const { dataset, rowRules } = recipeOf(name);
  const [columns = [], ...rows] = golden(name);
  const expressions = columns.map((column) => column as string);
  expect(await publishedRows(home, dataset.datasetId, expressions)).toEqual(rows);
  const mapped = [...(rowRules[0]?.keys() ?? [])].sort();
  expect(columns.map((column) => column?.replace('_utc_ns', '')).toSorted()).toEqual(mapped);
});

/** The path of the rows that have the date and the identifier of the first golden one. */
function pathOf(name: string): { readonly path: string; readonly rowCount: number } {
  const { group, segment, pathShape, dateColumn, columnByName, variant } = recipeOf(name).dataset;
  const [columns = [], first = [], ...others] = golden(name);
  const ticker = columnByName.has('Ticker') ? 'Ticker' : 'OptionTicker';
  const keys = [dateColumn, ticker].filter((key) => key !== null);
  const cellOf = (row: (string | null)[], key: string) => row[columns.indexOf(key)] ?? '';
  const isSame = (row: (string | null)[]) =>
    keys.every((key) => cellOf(row, key) === cellOf(first, key));
  const words = keys.map((key) => encodeURIComponent(cellOf(first, key)));
  const filters = keys.map((key, k) => `${key}=${words[k]}`).join('&');
  const form = {
    query: `?${filters}&`,
    identifier: `/${words.at(-1)}?${filters}&`,
    tick: `/${words.join('/')}?`,
  }[pathShape];
  return {
    path: `/v1/data/${group}/${segment}${form}${variant.adjusted ? 'adjusted=true&' : ''}response_format=csv`,
    rowCount: 1 + others.filter(isSame).length,
  };
}

/** Loads of these differ little in what follows them. */
const sampled = sampleOf(shipped);

it.each(sampled)('the sample of %s is derived from and answered over HTTP', async (name) => {
  const home = join(folder.path, `served-${name}`);
  await runCommand(home, 'ingest', '--as', 'auto', ...filesOf(name));
  expect(await runCommand(home, 'derive', '--all')).toMatchObject({ exitCode: 0 });
  const service = await openTestService({}, undefined, home);
  const { path, rowCount } = pathOf(name);
  const { statusCode, body } = await service.get(path);
  const lines = body.trimEnd().split('\n');
  expect([statusCode, lines.length - 1]).toEqual([200, rowCount]);
  await service.close();
});

it.each(shipped)('%s has its own name and a page that describes the layout', (name) => {
  const recipe = recipeOf(name);
  expect(recipe?.recipe).toBe(name);
  if (recipe?.vendor !== 'own files') expect(recipe?.layout).toMatch(/^https:/);
});

/** A file with the name of the sample of that recipe but for its date. */
function writeSample(recipe: string, text: string, date = '20240311'): string {
  const path = join(folder.path, `files-${recipe}`);
  mkdirSync(path, { recursive: true });
  const file = join(path, basename(filesOf(recipe)[0] ?? '').replace(/[0-9]{8}/, date));
  writeFileSync(file, text);
  return file;
}

const sampleText = (recipe: string) => readFileSync(filesOf(recipe)[0] ?? '', 'utf8');

it.each(sampled)('a sample of %s with a further field is refused', async (name) => {
  const { fields } = recipeOf(name);
  const lines = sampleText(name).trimEnd().split('\n');
  const added = (n: number) => separatorOf(name) + (n === 0 && !fields ? 'extra' : '1');
  const file = writeSample(name, `${lines.map((line, n) => line + added(n)).join('\n')}\n`);
  const home = join(folder.path, `further-${name}`);
  for (const as of ['auto', name]) {
    expect(await runCommand(home, 'ingest', '--as', as, file)).toMatchObject({ exitCode: 2 });
  }
});

it.each([
  ['massive-options-minute', 'O:AAPL240315C', 'O:AAPL2403C', 'Ticker "O:AAPL2403C00170000" is not'],
  ['massive-futures-minute', ',2024-03-11,', ',2024,', 'Ticker "ESH4 2024" is not a text that'],
  [
    'quandl-wiki-prices',
    '298.0,',
    '298.5,',
    'DailyVolume "7954298.5" is not an integer such as 100',
  ],
  [
    'algoseek-futures-ticks',
    ',045000241',
    ',04:50:00',
    'TradeDate "20240311 04:50:00" is not a time',
  ],
  [
    'algoseek-equities-ticks',
    ',TRADE,',
    ',HALT,',
    'EventType "HALT" is not TRADE, QUOTE BID, QUOTE ASK',
  ],
  [
    'algoseek-equities-ticks',
    '00000001',
    '0x000001',
    'ConditionCode "0x000001" is not an integer in hexadecimal digits in the field Conditions',
  ],
  ['cboe-options-minute', ' 09:31:00', ' 09:31', 'TradeDate "2024-03-11 09:31" is not a time'],
  [
    'cboe-options-minute',
    ' 09:31:00',
    ' 24:31:00',
    'TradeDate "2024-03-11 24:31:00" is not a time',
  ],
  [
    'lobster-trades',
    '34200.205573323',
    '86400.205573323',
    'EventDateTime "2012-06-21 86400.205573323" is not a time',
  ],
  ['lobster-trades', ',5859600,-1', ',5859600,0', 'EventType "4 0" is not one of'],
  ['yahoo-daily', ',0.0,0.0', ',,0.0', 'Ticker'],
  ['stooq-daily', 'BRK-B.US', 'BRK-B.UK', 'Ticker "BRK-B.UK" is not a symbol that ends with .US'],
  ['stooq-daily', ',D,', ',60,', 'DailyVolume "60" is not D, the period of daily bars,'],
  ['barchart-daily-raw', 'AAPL', 'ESM24', 'Ticker "ESM24" is not the symbol of a US stock'],
  ['barchart-daily-adjusted', 'AAPL', 'RY.TO', 'Ticker "RY.TO" is not the symbol of a US stock'],
  ['massive-stocks-quotes', 'A,8,', 'A,5,', 'Exchange "5" is not one of 0, 1, 2, 3, 4, 6, 7,'],
  ['databento-futures-trades', ',ESM4', ',ESM4 C5100', 'Ticker "ESM4 C5100" is not the raw symbol'],
  ['databento-futures-minute', ',ESH4', ',ES.c.0', 'Ticker "ES.c.0" is not the raw symbol'],
  ['databento-futures-ticks', ',ESM4', ',ES.FUT', 'Ticker "ES.FUT" is not the raw symbol'],
  ['databento-futures-ticks', ',A,B,', ',A,N,', 'EventType "A N" is not one of T A, T B, T N'],
  ['nyse-taq-trades', '|1|C|', '|1|E|', 'ConditionCode "@  I E" is not codes of 1'],
  ['nyse-taq-quotes', '|P|A|', '|E|A|', 'Exchange "E" is not one of A, B, C'],
  ['nyse-taq-quotes', '|C|', '|X|', 'Tape "X" is not one of C, N'],
  ['firstrate-options-day', ',p,', ',x,', 'CallPut "x" is not one of C, P, c, p'],
  [
    'ivolatility-options-prices',
    'IBM   240315C00190000',
    'IBMCR',
    'Ticker "IBMCR" is not the OCC symbol',
  ],
  // Without its tape, the conditions of a trade mean nothing.
  ['tick-data-trades', ',19,N,C,', ',19,N,,', 'TradeDate'],
  ['tick-data-trades', ',19,N,C,', ',19,N,E,', 'TradeDate "03/11/2024 E" is not a time'],
  [
    'tick-data-trades',
    ',9,,,',
    ',9,,456,',
    'EventDateTime "03/11/2024 09:30:00.123456 456" is not',
  ],
  // Letters of conditions meant other things before 2007.
  ['tick-data-trades-short', '2013,09:30:00.001', '2006,09:30:00.001', 'TradeDate "05/01/2006 N"'],
  ['tick-data-trades-short', ',@  B,', ',@  ?,', 'ConditionCode "@  ? N" is not codes of 1'],
])('%s refuses records with %s as %s', async (name, from, to, message) => {
  const file = writeSample(name, sampleText(name).replace(from, to));
  const home = join(folder.path, `refused-${name}`);
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', name, file);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${file}:2: ${message}`)]);
});

it.each([
  ['massive-stocks-quotes', 'NBBOQuoteCount'],
  ['algoseek-equities-ticks', 'Volume'],
])(
  'bars are derived of the rows of %s, though files may have no conditions',
  async (name, column) => {
    const home = join(folder.path, `derived-${name}`);
    for (const words of [
      ['ingest', '--as', name, ...filesOf(name)],
      ['derive', 'eq_taq_1min'],
    ]) {
      expect(await runCommand(home, ...words)).toMatchObject({ exitCode: 0 });
    }
    const values = (await publishedRows(home, 'US1010', [column])).flat();
    expect(values.filter((value) => Number(value) > 0)).not.toEqual([]);
  },
);

it('bars of quotes by Massive have the sizes and spreads of its records', async () => {
  const [header] = sampleText('massive-stocks-quotes').split('\n');
  const records = [
    '8,10.02,100,11,10.00,300',
    '8,10.00,100,9,9.98,100',
    '8,10.02,100,12,10.00,500',
  ];
  const lines = records.map((sides, n) => {
    const nanos = `176218020${n}000000000`;
    return `A,${sides},1,,${nanos},${n},${nanos},3,0`;
  });
  const text = [header, ...lines, ''].join('\n');
  const file = join(dirname(writeSample('massive-stocks-quotes', text)), '2025-11-03.csv');
  const home = join(folder.path, 'bests');
  for (const words of [
    ['ingest', '--as', 'auto', file],
    ['derive', 'eq_taq_1min'],
  ]) {
    expect(await runCommand(home, ...words)).toMatchObject({ exitCode: 0 });
  }
  const columns = ['CloseBidSize', 'MaxSpread', 'NBBOQuoteCount'];
  const bars = await publishedRows(home, 'US1010', columns);
  expect(bars.filter(([, , count]) => count !== '0')).toEqual([['500', '0.02', '6']]);
});

it.each([
  ['2025-10-31', 'Lots'],
  ['2025-11-03', 'Size'],
])('sizes of NYSE on %s are read as %s', async (date, kind) => {
  for (const name of ['nyse-taq-quotes', 'nyse-taq-national-bests']) {
    const day = date.replaceAll('-', '');
    const text = sampleText(name).replace(/END\|\d{8}/, `END|${day}`);
    const home = join(folder.path, `${kind}-${name}`);
    const loaded = await runCommand(home, 'ingest', '--as', 'auto', writeSample(name, text, day));
    expect(loaded).toMatchObject({ exitCode: 0, stderr: '' });
    const [columns = [], ...rows] = golden(name);
    for (const side of ['Bid', 'Ask']) {
      const sizes = rows.map((row) => {
        return row[columns.indexOf(`${side}Lots`)] ?? row[columns.indexOf(`${side}Size`)];
      });
      const [filled, empty] = kind === 'Lots' ? ['Lots', 'Size'] : ['Size', 'Lots'];
      const read = [`${side}${filled}`, `${side}${empty}`];
      const published = await publishedRows(home, recipeOf(name).dataset.datasetId, read);
      expect(published).toEqual(sizes.map((size) => [size, null]));
    }
  }
});

it('the national bests of NYSE are the rows of two datasets, ordered by sequence', async () => {
  const [quotes, bests] = ['nyse-taq-quotes', 'nyse-taq-national-bests'] as const;
  const home = join(folder.path, 'all-bests');
  const text = sampleText(bests).replace(/END\|\d{8}/, 'END|20240311');
  for (const file of [...filesOf(quotes), writeSample(bests, text)]) {
    expect(await runCommand(home, 'ingest', '--as', 'auto', file)).toMatchObject({ exitCode: 0 });
  }
  const service = await openTestService({}, undefined, home);
  const read = async (segment: string, filter = '') => {
    const form = `${filter}columns=SequenceNumber,BidPrice,AskPrice&response_format=csv`;
    const path = `/v1/data/us-equity/${segment}/2024-03-11/A?${form}`;
    const { statusCode, body } = await service.get(path);
    expect(statusCode).toBe(200);
    return body.trimEnd().split('\n').slice(1);
  };
  expect(await read('eq-quotes', 'IsNationalBest=true&')).toEqual(['1204,143.01,143.05']);
  expect(await read('eq-national-bests')).toEqual([
    ...['101,0,143.9', '1203,142.98,143.05', '1204,143.01,143.05', '99901,143.02,143.03'],
  ]);
  await service.close();
});

it('quotes by Massive are refused where sizes are round lots', async () => {
  const text = sampleText('massive-stocks-quotes').replaceAll('17621802', '17619210');
  const file = writeSample('massive-stocks-quotes', text).replace('2025-11-03', '2025-10-31');
  writeFileSync(file, text);
  const home = join(folder.path, 'lots');
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'auto', file);
  const message = expect.stringMatching(/Quantity "17619210\d+ \d+" is not a text/);
  expect([exitCode, stderr]).toEqual([2, message]);
});

/** The outcome of a load of a sample under the name of another symbol. */
async function loadOfSymbol(recipe: string, symbol: string, text = sampleText(recipe)) {
  const [sample = ''] = filesOf(recipe);
  const home = mkdtempSync(join(folder.path, `symbol-${recipe}-`));
  const file = join(home, basename(sample).replace(/[A-Z]+(?:-B)?(?=\.csv)/, symbol));
  writeFileSync(file, text);
  const outcome = await runCommand(home, 'ingest', '--as', recipe, file);
  return { ...outcome, home };
}

const bySymbol = shipped.filter((name) => /^(alpha-vantage|yahoo)/.test(name));

it.each(bySymbol)('%s refuses symbols of no US stock', async (name) => {
  const foreign = name.startsWith('yahoo') ? ['VOD.L', '7203.T', 'BAC-P'] : ['TSCO.LON'];
  for (const symbol of ['^GSPC', 'ES=F', 'BTC-USD', 'RY.TO', ...foreign]) {
    const { exitCode, stderr } = await loadOfSymbol(name, symbol);
    expect([symbol, exitCode, stderr]).toEqual([
      ...[symbol, 2],
      expect.stringContaining(`Ticker "${symbol}`),
    ]);
  }
});

it.each(bySymbol)('%s writes classes of shares with a point', async (name) => {
  const { exitCode, home } = await loadOfSymbol(name, 'BRK-B');
  const { datasetId } = recipeOf(name).dataset;
  const tickers = await publishedRows(home, datasetId, ['Ticker']);
  expect([exitCode, new Set(tickers.flat())]).toEqual([0, new Set(['BRK.B'])]);
});

it.each(['yahoo-daily', 'yahoo-daily-close'])(
  '%s takes no days of other time zones for those before',
  async (name) => {
    const text = (offset: string) =>
      sampleText(name).replace(/2024-03-11[^,]*/, `2024-03-11 00:00:00${offset}`);
    for (const offset of ['+00:00', '+09:00']) {
      const { exitCode, stderr } = await loadOfSymbol(name, 'VOD', text(offset));
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('TradeDate "2024-03-11')]);
    }
    expect(await loadOfSymbol(name, 'VOD', text('-04:00'))).toMatchObject({ exitCode: 0 });
  },
);

it('a FirstRate file of no contract is refused', async () => {
  const file = join(folder.path, 'BTC_full_1min.txt');
  writeFileSync(file, sampleText('firstrate-futures-minute'));
  const { exitCode, stderr } = await runCommand(folder.path, 'ingest', '--as', 'auto', file);
  const message = 'Ticker "BTC full" is not a root and a contract';
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it.each(shipped.filter((name) => name.startsWith('massive-stocks')))(
  '%s refuses files of options, which have the same fields',
  async (name) => {
    const file = writeSample(name, sampleText(name).replace('\n', '\nO:'));
    const home = join(folder.path, `options-${name}`);
    for (const as of ['auto', name]) {
      const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', as, file);
      const text = expect.stringContaining('the ticker of a stock in the field ticker');
      expect([exitCode, stderr]).toEqual([2, text]);
    }
  },
);

it.each(
  shipped.filter((name) => name.startsWith('databento') && recipeOf(name).replace === 'nothing'),
)('files of %s, which are days in UTC, add their rows to a date that has begun', async (name) => {
  const [header, record = ''] = sampleText(name).split('\n');
  const fileAt = (date: string, ...times: string[]) => {
    const stamps = times.map((time) => `${date}T${time}:00.000000000Z`);
    const records = stamps.map((stamp) => record.replaceAll(/[0-9-]+T[0-9:.]+Z/g, stamp));
    return writeSample(name, `${[header, ...records].join('\n')}\n`, date.replaceAll('-', ''));
  };
  const home = join(folder.path, `days-${name}`);
  const load = (file: string) => runCommand(home, 'ingest', '--as', 'auto', file);
  const second = fileAt('2024-01-09', '00:30', '15:00');
  expect(await load(fileAt('2024-01-08', '15:00', '23:30'))).toMatchObject({ exitCode: 0 });
  expect(await load(second)).toMatchObject({ exitCode: 0, stderr: '' });
  // The rows of a file do not come twice.
  expect(await load(second)).toMatchObject({ exitCode: 2 });
  const { dataset } = recipeOf(name);
  const dates = await publishedRows(home, dataset.datasetId, ['TradeDate']);
  expect(dates.flat()).toEqual(['2024-01-08', '2024-01-08', '2024-01-08', '2024-01-09']);
});
