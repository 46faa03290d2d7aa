/** Ticker history: which ticker a company had from when to when. */
import { dateOfDays, daysOfDate } from '../../engine/columns.ts';
import type { Feed, LeanRow, Reading } from './feed.ts';
import { type MapRow, readMapRow } from './map-rows.ts';
import { type BadRows, readAllRecords } from './read-records.ts';
import { filesOf, type LeanFile } from './scan-folder.ts';
import { textFile } from './text-source.ts';

/** LEAN's last date of a ticker that is in use. */
const LEAN_OPEN_END = '2050-12-31';
/** The same in the datasets. */
const OPEN_END = '2099-12-31';

export interface TickerPeriod {
  readonly ticker: string;
  /** Null where the file does not say it. */
  readonly startDate: string | null;
  /** Included. */
  readonly endDate: string;
}

function dayAfter(date: string): string {
  return dateOfDays(daysOfDate(date) + 1);
}

/** The first row holds the first day, each later one a ticker's last; equal neighbours are one. */
function periodsOf(rows: readonly MapRow[]): TickerPeriod[] {
  const sorted = rows.toSorted((a, b) => (a.lastDate < b.lastDate ? -1 : 1));
  const [first, ...later] = sorted;
  if (!first) return [];
  const periods: TickerPeriod[] = [];
  let startDate: string | null = later.length > 0 ? first.lastDate : null;
  for (const { lastDate, ticker } of later.length > 0 ? later : sorted) {
    const previous = periods.at(-1);
    const isSame = previous?.ticker === ticker;
    if (isSame) periods.pop();
    const endDate = lastDate === LEAN_OPEN_END ? OPEN_END : lastDate;
    periods.push({ ticker, startDate: isSame ? previous.startDate : startDate, endDate });
    startDate = dayAfter(lastDate);
  }
  return periods;
}

export async function readPeriods(file: LeanFile, badRows: BadRows): Promise<TickerPeriod[]> {
  return periodsOf(await readAllRecords(textFile(file), readMapRow, badRows));
}

async function* lookupRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for (const file of filesOf(reading.folder, 'map files')) {
    const periods = await readPeriods(file, reading.badRows);
    yield periods.map(({ ticker, startDate, endDate }) => ({
      Ticker: ticker,
      StartDate: startDate,
      EndDate: endDate,
    }));
  }
}

export const MAP_FEED: Feed = {
  dataset: 'eq_lookup_files',
  kinds: ['map files'],
  rows: lookupRows,
};
