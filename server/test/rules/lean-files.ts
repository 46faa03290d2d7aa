/** Real trades of 2013, and the bars that another engine, LEAN, built of the same feed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import type { EquityEvent } from '@ticklake/market/events.ts';

const FOLDER = new URL('../../../../shared/real-data/lean/equity/usa/', import.meta.url);

export const hasLeanFiles = existsSync(FOLDER);

/** Bytes of a zip archive's central directory and local headers. */
const ZIP = { sizeAt: 20, headerAt: 42, headerBytes: 30, nameBytesAt: 26, extraBytesAt: 28 };

/** The cells of the only file in an archive. */
function rowsOf(path: string): string[][] {
  const zip = readFileSync(new URL(path, FOLDER));
  const entry = zip.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  const header = zip.readUInt32LE(entry + ZIP.headerAt);
  const names =
    zip.readUInt16LE(header + ZIP.nameBytesAt) + zip.readUInt16LE(header + ZIP.extraBytesAt);
  const start = header + ZIP.headerBytes + names;
  const packed = zip.subarray(start, start + zip.readUInt32LE(entry + ZIP.sizeAt));
  const text = inflateRawSync(packed).toString().trim();
  return text.split('\n').map((line) => line.split(','));
}

export interface LeanTrade extends EquityEvent {
  readonly type: 'TRADE';
  /** LEAN marks it as wrong. */
  readonly isSuspicious: boolean;
}

/** Trades of `day`, `YYYYMMDD`; `exchange` is LEAN's letter. */
export function leanTrades(ticker: string, day: string): LeanTrade[] {
  return rowsOf(`tick/${ticker}/${day}_trade.zip`).map((cells) => {
    const [milliseconds, price, quantity, exchange = '', conditions = '', suspicious] = cells;
    return {
      nanosOfDay: Number(milliseconds) * 1e6,
      type: 'TRADE',
      price: Number(price) / 10_000,
      quantity: Number(quantity),
      exchange,
      conditions: Number.parseInt(conditions, 16),
      isSuspicious: suspicious === '1',
    };
  });
}

/** Open, high, low and close in dollars, and shares. */
export type PlainBar = readonly [number, number, number, number, number];

function barOf([open, high, low, close, volume]: readonly string[]): PlainBar {
  const [first, highest, lowest, last] = [open, high, low, close].map((x) => Number(x) / 10_000);
  return [first, highest, lowest, last, Number(volume)] as PlainBar;
}

/** By the minute of the day. */
export function leanMinutes(ticker: string, day: string): Map<number, PlainBar> {
  const rows = rowsOf(`minute/${ticker}/${day}_trade.zip`);
  return new Map(rows.map(([start, ...cells]) => [Number(start) / 60_000, barOf(cells)]));
}

/** By the day. */
export function leanDays(ticker: string): Map<string, PlainBar> {
  const rows = rowsOf(`daily/${ticker}.zip`);
  return new Map(rows.map(([start = '', ...cells]) => [start.slice(0, 8), barOf(cells)]));
}

/** The days that there are trades of. */
export function leanTickDays(ticker: string): string[] {
  if (!hasLeanFiles) return [];
  return readdirSync(new URL(`tick/${ticker}/`, FOLDER))
    .filter((name) => name.endsWith('_trade.zip'))
    .map((name) => name.slice(0, 8))
    .sort();
}
