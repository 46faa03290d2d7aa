/** The days on which rows of a ticker were met that no map file gives to a company. */
import type { Identities } from './identities.ts';

export interface TickerUse {
  readonly ticker: string;
  readonly firstDate: string;
  readonly lastDate: string;
}

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
