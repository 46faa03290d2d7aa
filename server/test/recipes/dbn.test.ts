/** DBN files are read as the CSV that the vendor's library makes of them: `dbn/make-files.py`. */
import { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { DbnText, type DefinedSymbols } from '../../src/ingest/dbn-text.ts';
import { definedSymbols } from '../../src/ingest/defined-symbols.ts';
import { newFolder, publishedRows, runCommand } from '../command-line/run-command.ts';
import { drawsOf } from '../seed.ts';

const FILES = join(import.meta.dirname, 'dbn');
const folder = newFolder();
afterAll(() => folder.remove());

const names = globSync('*.dbn', { cwd: FILES }).sort();
const bytesOf = (name: string) => readFileSync(join(FILES, name));
const csvOf = (name: string) =>
  readFileSync(join(FILES, name.replace(/-v\d/, '').replace('.dbn', '.csv')), 'utf8');

/** Definitions have only the fields that recipes read. */
const isPart = (name: string) => name.includes('definition');
const isOptions = (name: string) => name.startsWith('opra');

/** The CSV of the vendor with the fields that the text has. */
function sameFields(name: string, text: string): string {
  const [header = '', ...lines] = csvOf(name).split('\n');
  const names = header.split(',');
  const places = (text.split('\n', 1)[0] ?? '').split(',').map((field) => names.indexOf(field));
  const picked = lines.map((line) => line && places.map((at) => line.split(',')[at]).join());
  return [places.map((at) => names[at]).join(), ...picked].join('\n');
}

/** The text of the bytes in chunks of a size. */
function textOf(bytes: Buffer, chunkBytes: number, symbols?: DefinedSymbols): string {
  const dbn = new DbnText(symbols);
  let text = '';
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    text += dbn.push(bytes.subarray(at, at + chunkBytes));
  }
  dbn.end();
  return text;
}

it.each(names)('%s is the CSV of the vendor, in chunks of any size', (name) => {
  const bytes = bytesOf(name);
  for (const size of [1, 7, 48, 100, bytes.length]) {
    const text = textOf(bytes, size);
    expect(text).toBe(isPart(name) ? sameFields(name, text) : csvOf(name));
  }
});

it.each(names)('the text of %s lacks the fields that nobody reads', (name) => {
  const isRead = (field: string) => /^ts_event$|price|size|low|symbol/.test(field);
  const [header = '', ...lines] = textOf(bytesOf(name), 100).split('\n');
  const fields = header.split(',');
  const readOf = (line: string) => line.split(',').filter((_, f) => isRead(fields[f] as string));
  const text = new DbnText(undefined, isRead).push(bytesOf(name)).toString();
  expect(text).toBe([header, ...lines].map(readOf).join('\n'));
});

