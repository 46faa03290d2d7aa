/** Charts of the rows of a query, read at once: as they are, or put together by the service. */
import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { getResponse } from '../api/client';
import { loadPart } from '../api/server-back';
import { filteredColumns, storedInterval } from './bar-view';
import { type ChartPlan, chartColumns, eventKind } from './chart-plan';
import type { DatasetShape } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import type { ChartInterval } from './explorer-search';
import { nextOffsetOf } from './pinned-pages';

/** More rows than a person can tell apart on a chart. */
const ROWS_MAX = 100_000;
/** So many ticks are drawn one by one where nobody chose. */
const TICKS_MAX = 3000;

const TICK_INTERVALS: readonly ChartInterval[] = ['tick', '1m', '5m', '15m', '1h'];

/** A request for rows, and how they are read. */
export interface AskedRows {
  readonly request: ExplorerRequest;
  readonly plan: ChartPlan;
}

type RowQuery = AskedRows & { readonly shape: DatasetShape };

function withOwn(
  { segments, parameters }: ExplorerRequest,
  own: Readonly<Record<string, string>>,
): ExplorerRequest {
  const kept = parameters.filter(({ field }) => field !== 'columns' && field !== 'sort');
  const added = Object.entries(own).map(([name, value]) => ({ name, value, field: null }));
  return { segments, parameters: [...kept, ...added] };
}

/** Bars of trades among ticks; null where rows do not tell trades, or the query chooses events. */
function tickBarsAsked(query: RowQuery, interval: ChartInterval): AskedRows | null {
  const { request, plan, shape } = query;
  if (plan.kind !== 'ticks') return null;
  const { event, price, quantity, time, instrument } = plan;
  const columnOf = (wanted: string | null) => shape.columns.find(({ name }) => name === wanted);
  const events = columnOf(event)?.values ?? [];
  const trades = events.filter((value) => eventKind(value, '') === 'Trade');
  if (trades.length === 0 || filteredColumns(request).includes(event!)) return null;
  const [open, high] = [`first(${price})`, `max(${price})`];
  const [low, close, volume] = [`min(${price})`, `last(${price})`, quantity && `sum(${quantity})`];
  // Prices of futures may be below zero; elsewhere a trade at 0 has none.
  const isAboveZero = shape.root_column === null && columnOf(price)!.operators.includes('gt');
  const asked = withOwn(request, {
    [`${event}.in`]: trades.join(','),
    ...(isAboveZero && { [`${price}.gt`]: '0' }),
    ...(instrument.length > 0 && { by: instrument.join(',') }),
    interval,
    select: [open, high, low, close, volume].filter(Boolean).join(','),
  });
  return {
    request: { ...asked, segments: [...asked.segments, 'aggregate'] },
    plan: { kind: 'candles', time, open, high, low, close, volume, instrument },
  };
}

/** Ticks are put together to bars if they are many; `rowCount`: null if that is not known yet. */
export function rowIntervals(
  query: RowQuery,
  chosen: ChartInterval | null,
  rowCount: number | null,
): { readonly intervals: readonly ChartInterval[]; readonly interval: ChartInterval } {
  const { plan } = query;
  const own = plan.kind === 'ticks' ? 'tick' : storedInterval(plan);
  const canBeBars = tickBarsAsked(query, '1m') !== null;
  if (!canBeBars) return { intervals: [own], interval: own };
  const isShort = rowCount !== null && rowCount <= TICKS_MAX;
  const interval = TICK_INTERVALS.find((each) => each === chosen) ?? (isShort ? own : '1m');
  return { intervals: TICK_INTERVALS, interval };
}

/** The rows of a query as they are, or bars of its ticks. */
export function rowsAsked(query: RowQuery, interval: ChartInterval): AskedRows {
  const { request, plan, shape } = query;
  const bars = interval === 'tick' ? null : tickBarsAsked(query, interval);
  const columns = chartColumns(plan, shape.date_column).join(',');
  return bars ?? { request: withOwn(request, { columns }), plan };
}

export function rowChartsQuery(
  { request, plan }: AskedRows,
  { limits, date_column: date, time_zone: timeZone }: DatasetShape,
) {
  const limit = Math.min(ROWS_MAX, limits.arrow.maximum);
  const path = requestPath(request, { response_format: 'arrow', limit });
  return queryOptions({
    queryKey: ['row-charts', path] as QueryKey,
    queryFn: async ({ signal }) => {
      const reading = loadPart(() => import('./arrow-bars'));
      const [{ chartsOfArrow }, response] = await Promise.all([reading, getResponse(path, signal)]);
      const pages = [new Uint8Array(await response.arrayBuffer())];
      const charts = await chartsOfArrow({ plan, date, only: null, timeZone }, pages);
      return { charts, nextOffset: nextOffsetOf(response) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    // A request that was stopped or refused is sent again by a click alone.
    retryOnMount: false,
  });
}
