/** From which networks people have signed in: few of each person, the latest ones. */

/** So many places of a person are kept. */
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
