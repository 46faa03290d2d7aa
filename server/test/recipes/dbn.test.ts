/** DBN files are read as the CSV that the vendor's library makes of them: `dbn/make-files.py`. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { DbnText } from '../../src/ingest/dbn-text.ts';
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

/** The CSV of the vendor with the fields that the text has. */
function sameFields(name: string, text: string): string {
  const [header = '', ...lines] = csvOf(name).split('\n');
  const names = header.split(',');
  const places = (text.split('\n', 1)[0] ?? '').split(',').map((field) => names.indexOf(field));
  const picked = lines.map((line) => line && places.map((at) => line.split(',')[at]).join());
  return [places.map((at) => names[at]).join(), ...picked].join('\n');
}

/** The text of the bytes in chunks of a size. */
function textOf(bytes: Buffer, chunkBytes: number): string {
  const dbn = new DbnText();
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
    const [first = '', , third = ''] = names.filter((name) => name.includes(schema));
    const rows = await load(basename(first).replace('.dbn', '.csv'), csvOf(first));
    // One of the definitions is that of a deleted contract.
    expect(rows).toHaveLength(schema === 'definition' ? 5 : 6);
    expect(await load(first, bytesOf(first))).toEqual(rows);
    expect(await load(`${third}.zst`, zstdCompressSync(bytesOf(third)))).toEqual(rows);
  },
);

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

it('a file without symbols is refused, unless it has no records or its records name them', () => {
  for (const name of names.filter((each) => each.includes('v3'))) {
    const bytes = bytesOf(name);
    const records = bytes.subarray(8 + bytes.readUInt32LE(4));
    const metadata = Buffer.concat([bytes.subarray(0, 112), Buffer.alloc(4 * 4)]);
    metadata.writeUInt32LE(metadata.length - 8, 4);
    expect(textOf(metadata, 7)).toMatch(/^[a-z0-9_,]+,symbol\n$/);
    const text = () => textOf(Buffer.concat([metadata, records]), 7);
    if (isPart(name)) expect(text()).toContain(',BRK.B,');
    else expect(text).toThrow('does not say which symbols its instruments have');
  }
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
