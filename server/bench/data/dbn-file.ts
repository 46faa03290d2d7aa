/** Files of Databento: records of 60 contracts in the order of a feed. */
import { DbnText } from '../../src/ingest/dbn-text.ts';

const ROOTS = [
  ...['ES', 'NQ', 'YM', 'RTY', 'CL', 'NG', 'GC', 'SI', 'HG', 'ZB', 'ZN', 'ZF', 'ZT', 'ZC', 'ZS'],
  ...['ZW', '6E', '6J', '6B', '6A'],
];
const SYMBOLS = ROOTS.flatMap((root) => ['H4', 'M4', 'U4'].map((month) => `${root}${month}`));
const START_NANOS = 1_710_201_600_000_000_000n; // 2024-03-12T00:00Z
const FEED_SECONDS = 80_000;
const BILLION = 1_000_000_000;

interface Layout {
  readonly schema: number;
  readonly rtype: number;
  readonly bytes: number;
}

const LAYOUTS = {
  'mbp-1': { schema: 1, rtype: 1, bytes: 80 },
  trades: { schema: 4, rtype: 0, bytes: 48 },
  'ohlcv-1m': { schema: 6, rtype: 33, bytes: 56 },
} as const satisfies Record<string, Layout>;

export type DbnSchema = keyof typeof LAYOUTS;

/** Metadata of version 1, which give the instrument ids their symbols. */
function metadata(schema: number): Buffer {
  const head = Buffer.alloc(112);
  head.write('DBN\x01', 'latin1');
  head.write('GLBX.MDP3', 8);
  head.writeUInt16LE(schema, 24);
  head[58] = 1; // Symbols are asked for, instrument ids found.
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const text = (value: string) => Buffer.from(value.padEnd(22, '\0'));
  const mappings = SYMBOLS.flatMap((symbol, id) => [
    ...[text(symbol), number(1), number(20_240_311), number(20_240_401), text(`${id + 1}`)],
  ]);
  const lists = [number(0), number(0), number(0), number(SYMBOLS.length), ...mappings];
  const whole = Buffer.concat([head, ...lists]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

/** A number below `count`, always the same one for a record. */
const drawn = (i: number, salt: number, count: number) =>
  (Math.imul(Math.imul(i + 1, 2_654_435_761) ^ (salt * 40_503), 2_246_822_519) >>> 5) % count;

export function dbnFile(name: DbnSchema, records: number): Buffer {
  const { schema, rtype, bytes } = LAYOUTS[name];
  const head = metadata(schema);
  const file = Buffer.alloc(head.length + records * bytes);
  head.copy(file);
  const step = Math.floor((FEED_SECONDS / records) * BILLION);
  for (let i = 0, at = head.length; i < records; i++, at += bytes) {
    const price = (salt: number) => BigInt(1000 + drawn(i, salt, 4000)) * 250_000_000n;
    const isBar = name === 'ohlcv-1m';
    const nanos = isBar
      ? BigInt(Math.floor(i / SYMBOLS.length) * 60) * BigInt(BILLION)
      : BigInt(i) * BigInt(step) + BigInt(drawn(i, 1, step));
    const id = isBar ? i % SYMBOLS.length : drawn(i, 2, SYMBOLS.length);
    file[at] = bytes / 4;
    file[at + 1] = rtype;
    file.writeUInt16LE(1, at + 2);
    file.writeUInt32LE(id + 1, at + 4);
    file.writeBigUInt64LE(START_NANOS + nanos, at + 8);
    if (isBar) {
      // Open, high, low and close.
      const low = price(3);
      for (const [place, above] of [1, 9, 0, 4].entries()) {
        file.writeBigInt64LE(low + BigInt(above) * 250_000_000n, at + 16 + place * 8);
      }
      file.writeBigUInt64LE(BigInt(drawn(i, 8, 5000)), at + 48);
    } else {
      file.writeBigInt64LE(price(4), at + 16);
      file.writeUInt32LE(1 + drawn(i, 5, 30), at + 24);
      file.write(name === 'trades' ? 'T' : ('TACM'[drawn(i, 6, 4)] as string), at + 28);
      file.write('AB'[drawn(i, 7, 2)] as string, at + 29);
      file.writeBigUInt64LE(START_NANOS + nanos + 123n, at + 32);
      file.writeUInt32LE(i, at + 44);
    }
    if (name === 'mbp-1') {
      for (const place of [48, 56]) file.writeBigInt64LE(price(place), at + place);
      for (const place of [64, 68, 72, 76]) file.writeUInt32LE(1 + drawn(i, place, 90), at + place);
    }
  }
  return file;
}

/** The CSV that the vendor makes of it. */
export function csvOfDbn(file: Buffer): Buffer {
  return new DbnText().push(file);
}
