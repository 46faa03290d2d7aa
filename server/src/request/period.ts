/** A look-back window such as `5Y`, `2W` or `30D`. */
import { addDays, addYears } from './calendar-date.ts';

type PeriodUnit = 'Y' | 'W' | 'D';

export interface Period {
  readonly count: number;
  readonly unit: PeriodUnit;
}

export const PERIOD_PATTERN = '[1-9][0-9]{0,3}(Y|W|D)';

const ADD: Readonly<Record<PeriodUnit, (date: string, count: number) => string>> = {
  Y: addYears,
  W: (date, count) => addDays(date, 7 * count),
  D: addDays,
};

/** Null when the text is no period. */
export function parsePeriod(text: string): Period | null {
  const match = new RegExp(`^${PERIOD_PATTERN}$`).exec(text);
  if (!match) return null;
  return { count: Number(text.slice(0, -1)), unit: match[1] as PeriodUnit };
}

export function formatPeriod(period: Period): string {
  return `${period.count}${period.unit}`;
}

/** `date` moved by the period: later for sign 1, earlier for sign -1. */
export function shiftByPeriod(date: string, period: Period, sign: 1 | -1): string {
  return ADD[period.unit](date, sign * period.count);
}
