/** How far a limit is used up, in words. */

/** From this part of a limit on, people are told that they are near it. */
const NEAR_FRACTION = 0.8;

export type LimitState =
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'within' | 'near' | 'reached'; readonly fraction: number };

/** A limit is reached when it is used up to the last; null is none. */
export function limitState(used: number, limit: number | null): LimitState {
  if (limit === null) return { kind: 'unlimited' };
  if (used >= limit) return { kind: 'reached', fraction: 1 };
  const fraction = used / limit;
  return { kind: fraction >= NEAR_FRACTION ? 'near' : 'within', fraction };
}

/** Whole percent, never rounded up to a limit that is not reached. */
function percentText(fraction: number): string {
  if (fraction === 0) return 'Nothing used';
  if (fraction < 0.01) return 'Less than 1% used';
  return `${Math.floor(fraction * 100)}% used`;
}

/** `85% used, near the limit`. */
export function limitStateText(state: LimitState): string {
  if (state.kind === 'unlimited') return 'No limit';
  if (state.kind === 'reached') return 'Limit reached: requests are refused';
  return `${percentText(state.fraction)}${state.kind === 'near' ? ', near the limit' : ''}`;
}
