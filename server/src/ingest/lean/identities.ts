/** Which security a ticker stood for on a day. */
import type { Security } from '../../store/securities.ts';
import type { TickerUse } from './assign-numbers.ts';
import { type Claims, claimsOf } from './ticker-days.ts';

export class Identities {
  /** In order of their numbers. */
  readonly securities: readonly Security[];
  readonly #claims: Claims<Security>;
  readonly #alone: ReadonlyMap<string, number>;
  readonly #byHistory: ReadonlyMap<string, Security>;

  constructor(securities: readonly Security[]) {
    this.securities = securities.toSorted((a, b) => a.securityId - b.securityId);
    const withHistory = this.securities.filter(({ firstDate }) => firstDate !== null);
    const alone = this.securities.filter(({ firstDate }) => firstDate === null);
    this.#claims = claimsOf(withHistory);
    this.#alone = new Map(alone.map(({ firstTicker, securityId }) => [firstTicker, securityId]));
    this.#byHistory = new Map(withHistory.map((each) => [each.historyName ?? '', each]));
  }

  /** By the map files; null: they name no company. */
  companyOn(ticker: string, date: string): number | null {
    const claim = this.#claims
      .get(ticker)
      ?.find(({ at }) => at.startDate <= date && date <= at.endDate);
    return claim?.of.securityId ?? null;
  }

  /** Also by the ticker alone; null: it has not been met. */
  on(ticker: string, date: string): number | null {
    return this.companyOn(ticker, date) ?? this.#alone.get(ticker) ?? null;
  }

  /** By the name of its map file. */
  ofHistory(name: string): Security | null {
    return this.#byHistory.get(name) ?? null;
  }
}

/** Gathers the days on which rows of a ticker were met that no map file gives to a company. */
export class TickerUses {
  readonly #identities: Identities;
  readonly #uses = new Map<string, TickerUse>();

  constructor(identities: Identities) {
    this.#identities = identities;
  }

  add(ticker: string, date: string): void {
    if (this.#identities.companyOn(ticker, date) !== null) return;
    const { firstDate, lastDate } = this.#uses.get(ticker) ?? { firstDate: date, lastDate: date };
    this.#uses.set(ticker, {
      ticker,
      firstDate: date < firstDate ? date : firstDate,
      lastDate: date > lastDate ? date : lastDate,
    });
  }

  list(): TickerUse[] {
    return [...this.#uses.values()];
  }
}
