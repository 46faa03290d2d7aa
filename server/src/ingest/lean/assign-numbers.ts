/**
 * Gives permanent numbers to the companies of map files, and to tickers that no map file names. A
 * company is known by the first line of its map file; what is known of its tickers is what was
 * imported last.
 */
import { createHash } from 'node:crypto';
import type { Security } from '../../store/securities.ts';
import type { Chain } from './map-files.ts';
import { claimsOf, firstSharedDay, withoutClaims } from './ticker-days.ts';

/** Days on which rows of a ticker were met that no map file gives to a company. */
export interface TickerUse {
  readonly ticker: string;
  readonly firstDate: string;
  readonly lastDate: string;
}

export interface Numbers {
  /** All, those of the ledger and the new ones. */
  readonly securities: readonly Security[];
  readonly changed: readonly Security[];
  /** Numbers that were wrong until now, each a line. */
  readonly warnings: readonly string[];
}

type Identity = Pick<Security, 'firstTicker' | 'firstDate'>;
type History = Pick<Security, 'firstTicker' | 'firstDate' | 'periods'>;
type Ledger = Map<number, Security>;
type Taken = ReadonlySet<number>;

const NONE: Taken = new Set();

/** At most 13 digits, which JSON and floating point keep. */
const NUMBER_BYTES = 5;

const keyOf = ({ firstTicker, firstDate }: Identity) => `${firstTicker} ${firstDate ?? ''}`;
const hasHistory = ({ firstDate }: Security) => firstDate !== null;

/** A hash of what identifies the company, equal in every home; never a number in use. */
function newNumber(identity: Identity, ledger: Ledger, taken: Taken = NONE): number {
  const digest = createHash('sha256').update(keyOf(identity)).digest();
  let number = digest.readUIntBE(0, NUMBER_BYTES) + 1;
  while (ledger.has(number) || taken.has(number)) number += 1;
  return number;
}

/**
 * Tickers without a history of which one arrives: the numbers that they have, by the key of the
 * chain. Where some of the days on which a ticker was met may be those of another company, it stays
 * what it is.
 */
function adoptedNumbers(ledger: Ledger, chains: readonly History[]): Map<string, number> {
  const claims = claimsOf(chains);
  const adopted = new Map<string, number>();
  for (const security of ledger.values()) {
    const [met] = hasHistory(security) ? [] : security.periods;
    if (!met) continue;
    const claim = (claims.get(met.ticker) ?? []).find(({ at }) => firstSharedDay(at, met));
    const isWhole = claim && withoutClaims([met], claimsOf([claim.of])).length === 0;
    if (isWhole) adopted.set(keyOf(claim.of), security.securityId);
  }
  return adopted;
}

function assignChains(ledger: Ledger, chains: readonly Chain[]): void {
  const numberOf = new Map([...ledger.values()].map((each) => [keyOf(each), each.securityId]));
  const imported = new Set(chains.map(keyOf));
  const others = [...ledger.values()].filter(
    (each) => hasHistory(each) && !imported.has(keyOf(each)),
  );
  const taken = claimsOf(chains);
  const names = new Set(chains.map(({ file }) => file.symbol));
  for (const other of others) {
    const historyName = names.has(other.historyName ?? '') ? null : other.historyName;
    const periods = withoutClaims(other.periods, taken);
    ledger.set(other.securityId, { ...other, historyName, periods });
  }
  const adopted = adoptedNumbers(ledger, chains);
  for (const { file, firstTicker, firstDate, periods } of chains) {
    const key = keyOf({ firstTicker, firstDate });
    const identity = { firstTicker, firstDate };
    const securityId = numberOf.get(key) ?? adopted.get(key) ?? newNumber(identity, ledger);
    ledger.set(securityId, { securityId, ...identity, historyName: file.symbol, periods });
  }
}

/** A ticker that no map file names on these days is one company's, as far as anybody knows. */
function assignUses(ledger: Ledger, uses: readonly TickerUse[], taken: Taken): void {
  const claims = claimsOf([...ledger.values()].filter(hasHistory));
  const alone = [...ledger.values()].filter((each) => !hasHistory(each));
  const numberOf = new Map(alone.map(({ firstTicker, securityId }) => [firstTicker, securityId]));
  for (const { ticker, firstDate: startDate, lastDate: endDate } of uses) {
    const met = { ticker, startDate, endDate, venue: null };
    if (withoutClaims([met], claims).length === 0) continue;
    const identity = { firstTicker: ticker, firstDate: null };
    const securityId = numberOf.get(ticker) ?? newNumber(identity, ledger, taken);
    const [before] = ledger.get(securityId)?.periods ?? [];
    const period = {
      ...met,
      startDate: before && before.startDate < startDate ? before.startDate : startDate,
      endDate: before && before.endDate > endDate ? before.endDate : endDate,
    };
    ledger.set(securityId, { securityId, ...identity, historyName: null, periods: [period] });
  }
}

/** Says which days had another number until now: rows may be published by it. */
function warningsOf(known: ReadonlyMap<number, Security>, ledger: Ledger): string[] {
  const formerClaims = claimsOf([...known.values()].filter(hasHistory));
  const formerDays = (each: Security) =>
    hasHistory(each) ? each.periods : withoutClaims(each.periods, formerClaims);
  const withHistory = [...ledger.values()].filter(hasHistory);
  const claims = claimsOf(
    withHistory.map((each) => {
      const before = known.get(each.securityId);
      if (!before) return each;
      const own = claimsOf([{ periods: formerDays(before) }]);
      return { ...each, periods: withoutClaims(each.periods, own) };
    }),
  );
  return [...known.values()].flatMap((former) =>
    former.periods.flatMap((period) =>
      (claims.get(period.ticker) ?? []).flatMap(({ of: { securityId }, at }) => {
        const day = firstSharedDay(period, at);
        if (day === null || securityId === former.securityId) return [];
        return [
          `${period.ticker} on ${day} was ${former.securityId} until now and is ${securityId}: import its files again`,
        ];
      }),
    ),
  );
}

/** `taken`: numbers that the ledger does not know and that rows have. */
export function assignNumbers(
  known: readonly Security[],
  chains: readonly Chain[],
  uses: readonly TickerUse[],
  taken: Taken = NONE,
): Numbers {
  const before = new Map(known.map((security) => [security.securityId, security]));
  const ledger: Ledger = new Map(before);
  assignChains(ledger, chains);
  assignUses(ledger, uses, taken);
  const securities = [...ledger.values()];
  const isChanged = (each: Security) =>
    JSON.stringify(before.get(each.securityId)) !== JSON.stringify(each);
  return {
    securities,
    changed: securities.filter(isChanged),
    warnings: warningsOf(before, ledger),
  };
}
