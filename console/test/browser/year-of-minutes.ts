/** A year of minute bars of one ticker, for the chart. */
import { systemClock } from 'ticklake/base/clock.ts';
import { batchOfRows, type CellValue } from 'ticklake/engine/columns.ts';
import { openServices } from 'ticklake/open-services.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { publishBatches } from '../../../server/test/publish-batches.ts';
import { explorerPath } from './explorer-page.ts';

export const DAYS = 262;
const MINUTES_PER_DAY = 436;
export const BARS = DAYS * MINUTES_PER_DAY;
const LAST_DAY_MS = Date.parse('2026-06-30');
const DAY_MS = 86_400_000;
const NANOSECONDS_PER_MINUTE = 60_000_000_000n;
/** Half past nine in New York, in winter; so early that all minutes are of one day. */
const FIRST_MINUTE = 14 * 60 + 30;

function weekdays(count: number): string[] {
  const days: string[] = [];
  for (let time = LAST_DAY_MS; days.length < count; time -= DAY_MS) {
    const day = new Date(time);
    if (day.getUTCDay() % 6 !== 0) days.unshift(day.toISOString().slice(0, 10));
  }
  return days;
}

const inCents = (price: number) => Math.round(price * 100) / 100;

function minuteBars(day: string, index: number): CellValue[][] {
  const begin = BigInt(Date.parse(day)) * 1_000_000n;
  return Array.from({ length: MINUTES_PER_DAY }, (_, minute) => {
    const time = begin + BigInt(FIRST_MINUTE + minute) * NANOSECONDS_PER_MINUTE;
    const open = 100 + Math.round(1000 * Math.sin((index * MINUTES_PER_DAY + minute) / 999)) / 100;
    const prices = [open, open + 0.05, open - 0.04, open + 0.01, open].map(inCents);
    return [day, time, 'YEAR', 1, ...prices, 100 + ((minute * 7919) % 997), 5];
  });
}

export async function publishYear(home: string): Promise<void> {
  const services = await openServices({ ...readConfig({}), home }, systemClock);
  const defined = services.catalog.byTextId('eq_trades_1min');
  if (!defined) throw new Error('the catalogue has no minute bars');
  // Every weekday is a trading day here.
  const dataset = { ...defined, checks: [] };
  async function* batches() {
    for (const [index, day] of weekdays(DAYS).entries()) {
      yield batchOfRows(dataset.columns, minuteBars(day, index));
    }
  }
  await publishBatches(services.lake, {
    dataset,
    mode: 'replace-all',
    vendor: 'Test',
    batches: batches(),
  });
  await services.close();
}

/** The Explorer at the bars of an interval. */
export const yearPath = (interval: '1d' | '1m') =>
  explorerPath({
    ...{ dataset: 'US1014', identifier: 'YEAR', tab: 'chart', run: true },
    ...{ range: '1Y', interval },
  });