it.each(names.filter((name) => /v1.trades|v3.ohlcv/.test(name)))(
  '%s is refused if it is cut off, unless a record ends there',
  (name) => {
    const bytes = bytesOf(name);
    const whole: number[] = [];
    for (let end = 0; end < bytes.length; end++) {
      try {
        expect(csvOf(name).startsWith(textOf(bytes.subarray(0, end), 64))).toBe(true);
        whole.push(end);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }
    expect(whole).toHaveLength(csvOf(name).split('\n').length - 2);
  },
);

it('a file with changed bytes is refused, or read to its end', () => {
  const draws = drawsOf('changed bytes');
  const below = (end: number) => draws.integer(0, end - 1);
  for (let run = 0; run < 500; run++) {
    const bytes = bytesOf(names[below(names.length)] as string);
    for (let change = 0; change <= below(4); change++) bytes[below(bytes.length)] = below(256);
    try {
      textOf(bytes, 1 + below(200));
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
    }
  }
});

const SCHEMAS = [
  ['trades', 'US6012', ['Ticker', 'EventDateTime_utc_ns', 'Price', 'Quantity', 'EventType']],
  [
    'ohlcv-1m',
    'US6014',
    ['Ticker', 'BarDateTime_utc_ns', 'OpenPrice', 'ClosePrice', 'TotalQuantity'],
  ],
  ['mbp-1', 'US6011', ['Ticker', 'EventDateTime_utc_ns', 'Price', 'Quantity', 'EventType']],
  ['definition', 'US5103', ['OptionTicker', 'Expiration', 'CallPut', 'Strike', 'OsiSymbol']],
] as const;

it.each(SCHEMAS)(
  'recipes read DBN of %s as they read its CSV, plain and packed',
  async (schema, id, columns) => {
    const load = async (name: string, bytes: Buffer | string) => {
      const home = join(folder.path, `home-${schema}-${name}`);
      mkdirSync(home);
      writeFileSync(join(home, name), bytes);
      const { exitCode, stderr } = await runCommand(
        home,
        'ingest',
        '--as',
        'auto',
        join(home, name),
      );
      expect([exitCode, stderr]).toEqual([0, '']);
      return await publishedRows(home, id, columns);
    };
    const isOf = (name: string) => name.includes(schema) && isOptions(name) === isPart(name);
    const [first = '', , third = ''] = names.filter(isOf);
    const rows = await load(basename(first).replace('.dbn', '.csv'), csvOf(first));
    // One of the definitions is that of a deleted contract.
    expect(rows).toHaveLength(schema === 'definition' ? 5 : 6);
    expect(await load(first, bytesOf(first))).toEqual(rows);
    expect(await load(`${third}.zst`, zstdCompressSync(bytesOf(third)))).toEqual(rows);
  },
);

it('recipes give the fields of DBN names of their own', async () => {
  const [header = '', ...lines] = csvOf(TRADES).trimEnd().split('\n');
  const home = join(folder.path, 'home-renamed');
  mkdirSync(join(home, 'recipes'), { recursive: true });
  const recipe = `recipe: own
title: T
vendor: V
dataset: fut_trades
skip_lines: 1
fields: [${header.replace(/\bprice\b/, 'paid')}]
columns:
  TradeDate: { from: ts_event, time: "YYYY-MM-DDTHH:mm:ss.nZ" }
  EventDateTime: { from: ts_event, time: "YYYY-MM-DDTHH:mm:ss.nZ" }
  Ticker: symbol
  Price: paid
`;
  writeFileSync(join(home, 'recipes', 'own.yaml'), recipe);
  const { exitCode, stderr } = await runCommand(home, 'ingest', '--as', 'own', join(FILES, TRADES));
  expect([exitCode, stderr]).toEqual([0, '']);
  const at = header.split(',').indexOf('price');
  const prices = lines.map((line) => Number(line.split(',')[at]));
  const rows = await publishedRows(home, 'US6012', ['Price']);
  expect(rows.flat().map(Number).sort()).toEqual(prices.sort());
});

it('the DBN files of a folder are loaded, also beside CSV', async () => {
  const path = join(folder.path, 'mixed');
  mkdirSync(path);
  const name = 'glbx-mdp3-20240310-v3.trades.dbn';
  writeFileSync(join(path, name), bytesOf(name));
  const [header] = csvOf(name).split('\n');
  writeFileSync(join(path, 'glbx-mdp3-20240311.trades.csv'), `${header}\n`);
  const home = join(folder.path, 'home-mixed');
  const how = ['--as', 'databento-futures-trades', path];
  expect(await runCommand(home, 'ingest', ...how)).toMatchObject({ exitCode: 0 });
  const rows = await publishedRows(home, 'US6012', ['Ticker']);
  expect(rows).toHaveLength(csvOf(name).trimEnd().split('\n').length - 1);
});

it('recipes read definitions of futures, of any version, as they read their CSV', async () => {
  const columns = ['Ticker', 'BaseSymbol', 'SecurityID', 'Exchange', 'Currency', 'TickSize'];
  const more = ['ContractSize', 'UnitOfMeasure', 'ActivationDateTime', 'ExpirationDateTime'];
  const load = async (name: string, from: string) => {
    const home = join(folder.path, `home-futures-${from}`);
    mkdirSync(home);
    writeFileSync(join(home, name), readFileSync(join(FILES, from)));
    await runCommand(home, 'ingest', '--as', 'auto', join(home, name));
    return await publishedRows(home, 'US8005', [...columns, ...more]);
  };
  const name = 'glbx-mdp3-20240310.definition';
  const rows = await load(`${name}.csv`, `${name}.csv`);
  expect(rows).toHaveLength(5);
  expect(rows.flat()).toContain('IPNT');
  for (const version of [1, 2, 3]) {
    expect(await load(`${name}.dbn`, `${name.replace('.', `-v${version}.`)}.dbn`)).toEqual(rows);
  }
});

it('an undefined time is none, even behind another one of the day that it would be', () => {
  const bytes = bytesOf('glbx-mdp3-20240310-v1.definition.dbn');
  const [expiration, activation] = [40, 48].map((at) => 8 + bytes.readUInt32LE(4) + at);
  bytes.writeBigUInt64LE(BigInt(Date.UTC(2554, 6, 21)) * 1_000_000n, expiration);
  bytes.writeBigUInt64LE(2n ** 64n - 1n, activation);
  expect(textOf(bytes, bytes.length)).toContain(',2554-07-21T00:00:00.000000000Z,,');
});

it('a list of symbols without bytes is refused, however long it says it is', () => {
  const bytes = bytesOf(
    names.find((name) => name.includes('v3') && name.endsWith('.dbn')) as string,
  );
  bytes.writeUInt16LE(0, 53);
  expect(() => new DbnText().push(bytes)).toThrow('the metadata of the DBN file are damaged');
});

it.each([0, 4, 255])('version %i is refused with those that are read, in any schema', (version) => {
  for (const name of names.filter((each) => each.includes('v3'))) {
    const bytes = bytesOf(name);
    bytes[3] = version;
    const message = `the DBN file has version ${version}; those that are read: 1, 2, 3`;
    expect(() => new DbnText().push(bytes)).toThrow(message);
  }
});

it('another schema is refused with those that are read', async () => {
  const bytes = bytesOf(names[0] as string);
  bytes.writeUInt16LE(10, 24);
  const file = join(folder.path, 'statistics.dbn');
  writeFileSync(file, bytes);
  const { exitCode, stderr } = await runCommand(folder.path, 'ingest', '--as', 'auto', file);
  const legal = 'those that are read: mbp-1, tbbo, trades, ohlcv-1s';
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`${file}: the DBN file has the schema statistics; ${legal}`),
  ]);
});

