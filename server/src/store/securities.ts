/** The ledger of permanent numbers: which security has which, and what is known of its tickers. */

export interface TickerPeriod {
  readonly ticker: string;
  /** `YYYY-MM-DD`; `UNKNOWN_START` where no source says it. */
  readonly startDate: string;
  /** Included. */
  readonly endDate: string;
  /** Name of the venue that listed it; null where no source says it. */
  readonly venue: string | null;
}

/** Before every date. */
export const UNKNOWN_START = '0001-01-01';

export interface Security {
  /** Given once, to one security, for good. */
  readonly securityId: number;
  /** What tells it from all others: with the first date, the ticker that it began with. */
  readonly firstTicker: string;
  /** Null where the source has rows of a ticker, but no history. */
  readonly firstDate: string | null;
  /** The name of the source's history of it, such as a map file's; null: there is none. */
  readonly historyName: string | null;
  /** Oldest first. */
  readonly periods: readonly TickerPeriod[];
}

export interface Assignment {
  /** Those that are new or have changed. */
  readonly changed: readonly Security[];
}

export interface Securities {
  /** In order of their numbers. */
  all(): Promise<readonly Security[]>;

  /**
   * Keeps and returns what `decide` makes of all that is known, in one transaction: of two that decide at the
   * same time, one knows what the other has decided. Numbers are never taken back.
   */
  assign<T extends Assignment>(decide: (known: readonly Security[]) => T): Promise<T>;
}
