/** Adjustment factors: LEAN's cumulative backward factors as one factor for each event. */
import { nextTradingDay } from '@ticklake/market/calendar.ts';
import { type FactorRow, readFactorRow } from './factor-rows.ts';
import type { Feed, LeanRow, Reading } from './feed.ts';
import { readPeriods, type TickerPeriod } from './map-files.ts';
import { BadRows, readAllRecords } from './read-records.ts';
import { filesOf, type LeanFile } from './scan-folder.ts';
import { textFile } from './text-source.ts';

const SIGNIFICANT_DIGITS = 15;

interface AdjustmentEvent {
  readonly effectiveDate: string;
  readonly factor: number;
  readonly reason: 'CashDiv' | 'Subdiv' | 'Cons';
}

/** A row's factors hold through its date, so the step to the next row is the day's own factor. */
function stepFactor(factor: number, nextFactor: number): number {
  return Number((factor / nextFactor).toPrecision(SIGNIFICANT_DIGITS));
}

/** The events of a file, oldest first. `nextDay` gives the trading day after a date. */
function eventsOf(
  rows: readonly FactorRow[],
  nextDay: (date: string) => string,
): AdjustmentEvent[] {
  const sorted = rows.toSorted((a, b) => (a.lastDate < b.lastDate ? -1 : 1));
  return sorted.slice(0, -1).flatMap((row, i) => {
    const next = sorted[i + 1] as FactorRow;
    const effectiveDate = nextDay(row.lastDate);
    const dividend = stepFactor(row.priceFactor, next.priceFactor);
    const split = stepFactor(row.splitFactor, next.splitFactor);
    const events: AdjustmentEvent[] = [
      { effectiveDate, factor: dividend, reason: 'CashDiv' },
      { effectiveDate, factor: split, reason: split < 1 ? 'Subdiv' : 'Cons' },
    ];
    return events.filter(({ factor }) => factor !== 1);
  });
}

/** The closures that the folder lists count besides those of the calendar's rules. */
function nextDayOf(reading: Reading): (date: string) => string {
  const closed = new Set(reading.hours.holidays);
  return (date) => {
    let next = nextTradingDay(date);
    while (closed.has(next)) next = nextTradingDay(next);
    return next;
  };
}

/** Null where the company had no ticker on that date. */
function tickerOn(periods: readonly TickerPeriod[], date: string): string | null {
  const isIn = ({ startDate, endDate }: TickerPeriod) =>
    (startDate === null || startDate <= date) && date <= endDate;
  return periods.find(isIn)?.ticker ?? null;
}

/** LEAN tells companies of one ticker apart by a number after a dot. */
function tickerWithoutMap({ symbol }: LeanFile): string {
  return symbol.replace(/\.\d+$/, '').toUpperCase();
}

async function* factorRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  const maps = new Map(filesOf(reading.folder, 'map files').map((file) => [file.symbol, file]));
  const nextDay = nextDayOf(reading);
  for (const file of filesOf(reading.folder, 'factor files')) {
    const map = maps.get(file.symbol);
    // Bad lines of map files are counted where those are imported.
    const periods = map && (await readPeriods(map, new BadRows()));
    const rows = await readAllRecords(textFile(file), readFactorRow, reading.badRows);
    yield eventsOf(rows, nextDay).map(({ effectiveDate, factor, reason }) => ({
      Ticker: periods ? tickerOn(periods, effectiveDate) : tickerWithoutMap(file),
      EffectiveDate: effectiveDate,
      AdjustmentFactor: factor,
      AdjustmentReason: reason,
    }));
  }
}

export const FACTOR_FEED: Feed = {
  dataset: 'eq_adj_factors_basic',
  kinds: ['factor files'],
  rows: factorRows,
};
