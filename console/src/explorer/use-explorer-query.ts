import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { queryClient, queryShapeQuery } from '../api/queries';
import { tell } from '../ui/news';
import { type ExplorerQuery, ofVariant, queryOfSearch, searchOfQuery } from './explorer-query';
import type { ChartChoice, ExplorerSearch, ExplorerTab } from './explorer-search';

/** Browsers refuse an address that changes with every key. */
const WRITE_DELAY_MS = 300;

const route = getRouteApi('/signed-in/account/explorer');

function keyOf(query: ExplorerQuery): string {
  return JSON.stringify(searchOfQuery(query));
}

export type ExplorerQueryState = ReturnType<typeof useExplorerQuery>;

export function chooseVariant(
  { query, edit }: Pick<ExplorerQueryState, 'query' | 'edit'>,
  dataset: string,
  isRun = false,
): void {
  queryClient.ensureQueryData(queryShapeQuery(dataset)).then(
    (variant) => edit(ofVariant(query, variant), isRun),
    ({ message }) => tell({ title: message }),
  );
}

/** How results are looked at, which the address keeps beside the query, and to look otherwise. */
export function useLook() {
  const { tab = 'rows', range = null, interval = null } = route.useSearch();
  const navigate = route.useNavigate();
  const look = (change: Partial<ChartChoice & { tab: ExplorerTab }>) => {
    const search = (before: ExplorerSearch) => ({ ...before, ...change }) as ExplorerSearch;
    void navigate({ search, replace: true, resetScroll: false });
  };
  return { tab, choice: { range, interval }, look };
}

export function useExplorerQuery() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [query, setQuery] = useState(() => queryOfSearch(search));
  const written = useRef(keyOf(query));
  const isRun = search.run === true && keyOf(query) === written.current;

  const write = useCallback(
    (next: ExplorerQuery, isNextRun: boolean, replace: boolean) => {
      written.current = keyOf(next);
      void navigate({
        search: ({ tab, range, interval }) => ({
          ...searchOfQuery(next),
          ...(tab && { tab }),
          ...(range && { range }),
          ...(interval && { interval }),
          ...(isNextRun && { run: true as const }),
        }),
        replace,
        resetScroll: false,
      });
    },
    [navigate],
  );

  // The address was changed by something else: a link, or going back.
  useEffect(() => {
    const arrived = queryOfSearch(search);
    if (keyOf(arrived) === written.current) return;
    written.current = keyOf(arrived);
    setQuery(arrived);
  }, [search]);

  useEffect(() => {
    if (keyOf(query) === written.current) return;
    const timer = setTimeout(() => {
      // The query may have been run since then, which has written it.
      if (keyOf(query) !== written.current) write(query, false, true);
    }, WRITE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [query, write]);

  return {
    query,
    /** `isRunNow`: what is changed is asked for at once. */
    edit: (change: Partial<ExplorerQuery>, isRunNow = false) => {
      setQuery((before) => ({ ...before, ...change }));
      if (isRunNow) write({ ...query, ...change }, true, true);
    },
    replaceQuery: (next: ExplorerQuery) => setQuery(next),
    /** The address asks for the rows of the query. */
    isRun,
    markRun: () => write(query, true, false),
    /** The address asks for a chart of anything. */
    isExampleWanted: search.example === true,
  };
}
