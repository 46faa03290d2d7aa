/** Adjustment factors: LEAN's cumulative backward factors as one factor for each event. */
import { nextTradingDay } from '@ticklake/market/calendar.ts';
import type { Security } from '../../store/securities.ts';
import type { Feed, LeanRow, Reading } from './feed.ts';
import { LEAN_OPEN_END } from './map-files.ts';
import { type FactorRow, readFactorRow } from './records.ts';
import { filesOf, type LeanFile } from './scan-folder.ts';
import { readAllRecords, textFile } from './text-source.ts';

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
function tickerOn({ periods }: Security, date: string): string | null {
  return periods.find((each) => each.startDate <= date && date <= each.endDate)?.ticker ?? null;
}

/** LEAN tells companies of one ticker apart by a number after a dot. */
export function tickerWithoutMap({ symbol }: LeanFile): string {
  return symbol.replace(/\.\d+$/, '').toUpperCase();
}

/** The last day of a factor file. A ticker without a map file is looked up by it. */
export function lastFactorDate(rows: readonly FactorRow[]): string | null {
  const dates = rows.map(({ lastDate }) => lastDate).filter((date) => date < LEAN_OPEN_END);
  return dates.toSorted().at(-1) ?? null;
}

interface Company {
  readonly securityId: number | null;
  readonly tickerOn: (date: string) => string | null;
}

function companyOf({ identities }: Reading, file: LeanFile, rows: readonly FactorRow[]): Company {
  const known = identities.ofHistory(file.symbol);
  if (known) return { securityId: known.securityId, tickerOn: (date) => tickerOn(known, date) };
  const ticker = tickerWithoutMap(file);
  const lastDate = lastFactorDate(rows);
  const securityId = lastDate === null ? null : identities.on(ticker, lastDate);
  return { securityId, tickerOn: () => ticker };
}

async function* factorRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  const nextDay = nextDayOf(reading);
  for (const file of filesOf(reading.folder, 'factor files')) {
    const rows = await readAllRecords(textFile(file), readFactorRow, reading.badRows);
    const company = companyOf(reading, file, rows);
    yield eventsOf(rows, nextDay).map(({ effectiveDate, factor, reason }) => ({
      SecId: company.securityId,
      ASID: company.securityId,
      Ticker: company.tickerOn(effectiveDate),
      EffectiveDate: effectiveDate,
      AdjustmentFactor: factor,
      AdjustmentReason: reason,
    }));
  }
}

export const FACTOR_FEED: Feed = {
  dataset: 'eq_adj_factors_basic',
  kinds: ['factor files'],
  // A file has all events of its company.
  replaces: 'companies',
  rows: factorRows,
};