it('a file that ends within its metadata is refused by its name', async () => {
  const file = join(folder.path, 'glbx-mdp3-20240310.trades.dbn');
  writeFileSync(file, bytesOf(names[0] as string).subarray(0, 200));
  const { exitCode, stderr } = await runCommand(folder.path, 'ingest', '--as', 'auto', file);
  expect([exitCode, stderr]).toEqual([
    2,
    `ticklake: ${file}: the DBN file ends within its metadata, so it may be cut off\n`,
  ]);
});

/** The file as it is for those who ask for no symbols. */
function withIdsOnly(name: string): Buffer {
  const bytes = bytesOf(name);
  const metadata = Buffer.concat([bytes.subarray(0, 112), Buffer.alloc(4 * 4)]);
  metadata.writeUInt32LE(metadata.length - 8, 4);
  return Buffer.concat([metadata, bytes.subarray(8 + bytes.readUInt32LE(4))]);
}

it('a file without symbols is refused, unless it has no records or its records name them', () => {
  for (const name of names.filter((each) => each.includes('v3'))) {
    const bytes = withIdsOnly(name);
    expect(textOf(bytes.subarray(0, 128), 7)).toMatch(/^[a-z0-9_,]+,symbol\n$/);
    const text = () => textOf(bytes, 7);
    if (isPart(name)) expect(text()).toContain(isOptions(name) ? ',BRK.B,' : ',RTYM4,');
    else expect(text).toThrow(/^record 1 \(2024-03-10T22.* the instrument id 7, .* --symbols/);
  }
});

it('symbols that are only the ids once more are none', () => {
  const bytes = bytesOf('glbx-mdp3-20240310-v3.trades.dbn');
  bytes[50] = 0;
  expect(() => textOf(bytes, 64)).toThrow('record 1 (2024-03-10T22:00:00.000000111Z) has the');
});

const FUTURES = names.filter((name) => name.startsWith('glbx'));
const ofFutures = (ending: string) => FUTURES.filter((name) => name.endsWith(ending));

it('files with ids only have the symbols of definitions, of any version and as CSV', async () => {
  const files = [...ofFutures('definition.dbn'), 'glbx-mdp3-20240310.definition.csv'];
  for (const file of files) {
    const { symbols } = await definedSymbols([join(FILES, file)], new AbortController().signal);
    for (const name of FUTURES.filter((each) => !isPart(each))) {
      expect(textOf(withIdsOnly(name), 100, symbols)).toBe(csvOf(name));
    }
  }
});

/** A home of its own with a file of ids only, and how a command on it ends. */
async function endOf(home: string, file: Buffer, ...words: string[]) {
  const name = 'glbx-mdp3-20240310.trades.dbn.zst';
  mkdirSync(join(home, 'auto'), { recursive: true });
  writeFileSync(join(home, 'auto', name), zstdCompressSync(file));
  return await runCommand(home, ...words);
}

const TRADES = 'glbx-mdp3-20240310-v2.trades.dbn';
const DEFINITIONS = join(FILES, 'glbx-mdp3-20240310-v1.definition.dbn');

it('every way to load reads ids by definitions, and says so where there are none', async () => {
  const file = (home: string) => join(home, 'auto', 'glbx-mdp3-20240310.trades.dbn.zst');
  const ingest = (home: string) => ['ingest', '--as', 'auto', file(home)];
  const night = (home: string) => {
    const lines = ['loads:', '  - files: auto/*.zst', `    symbols: ${DEFINITIONS}`];
    writeFileSync(join(home, 'night.yaml'), `${lines.join('\n')}\n`);
    return ['night', join(home, 'night.yaml')];
  };
  const ways = {
    ingest: (home: string) => [...ingest(home), '--symbols', DEFINITIONS],
    watch: (home: string) => ['watch', home, '--once', '--symbols', `${DEFINITIONS}*`],
    night,
  };
  const found = [];
  for (const [name, words] of Object.entries(ways)) {
    const home = join(folder.path, `ids-${name}`);
    mkdirSync(home);
    const { exitCode, stderr } = await endOf(home, withIdsOnly(TRADES), ...words(home));
    expect([name, exitCode, stderr]).toEqual([
      name,
      0,
      expect.not.stringMatching(/: refused|warning/),
    ]);
    const rows = await publishedRows(home, 'US6012', ['Ticker', 'BaseSymbol']);
    found.push(rows.map((row) => `${row}`).sort());
  }
  const [es, nq] = ['ESM4,ES', 'NQM4,NQ'];
  expect(found).toEqual(Array(3).fill([es, es, es, es, nq, nq]));
  const home = join(folder.path, 'ids-test');
  const tested = ['recipe', 'test', file(home), '--symbols', DEFINITIONS];
  expect(await endOf(home, withIdsOnly(TRADES), ...tested)).toMatchObject({ exitCode: 0 });
  const explained = await runCommand(home, 'recipe', 'explain', ...tested.slice(2));
  expect(explained.stdout).toContain('ESM4');
  const shown = await runCommand(join(folder.path, 'ids-ingest'), 'publication', 'show', '1');
  expect(shown.stdout).toContain(DEFINITIONS);
  const refused = await runCommand(home, ...ingest(home));
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    `ticklake: ${file(home)}: record 1 (2024-03-10T22:00:00.000000111Z) has the instrument id 7, which the file gives no symbol: name the vendor's definition file of that day by --symbols, or get the file with its symbols\n`,
  ]);
});

