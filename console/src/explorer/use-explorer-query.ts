import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { queryClient, queryShapeQuery } from '../api/queries';
import { tell } from '../ui/news';
import { type ExplorerQuery, ofVariant, queryOfSearch, searchOfQuery } from './explorer-query';
import type { ChartChoice, ExplorerTab } from './explorer-search';

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

export function useExplorerQuery() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [query, setQuery] = useState(() => queryOfSearch(search));
  const written = useRef(keyOf(query));
  const { tab = 'rows', run: isRun = false, range = null, interval = null } = search;

  const write = useCallback(
    (
      next: ExplorerQuery,
      nextTab: ExplorerTab,
      isNextRun: boolean,
      isReplaced: boolean,
      chart: ChartChoice = { range, interval },
    ) => {
      written.current = keyOf(next);
      void navigate({
        search: {
          ...searchOfQuery(next),
          ...(nextTab !== 'rows' && { tab: nextTab }),
          ...(chart.range && { range: chart.range }),
          ...(chart.interval && { interval: chart.interval }),
          ...(isNextRun && { run: true as const }),
        },
        replace: isReplaced,
        resetScroll: false,
      });
    },
    [navigate, range, interval],
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
      if (keyOf(query) !== written.current) write(query, tab, false, true);
    }, WRITE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [query, tab, write]);

  return {
    query,
    /** `isRunNow`: what is changed is asked for at once. */
    edit: (change: Partial<ExplorerQuery>, isRunNow = false) => {
      setQuery((before) => ({ ...before, ...change }));
      if (isRunNow) write({ ...query, ...change }, tab, true, true);
    },
    replaceQuery: (next: ExplorerQuery) => setQuery(next),
    tab,
    openTab: (next: ExplorerTab) =>
      write(query, next, isRun && keyOf(query) === written.current, true),
    chart: { range, interval },
    chooseChart: (choice: ChartChoice) =>
      write(query, tab, isRun && keyOf(query) === written.current, true, choice),
    /** The address asks for the rows of the query. */
    isRun: isRun && keyOf(query) === written.current,
    markRun: () => write(query, tab, true, false),
    /** The address asks for a chart of anything. */
    isExampleWanted: search.example === true,
  };
}
