/** Everything that a LEAN folder can fill, in the order in which it is published. */
import { EQUITY_FEEDS } from './equity-feeds.ts';
import { FACTOR_FEED } from './factor-files.ts';
import type { Feed } from './feed.ts';
import { FUTURES_FEEDS } from './futures-feeds.ts';
import { OPTION_FEEDS } from './option-feeds.ts';
import { SYMBOL_FEEDS } from './symbol-feeds.ts';

/** Full-day closures of the US equity markets. */
const HOLIDAY_FEED: Feed = {
  dataset: 'eq_market_holidays',
  kinds: ['market hours'],
  async *rows({ hours }) {
    yield hours.holidays.map((date) => ({ Date: date }));
  },
};

export const FEEDS: readonly Feed[] = [
  ...EQUITY_FEEDS,
  ...OPTION_FEEDS,
  ...FUTURES_FEEDS,
  ...SYMBOL_FEEDS,
  FACTOR_FEED,
  HOLIDAY_FEED,
];
