/** The rows of the query that was run last. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { DatasetShape } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { pageReader } from './read-page';
import { RowStore, type RowsState } from './row-store';

/** A page is cut into rows well within the time of a frame. */
const LIMITS = { pageRows: 3000, sizeMax: 64_000_000, rowsMax: 1_000_000 };

export interface Run {
  readonly request: ExplorerRequest;
  /** Tells one query from another. */
  readonly path: string;
  readonly shape: DatasetShape;
  readonly store: RowStore;
  /** Where the table was scrolled to when it was last seen. */
  readonly scrollTop: { current: number };
}

function newRun(request: ExplorerRequest, shape: DatasetShape): Run {
  const pageRows = Math.min(LIMITS.pageRows, shape.limits.csv.maximum);
  const store = new RowStore(pageReader(request), { ...LIMITS, pageRows });
  store.want(0, pageRows - 1);
  return { request, path: requestPath(request), shape, store, scrollTop: { current: 0 } };
}

export function useRun() {
  const [run, setRun] = useState<Run | null>(null);
  useEffect(() => () => run?.store.stop(), [run]);
  const start = (request: ExplorerRequest, shape: DatasetShape) => setRun(newRun(request, shape));
  return { run, start };
}

export function useRowsState(store: RowStore): RowsState {
  return useSyncExternalStore(store.subscribe, store.state);
}