it('the symbols of a file itself come first, and are those that explaining it shows', async () => {
  const explained = await runCommand(folder.path, 'recipe', 'explain', join(FILES, TRADES));
  expect(explained.stdout).toContain(csvOf(TRADES).split('\n')[1]);
  const others = join(FILES, 'opra-pillar-20240310-v3.definition.dbn');
  const { symbols } = await definedSymbols([others], new AbortController().signal);
  expect(textOf(bytesOf(TRADES), 100, symbols)).toBe(csvOf(TRADES));
});

it.each([
  [
    'NQM4',
    '\0\0\0\0',
    'record 3 (2024-03-11T00:00:00.246913689Z) has the instrument id 9, which the',
  ],
  ['9\0', '7\0', 'instrument id 7, which the file gives several symbols: ESM4, NQM4'],
])('of the metadata, %j as %j is refused, not loaded without a word', (found, other, text) => {
  const bytes = bytesOf(TRADES);
  const end = 8 + bytes.readUInt32LE(4);
  bytes.write(other, bytes.subarray(0, end).lastIndexOf(found), 'latin1');
  expect(() => textOf(bytes, 100)).toThrow(text);
});

const DEFINED = `ts_recv,instrument_id,raw_symbol,security_update_action
2024-03-10T21:00:00.000000000Z,7,ESM4,A
2024-03-10T21:00:00.000000000Z,9,NQM4,A
2024-03-11T00:00:00.000000000Z,8,"ES,M4",A
2024-03-11T00:00:00.246913689Z,9,NQM4,A
2024-03-11T01:30:00.000000000Z,8,ESU4,M
`;

const GLBX = 'glbx-mdp3-20240310.definition.csv';

let writtenCount = 0;

/** The path of a new file. */
function written(name: string, text: string | Buffer): string {
  const path = join(folder.path, `written-${writtenCount++}`, name);
  mkdirSync(dirname(path));
  writeFileSync(path, text);
  return path;
}

