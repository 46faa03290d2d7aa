/** Trading days that the rows of a derivation are computed without. */
import { tradingDayAfter } from '@ticklake/market/calendars.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { DerivationUnit } from './units.ts';

function gapText({ textId, calendar }: Dataset, after: string, before: string): string | null {
  const first = tradingDayAfter(calendar, after);
  if (first >= before) return null;
  let [last, count] = [first, 1];
  for (let day = tradingDayAfter(calendar, first); day < before; count++) {
    last = day;
    day = tradingDayAfter(calendar, day);
  }
  return count === 1
    ? `${textId} has no rows on ${first}, a trading day`
    : `${textId} has no rows from ${first} to ${last}, ${count} trading days`;
}

function isDay({ dates: { start, end } }: DerivationUnit): boolean {
  return start === end;
}

/**
 * In words: the gaps between units of single days, beside those that are computed. Which days a month or a year has is known
 * to what it was made of.
 */
export function gapsOf<U extends DerivationUnit>(
  inputOf: (unit: U) => Dataset,
  units: readonly U[],
  isChosen: (unit: U) => boolean,
): string[] {
  const present = units.filter((unit) => unit.part !== null && isDay(unit));
  return present.slice(1).flatMap((unit, i) => {
    const former = present[i] as U;
    if (!isChosen(unit) && !isChosen(former)) return [];
    return gapText(inputOf(unit), former.dates.end, unit.dates.start) ?? [];
  });
}
