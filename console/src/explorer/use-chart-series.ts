/** The points of a chart from the rows that are read, collected without holding the page up. */
import { useEffect, useState } from 'react';
import type { ChartPlan } from './chart-plan';
import { SeriesBuilder } from './chart-series';
import type { RowStore, RowsState } from './row-store';

/** More rows than a person can tell apart on a chart. */
export const CHART_ROWS_MAX = 30_000;
const ROWS_PER_TURN = 500;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Null until all rows that the chart is made of are here and collected. */
export function useChartSeries(
  store: RowStore,
  state: RowsState,
  plan: ChartPlan | null,
): SeriesBuilder | null {
  const [builder, setBuilder] = useState<SeriesBuilder | null>(null);
  const { columns, rowCount, version } = state;
  useEffect(() => {
    if (plan === null || columns === null) return;
    const count = Math.min(rowCount, CHART_ROWS_MAX);
    if (count > 0) store.want(0, count - 1);
    let isWanted = true;
    const collect = async () => {
      const fresh = new SeriesBuilder(plan, columns);
      for (let index = 0; index < count; index++) {
        if (index % ROWS_PER_TURN === 0) await nextTurn();
        const row = isWanted ? store.row(index) : null;
        // The row was let go; its page is on its way again.
        if (row === null) return;
        fresh.add(row);
      }
      if (isWanted) setBuilder(fresh);
    };
    void collect();
    return () => {
      isWanted = false;
    };
    // The version says that a page came.
  }, [store, plan, columns, rowCount, version]);
  return builder;
}
