/** Map files that contradict each other: two claim one ticker on one day. */
import { BadField } from './fields.ts';
import type { Chain } from './map-files.ts';
import { type Claim, claimsOf, firstSharedDay, withoutClaims } from './ticker-days.ts';

export interface Contradiction {
  readonly fileName: string;
  readonly error: BadField;
}

function contradictionOf(earlier: Claim<Chain>, later: Claim<Chain>): Contradiction | null {
  const day = firstSharedDay(earlier.at, later.at);
  if (day === null || earlier.of === later.of) return null;
  const reason = `one company's on ${day}: ${earlier.of.file.name} claims it, too`;
  return {
    fileName: later.of.file.name,
    error: new BadField('ticker', later.at.ticker, reason),
  };
}

/** The first day of each ticker on which two have it, for each period that begins within another one. */
export function contradictionsOf(chains: readonly Chain[]): Contradiction[] {
  return [...claimsOf(chains).values()].flatMap((claims) => {
    const sorted = claims.toSorted((a, b) => (a.at.startDate < b.at.startDate ? -1 : 1));
    let last = sorted[0] as Claim<Chain>;
    return sorted.slice(1).flatMap((claim) => {
      const found = contradictionOf(last, claim);
      if (claim.at.endDate > last.at.endDate) last = claim;
      return found ?? [];
    });
  });
}

/** The chains without the days that one before them has, so that a ticker is one company's on each day. */
export function separate(chains: readonly Chain[]): Chain[] {
  const taken = new Map<string, Claim<Chain>[]>();
  const separated = new Map<string, Chain>();
  for (const chain of chains) {
    const key = `${chain.firstTicker} ${chain.firstDate}`;
    if (separated.has(key)) continue;
    const periods = withoutClaims(chain.periods, taken);
    separated.set(key, { ...chain, periods });
    for (const at of periods) {
      taken.set(at.ticker, [...(taken.get(at.ticker) ?? []), { of: chain, at }]);
    }
  }
  return [...separated.values()];
}
