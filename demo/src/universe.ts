/**
 * A company of the demo market. Moments are ages: whole
 * trading days before the last one, so that the special cases are always near the end of the data.
 */

/** How much happens in a security on one day. */
export interface Activity {
  /** Trades of an average day. */
  readonly tradeCount: number;
  /** Quote changes, over all venues, of an average day. */
  readonly quoteCount: number;
  /** Shares of an average day. */
  readonly volume: number;
  readonly venueCount: number;
  readonly spreadCents: number;
}

export const ACTIVITIES = {
  flagship: {
    tradeCount: 1500,
    quoteCount: 5000,
    volume: 350_000,
    venueCount: 8,
    spreadCents: 2,
  },
  liquid: { tradeCount: 480, quoteCount: 2600, volume: 110_000, venueCount: 7, spreadCents: 2 },
  medium: { tradeCount: 160, quoteCount: 1200, volume: 36_000, venueCount: 6, spreadCents: 4 },
  thin: { tradeCount: 55, quoteCount: 500, volume: 12_000, venueCount: 4, spreadCents: 8 },
} as const satisfies Record<string, Activity>;
export type ActivityLevel = keyof typeof ACTIVITIES;

/** One change of the share base, in force from its age on. */
export interface ShareChange {
  readonly age: number;
  readonly reason: 'Subdiv' | 'Cons' | 'BonusSame' | 'ScriptDiv' | 'DeMerg';
  /** Shares (of the child for a demerger) that are had or given ... */
  readonly sharesNew: number;
  /** ... for so many held. */
  readonly sharesOld: number;
  /** The company that a demerger lists. */
  readonly childTicker?: string;
}

/** The special case that a company shows. `untilAge`: the last day of the earlier state. */
export interface Special {
  readonly listedAge?: number;
  readonly delistedAge?: number;
  readonly formerTicker?: {
    readonly ticker: string;
    readonly name: string;
    readonly untilAge: number;
  };
  readonly formerExchange?: { readonly exchange: Company['exchange']; readonly untilAge: number };
  /** A reclassification: a new SecId under the same ASID. */
  readonly reclassified?: { readonly untilAge: number };
  readonly shareChanges?: readonly ShareChange[];
  /** Returns of single days, in place of the drawn ones. */
  readonly shocks?: readonly { readonly age: number; readonly logReturn: number }[];
}

export interface Company {
  /** The symbol at the end of the data (or of the listing). */
  readonly ticker: string;
  readonly name: string;
  readonly exchange: 'NYSE' | 'NASDAQ' | 'AMEX' | 'ARCA';
  readonly description: string;
  /** Null for funds. */
  readonly sic: number | null;
  readonly activity: ActivityLevel;
  /** Closing price on the last day of its listing. */
  readonly lastPrice: number;
  /** Growth of the logarithm of the price in a year. */
  readonly trend: number;
  /** Standard deviation of a day's return. */
  readonly volatility: number;
  /** Yearly cash dividends as a share of the price; 0: none. */
  readonly dividendYield: number;
  readonly special: Special;
}
