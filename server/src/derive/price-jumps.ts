/** Holds adjustment factors against the closing prices that they restate: each doubt is a warning. */
import type { AdjustmentEvent } from '@ticklake/market/adjustment.ts';
import { type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import { addDays } from '../request/calendar-date.ts';
import type { ComputationInput } from './computation.ts';

const CLOSE = 'ClosePrice';
const COLUMNS = ['TradeDate', 'Ticker', 'ASID', CLOSE];
/** Calendar days before the first date of which the last close counts. */
const CLOSE_AGE_DAYS_MAX = 14;
/** Smaller factors are lost in what prices do on any day. */
const FACTOR_MIN = 1.25;
/** How near a price has to come to 1/n or n of the one before for that to look like a split. */
const SPLIT_TOLERANCE = 0.03;
const SPLIT_MAX = 100;

/** In logarithms, so that a split and its inverse count alike. */
const sizeOf = (ratio: number) => Math.abs(Math.log(ratio));

/** Whether the price moved less like the factor than like no factor at all. */
function contradicts(moved: number, factor: number): boolean {
  return sizeOf(factor) > Math.log(FACTOR_MIN) && sizeOf(moved / factor) > sizeOf(moved);
}

/** Whether a price moved to a whole part or a multiple of itself. */
function looksLikeSplit(moved: number): boolean {
  const ratio = Math.max(moved, 1 / moved);
  const whole = Math.round(ratio);
  return whole >= 2 && whole <= SPLIT_MAX && Math.abs(ratio / whole - 1) < SPLIT_TOLERANCE;
}

interface Close {
  readonly day: number;
  readonly price: number;
}

/** The product of the factors that take effect after one date and up to another; null: there are none. */
function factorBetween(events: readonly AdjustmentEvent[], after: string, until: string) {
  const between = events.filter(
    ({ effectiveDate }) => after < effectiveDate && effectiveDate <= until,
  );
  return between.length === 0 ? null : between.reduce((all, { factor }) => all * factor, 1);
}

/** Does nothing where rows are not of a security and day each, with a close. */
export async function warnOfJumps(
  { inputs: [rows, factors], dates, read, warn }: ComputationInput,
  events: readonly AdjustmentEvent[],
): Promise<void> {
  const isDaily = rows?.columns.every(({ dataType }) => dataType !== 'date-time');
  if (!factors || !isDaily || !rows?.columnByName.has(CLOSE)) return;
  const eventsOf = Map.groupBy(events, ({ asid }) => Number(asid));
  const closes = new Map<number, Close>();
  const start = addDays(dates.start, -CLOSE_AGE_DAYS_MAX);
  for await (const { columns, rowCount } of read(rows, COLUMNS, { ...dates, start })) {
    const [days, tickers, asids, prices] = columns as [
      ...[ColumnVector, ColumnVector, ColumnVector, ColumnVector],
    ];
    const [dayAt, idAt, priceAt] = [days, asids, prices].map(doubleReader) as [
      ...[(row: number) => number, (row: number) => number, (row: number) => number],
    ];
    const tickerAt = textReader(tickers);
    for (let row = 0; row < rowCount; row++) {
      const [day, id, price] = [dayAt(row), idAt(row), priceAt(row)];
      if (Number.isNaN(id) || !(price > 0)) continue;
      const last = closes.get(id);
      closes.set(id, { day, price });
      if (!last || last.day === day) continue;
      const moved = price / last.price;
      if (sizeOf(moved) < Math.log(FACTOR_MIN) && !eventsOf.has(id)) continue;
      const [before, date] = [dateOfDays(last.day), dateOfDays(day)];
      const factor = factorBetween(eventsOf.get(id) ?? [], before, date);
      if (date < dates.start) continue;
      if (factor === null ? !looksLikeSplit(moved) : !contradicts(moved, factor)) continue;
      warn(
        `${rows.textId} ${date} ${tickerAt(row)}: the close went from ${last.price} to ${price}, where ` +
          `${factors.textId} has ${factor === null ? 'no factor' : `a factor of ${factor}`}`,
      );
    }
  }
}
