/** Products of a security's adjustment factors, by the days between its events. */
import {
  type AdjustmentEvent,
  type AdjustmentFactors,
  buildFactorTable,
  UNADJUSTED,
  withEvent,
} from './adjustment.ts';
import type { Cell } from './row-sources.ts';
import { OPEN_END_DATE } from './security-master.ts';

const DAY_MS = 86_400_000;

/** Days of a security between two of its effective dates, `YYYY-MM-DD`, both included. */
export interface FactorInterval {
  /** Null before the first event. */
  readonly startDate: string | null;
  /** `OPEN_END_DATE` after the last event. */
  readonly endDate: string;
  /** The product of all later events: prices times it are in the terms of the last day. */
  readonly backward: AdjustmentFactors;
  /** The product up to the first day: prices divided by it are in the oldest terms. */
  readonly forward: AdjustmentFactors;
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10);
}

/** The intervals of one security, oldest first; those of no event are none. */
export function factorIntervals(events: readonly AdjustmentEvent[]): FactorInterval[] {
  const table = buildFactorTable(events);
  const byDate = Map.groupBy(events, ({ effectiveDate }) => effectiveDate);
  const dates = [...byDate.keys()].sort();
  const [first] = events;
  if (!first) return [];
  let forward = UNADJUSTED;
  return [null, ...dates].map((startDate, i) => {
    if (startDate !== null) forward = (byDate.get(startDate) ?? []).reduce(withEvent, forward);
    const next = dates[i];
    const endDate = next === undefined ? OPEN_END_DATE : dayBefore(next);
    const { price, volume } = table.factorsOn(first.security, endDate);
    return { startDate, endDate, backward: { price, volume }, forward };
  });
}

export const CUMULATIVE_FACTOR_COLUMNS = [
  'ASID',
  'Ticker',
  'StartDate',
  'EndDate',
  'PriceBackwardFactor',
  'VolumeBackwardFactor',
  'PriceForwardFactor',
  'VolumeForwardFactor',
] as const;

type CumulativeFactorRow = Readonly<Record<(typeof CUMULATIVE_FACTOR_COLUMNS)[number], Cell>>;

/** An event with the symbol of its security on its effective date; null: it had none. */
export interface NamedEvent extends AdjustmentEvent {
  readonly ticker: string | null;
}

/** The factors of an interval: at the event that ends it, or at the last one. */
function tickerAt(events: readonly NamedEvent[], endDate: string): string | null {
  const sorted = events.toSorted((a, b) => (a.effectiveDate < b.effectiveDate ? -1 : 1));
  const ending = sorted.find(({ effectiveDate }) => effectiveDate > endDate) ?? sorted.at(-1);
  return ending?.ticker ?? null;
}

/** The intervals of all securities, by ASID and date. */
export function cumulativeFactorRows(events: readonly NamedEvent[]): CumulativeFactorRow[] {
  const byAsid = [...Map.groupBy(events, ({ security }) => Number(security))].sort(
    ([a], [b]) => a - b,
  );
  return byAsid.flatMap(([asid, own]) =>
    factorIntervals(own).map(({ startDate, endDate, backward, forward }) => ({
      ASID: asid,
      Ticker: tickerAt(own, endDate),
      StartDate: startDate,
      EndDate: endDate,
      PriceBackwardFactor: backward.price,
      VolumeBackwardFactor: backward.volume,
      PriceForwardFactor: forward.price,
      VolumeForwardFactor: forward.volume,
    })),
  );
}
