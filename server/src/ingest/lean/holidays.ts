/** Full-day closures of the US equity markets. */
import type { Feed, LeanRow, Reading } from './feed.ts';

async function* holidayRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  yield reading.hours.holidays.map((date) => ({ Date: date }));
}

export const HOLIDAY_FEED: Feed = {
  dataset: 'eq_market_holidays',
  kinds: ['market hours'],
  rows: holidayRows,
};
