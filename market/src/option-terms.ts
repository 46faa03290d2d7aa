/** An option on one underlying, as the models read it. */
export interface OptionTerms {
  readonly isCall: boolean;
  readonly isAmerican: boolean;
  /** Underlying price, dollars. */
  readonly spot: number;
  readonly strike: number;
  /** Time to expiry in years, above 0. */
  readonly years: number;
  /** Continuous, a year: 0.05 is five percent. */
  readonly rate: number;
  readonly dividendYield: number;
}
