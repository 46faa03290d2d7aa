/** Which publications of the history are shown, as the address says it. */
import type { Endpoints } from '@ticklake/client';

type State = NonNullable<Endpoints['listPublicationRecords']['query']['state']>;

/** In the words of the screens. */
export const STATE_LABELS: Readonly<Record<State, string>> = {
  open: 'Open',
  running: 'Running',
  published: 'Published',
  unchanged: 'Unchanged',
  refused: 'Refused',
  failed: 'Failed',
  rolled_back: 'Rolled back',
};

export interface HistoryFilter {
  readonly dataset?: string;
  readonly state?: State;
}

function isState(value: unknown): value is State {
  return typeof value === 'string' && Object.hasOwn(STATE_LABELS, value);
}

export function readHistoryFilter({
  dataset,
  state,
}: Readonly<Record<string, unknown>>): HistoryFilter {
  return {
    ...(typeof dataset === 'string' && dataset !== '' ? { dataset } : {}),
    ...(isState(state) ? { state } : {}),
  };
}
