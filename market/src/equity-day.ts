import type { EquityEvent } from './events.ts';

/** Input of the computations: one equity on one trade date. */
export interface EquityDay {
  /** In feed order. */
  readonly events: Iterable<EquityEvent>;
  /** Regular trading ends at 13:00 rather than 16:00. */
  readonly isHalfDay: boolean;
  /** Average price of the last ten trading days in dollars, or null without history. */
  readonly averagePrice: number | null;
}
