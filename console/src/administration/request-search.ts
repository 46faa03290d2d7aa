import type { RefusedRequest, RunningRequest } from '@ticklake/client';
import { optionsOf } from '../ui/select-field';

export const ALL_STATUSES = 'all';

type Caller = Pick<RunningRequest, 'identity_id' | 'identity_name'>;

/** Holds a part of the account's name, or its id. */
export function matchingRequests<Request extends Caller>(
  requests: readonly Request[],
  text: string,
): readonly Request[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return requests;
  return requests.filter(
    ({ identity_id, identity_name }) =>
      String(identity_id) === wanted || identity_name?.toLowerCase().includes(wanted),
  );
}

/** The statuses that occur, and the chosen one also when it no longer does. */
export function statusOptions(
  refused: readonly Pick<RefusedRequest, 'status'>[],
  chosen: string,
): readonly { readonly value: string; readonly label: string }[] {
  const found = new Set(refused.map(({ status }) => String(status)));
  if (chosen !== ALL_STATUSES) found.add(chosen);
  return optionsOf([...found].sort(), 'All', ALL_STATUSES);
}

/** `350 ms`, `2.4 s`, `3 min 5 s`. */
export function elapsedText(elapsedMs: number): string {
  if (elapsedMs < 1000) return `${Math.round(elapsedMs)} ms`;
  const seconds = elapsedMs / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
