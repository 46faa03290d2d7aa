/** The bars of a chart's view; those of another view are let go. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { BarPlan } from './bar-request';
import { BarStore, type BarsState } from './bar-store';
import type { BarView } from './bar-view';
import type { DatasetShape } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { barReader } from './read-bars';

const NOTHING: BarsState = {
  bars: new Map(),
  isReading: true,
  isSettled: false,
  end: 'open',
  error: null,
};
const subscribeToNothing = () => () => undefined;
const nothing = () => NOTHING;

export interface BarsOfView {
  readonly store: BarStore | null;
  readonly state: BarsState;
}

export function useBars(
  request: ExplorerRequest,
  plan: BarPlan,
  shape: DatasetShape,
  { interval, first, limits }: BarView,
): BarsOfView {
  const [store, setStore] = useState<BarStore | null>(null);
  const { last, stepDays } = limits;
  const key = [requestPath(request), interval, first, last, stepDays].join(' ');
  useEffect(() => {
    const fresh = new BarStore(barReader(request, plan, shape, interval), limits);
    fresh.want(first);
    setStore(fresh);
    return () => fresh.stop();
    // The key says all of the view.
  }, [key]);
  const state = useSyncExternalStore(
    store?.subscribe ?? subscribeToNothing,
    store?.state ?? nothing,
  );
  return { store, state };
}