async function symbolsBy(name: string, text: string, definitions: string): Promise<string[]> {
  const { symbols } = await definedSymbols([written(name, text)], new AbortController().signal);
  const lines = textOf(withIdsOnly(definitions), 100, symbols).trimEnd().split('\n');
  return lines.slice(1).map((line) => /Z,.*?,((?:"[^"]*"|[^",]*))$/.exec(line)?.[1] ?? line);
}

it('a record has the symbol that is valid at its time, to the nanosecond', async () => {
  const found = await symbolsBy(GLBX, DEFINED, TRADES);
  expect(found).toEqual(['ESM4', 'ESM4', 'NQM4', '"ES,M4"', 'ESU4', 'NQM4']);
  const unordered = DEFINED.trimEnd().split('\n').slice(1).reverse();
  const text = [DEFINED.split('\n')[0], ...unordered, ''].join('\r\n');
  expect(await symbolsBy(GLBX, text, TRADES)).toEqual(found);
});

const signal = new AbortController().signal;
const of = (id: number, symbol: string, second: number) =>
  `2024-03-10T22:00:0${second}.000000000Z,${id},${symbol},A\n`;
const AT = [7, 19792, 79_200_000_000_000, 79_200_000_000_000] as const;
const HEADER = `${DEFINED.split('\n')[0]}\n`;

it('definitions of several datasets give ids the symbols of their own', async () => {
  const other = written('XNAS-ITCH-20240310.DEFINITION.csv', `${HEADER}${of(7, 'AAPL', 0)}`);
  // The metadata name the dataset of DBN.
  const renamed = written('xnas-itch-20240310.definition.dbn', readFileSync(DEFINITIONS));
  const { symbols } = await definedSymbols([other, renamed], signal);
  expect(textOf(withIdsOnly(TRADES), 100, symbols)).toBe(csvOf(TRADES));
  expect(symbols?.('XNAS.ITCH')(...AT)).toEqual(['AAPL']);
});

it('definitions have a limit, to which repetitions do not count', async () => {
  const repeated = [0, 1, 2, 3, 4].map((second) => of(7, 'ESM4', second)).join('');
  const file = written(GLBX, `${HEADER}${repeated}${of(9, 'NQM4', 0)}`);
  await expect(definedSymbols([file], signal, 1)).rejects.toThrow(`${file}: over 1 symbols`);
  await expect(definedSymbols([file], signal, 2)).resolves.toBeDefined();
});

it('a definition may repeat earlier ones in any order, but not differ from them', async () => {
  const lines = `${HEADER}${of(7, 'ESM4', 1)}${of(7, 'ESM4', 5)}`;
  const text = 'definitions of instrument id 7 are not in the order of time';
  const read = (line: string) => definedSymbols([written(GLBX, `${lines}${line}`)], signal);
  for (const second of [1, 2, 3, 4]) {
    await expect(read(of(7, 'ESM4', second))).resolves.toBeDefined();
    await expect(read(of(7, 'ESU4', second))).rejects.toThrow(text);
    await expect(read(of(7, 'ESU4', 6) + of(7, 'ESU4', second))).rejects.toThrow(text);
  }
});

it('definitions are read again if they change, and refused if they do so meanwhile', async () => {
  const file = written(GLBX, DEFINED);
  const found = await definedSymbols([file], signal);
  expect((await definedSymbols([file], signal)).symbols).toBe(found.symbols);
  appendFileSync(file, of(7, 'ESU4', 0));
  const { symbols } = await definedSymbols([file], signal);
  expect([found, { symbols }].map((each) => each.symbols?.('GLBX.MDP3')(...AT))).toEqual([
    ['ESM4'],
    ['ESU4'],
  ]);
  const other = written(GLBX, DEFINED);
  const reading = definedSymbols([other], signal);
  appendFileSync(other, of(9, 'NQM4', 0));
  await expect(reading).rejects.toThrow(`${other} was changed while it was loaded`);
});

