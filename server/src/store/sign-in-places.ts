/** The networks that people have signed in from: the latest few of each person. */

/** The number of places that are kept for each person. */
export const PLACES_MAX = 10;

export interface SignInPlaceReader {
  /** Whether a person has signed in from a network at or after a moment. */
  has(personId: number, network: string, fromMs: number): Promise<boolean>;
}

export interface SignInPlaceTable extends SignInPlaceReader {
  /** The places that were used longest ago make room. */
  remember(personId: number, network: string, nowMs: number): Promise<void>;
  forgetAllOf(personId: number): Promise<void>;
}
