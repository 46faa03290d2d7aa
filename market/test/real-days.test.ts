/**
 * Real trades of 2013 against the minute bars that another engine built from the same feed. The
 * engines differ in which trades set prices and in the minute that an auction's print goes to, so
 * this compares what both must agree on.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { EQUITY_TRADE_BAR } from '../src/equity-bar-columns.ts';
import { equityMinuteBars } from '../src/equity-bars.ts';
import { equityDailyOhlc } from '../src/equity-daily-ohlc.ts';
import type { EquityEvent } from '../src/events.ts';
import { columnValues } from '../src/number-table.ts';

const FOLDER = new URL('../../../shared/real-data/lean/equity/usa/', import.meta.url);
const hasData = existsSync(FOLDER);
const AUCTION_MINUTES = new Set([570, 571, 959, 960, 961]);

/** The lines of the only file in a zip archive, by its central directory. */
function rowsOf(path: string): string[][] {
  const zip = readFileSync(new URL(path, FOLDER));
  const entry = zip.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  const size = zip.readUInt32LE(entry + 20);
  const header = zip.readUInt32LE(entry + 42);
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const text = inflateRawSync(zip.subarray(start, start + size)).toString();
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
}

function events(ticker: string, date: string): EquityEvent[] {
  return rowsOf(`tick/${ticker}/${date}_trade.zip`).map(
    ([milliseconds, price, quantity, , conditions]) => ({
      nanosOfDay: Number(milliseconds) * 1e6,
      type: 'TRADE',
      price: Number(price) / 10_000,
      quantity: Number(quantity),
      exchange: '',
      conditions: Number.parseInt(conditions as string, 16),
    }),
  );
}

const days = hasData
  ? ['ibm', 'spy'].flatMap((ticker) =>
      readdirSync(new URL(`tick/${ticker}/`, FOLDER))
        .filter((name) => name.endsWith('_trade.zip'))
        .map((name) => [ticker, name.slice(0, 8)] as const),
    )
  : [];

describe.skipIf(!hasData)('real trading days', () => {
  it('are there', () => expect(days.length).toBe(10));

  it.each(days)(
    '%s on %s has the minutes and, auctions apart, the volumes of the other engine',
    (ticker, date) => {
      const day = { events: events(ticker, date), isHalfDay: false, averagePrice: null };
      const [table] = equityMinuteBars(day, 'industry_std', [EQUITY_TRADE_BAR]);
      const volumes = columnValues(table!, 'Volume');
      const ours = new Map([...table!.startNanos].map((nanos, i) => [nanos / 60e9, volumes[i]]));
      const rows = rowsOf(`minute/${ticker}/${date}_trade.zip`);
      const theirs = new Map(rows.map((row) => [Number(row[0]) / 60_000, Number(row[5])]));
      expect([...ours.keys()]).toEqual([...theirs.keys()]);
      const different = [...theirs].filter(([minute, volume]) => ours.get(minute) !== volume);
      expect(different.filter(([minute]) => !AUCTION_MINUTES.has(minute))).toEqual([]);
    },
  );

  it('closes IBM at the price of its closing auction on each day', () => {
    const closes = days
      .filter(([ticker]) => ticker === 'ibm')
      .map(([ticker, date]) => {
        const day = { events: events(ticker, date), isHalfDay: false, averagePrice: null };
        const table = equityDailyOhlc(day, 'vendor_default');
        return [date, columnValues(table, 'ClosePrice')[0]];
      });
    const theirs = rowsOf('daily/ibm.zip').map((row) => [
      row[0]?.slice(0, 8),
      Number(row[4]) / 10_000,
    ]);
    expect(theirs).toEqual(expect.arrayContaining(closes));
    expect(closes.length).toBe(5);
  });
});