it.each([
  ['the first nanosecond is too late', ['13689Z,9', '13690Z,9'], 'record 3 (2024-03-11T00:00:00'],
  ['it was deleted before', ['ESU4,M', 'ESU4,D'], 'record 5 (2024-03-11T02:00:00.493827267Z)'],
  [
    'it is of the day before',
    ['2024-03-10T21:00:00.000000000Z,7', '2024-03-09T21:00:00.000000000Z,7'],
    'has the instrument id 7, which no definition of that day',
  ],
  ['the last line is cut off', ['ESU4,M\n', 'ES'], 'the last line has no end'],
  [
    'a time is not readable',
    ['2024-03-10T21:00:00.000000000Z,7', '1710104400000000000,7'],
    'line 2 is no definition with a readable time',
  ],
  ['there are no such fields', ['raw_symbol', 'symbol'], 'definitions have the fields ts_recv,'],
])(
  'ids are refused where of their definition %s',
  async (_what, [found = '', other = ''], text) => {
    const changed = DEFINED.replace(found, other);
    await expect(symbolsBy(GLBX, changed, TRADES)).rejects.toThrow(text);
  },
);

it('definitions of other datasets, and bars of ids that change, are refused', async () => {
  await expect(symbolsBy('xnas-itch-20240310.definition.csv', DEFINED, TRADES)).rejects.toThrow(
    'it is of glbx-mdp3, but the definitions of xnas-itch',
  );
  await expect(symbolsBy('symbols.csv', DEFINED, TRADES)).rejects.toThrow("the vendor's names");
  const bars = 'glbx-mdp3-20240310-v3.ohlcv-1m.dbn';
  const within = `${DEFINED}2024-03-11T02:00:59.999999999Z,8,ESZ4,M\n`;
  await expect(symbolsBy(GLBX, within, bars)).rejects.toThrow(
    'record 5 (2024-03-11T02:00:00.000000000Z) has the instrument id 8, which definitions give several symbols: ESU4, ESZ4',
  );
  const after = within.replace('00:59.999999999', '01:00.000000000');
  const found = await symbolsBy(GLBX, after, bars);
  expect(found.slice(2)).toEqual(['NQM4', '"ES,M4"', 'ESU4', 'NQM4']);
});

it('letters that CSV gives a meaning stay single fields', () => {
  const bytes = bytesOf(names.find((name) => name.includes('v3.trades')) as string);
  const first = 8 + bytes.readUInt32LE(4);
  const actions = ['"', ',', '\n', '\r', '='].map((letter) => {
    bytes.write(letter, first + 28, 'latin1');
    const [header = '', ...lines] = new DbnText().push(bytes).toString().split('\n');
    const place = header.split(',').indexOf('action');
    const fields = lines.join('\n').split(',').slice(place);
    return fields.slice(0, letter === ',' ? 2 : 1).join();
  });
  expect(actions).toEqual(['""""', '","', '"\n"', '"\r"', '=']);
});

it('no digit of a price, a volume or a time is another one, however large', () => {
  const draws = drawsOf('values of DBN');
  const bytes = bytesOf(names.find((name) => name.includes('v3.ohlcv')) as string);
  const first = 8 + bytes.readUInt32LE(4);
  const priceOf = (value: bigint) => {
    const digits = `${value < 0n ? -value : value}`.padStart(10, '0');
    return `${value < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
  };
  const [largest, edge] = [2n ** 63n - 1n, 2n ** 53n];
  const usual = [0n, 1n, -1n, 999_999_999n, 1_000_000_000n, -largest - 1n, largest - 1n];
  const nines = [8_999_999_999_999_999n, 9_006_999_999_999_999n, 8_388_607_999_999_999n];
  const odd = [...usual, ...nines, ...[-1n, 0n, 1n].flatMap((more) => [edge + more, -edge + more])];
  for (let run = 0; run < 300; run++) {
    const bits = BigInt(draws.integer(1, 63));
    const drawn = BigInt.asIntN(64, (BigInt(draws.integer(0, 2 ** 31)) << bits) / 1_000_003n);
    const value = odd[run] ?? drawn;
    bytes.writeBigInt64LE(value, first + 16);
    bytes.writeBigInt64LE(value, first + 48);
    const nanos = BigInt.asUintN(64, value) % 1_000_000_000n;
    const second = bytes.readBigUInt64LE(first + 8) / 1_000_000_000n;
    bytes.writeBigUInt64LE(second * 1_000_000_000n + nanos, first + 8);
    const [time = '', , , , open, , , , volume] =
      `${new DbnText().push(bytes)}`.split('\n')[1]?.split(',') ?? [];
    expect([open, volume]).toEqual([priceOf(value), `${BigInt.asUintN(64, value)}`]);
    expect(time).toBe(`2024-03-10T22:00:00.${`${nanos}`.padStart(9, '0')}Z`);
  }
});
