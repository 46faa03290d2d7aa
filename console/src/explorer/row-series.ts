import { useEffect, useState } from 'react';
import { BarBuilder, type Bars } from './bars';
import type { ChartPlan } from './chart-plan';
import type { Cell, RowStore, RowsState } from './row-store';
import type { ChartTime, Point, Quote, Tick, TickSeries } from './tick-series';

const SECONDS_PER_DAY = 86_400;
const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?)?/;

/** The local date and time of a text as the service writes it; its offset is left aside. */
export function chartTime(text: string): ChartTime | null {
  const match = LOCAL_TIME.exec(text);
  if (!match) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = match;
  const seconds =
    Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    ) / 1000;
  return seconds + Number(fraction.padEnd(3, '0').slice(0, 3)) / 1000;
}

type EventKind = 'trade' | 'bid' | 'ask';

const EVENTS: readonly (readonly [pattern: RegExp, kind: EventKind])[] = [
  [/^TRADE(?!.*CANCEL)/, 'trade'],
  [/^T( NB)?$/, 'trade'],
  [/^QUOTE BID/, 'bid'],
  [/^QUOTE (ASK|SELL)/, 'ask'],
];
/** Quotes whose side stands in a column of its own. */
const SIDED_QUOTE = /^(FQ|NFQ|R)( NB)?$/;
const SIDES: readonly (readonly [pattern: RegExp, kind: EventKind])[] = [
  [/^B/i, 'bid'],
  [/^[AS]/i, 'ask'],
];

function kindIn(table: typeof EVENTS, text: string): EventKind | null {
  return table.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** The kind of an event; null if charts do not show it. `event` is null where rows have none. */
export function eventKind(event: string | null, side: string): EventKind | null {
  if (event === null || SIDED_QUOTE.test(event)) return kindIn(SIDES, side);
  return kindIn(EVENTS, event);
}

interface Merged<T> {
  readonly points: T[];
  readonly merged: number;
}

function inOrder<T extends Point>(points: readonly T[]): readonly T[] {
  const isSorted = points.every((point, i) => i === 0 || points[i - 1]!.time <= point.time);
  return isSorted ? points : [...points].sort((a, b) => a.time - b.time);
}

/**
 * In the order of time, one for each moment: the last one, which `join` may mix with the former.
 */
function oneEach<T extends Point>(
  points: readonly T[],
  join: (former: T, later: T) => T = (_, later) => later,
): Merged<T> {
  const kept: T[] = [];
  for (const point of inOrder(points)) {
    const former = kept.at(-1);
    if (former?.time === point.time) kept[kept.length - 1] = join(former, point);
    else kept.push(point);
  }
  return { points: kept, merged: points.length - kept.length };
}

function lastWithSum(former: Tick, later: Tick): Tick {
  return { ...later, size: former.size + later.size };
}

interface Row extends Point {
  readonly cells: readonly Cell[];
}

function numberOf(cell: Cell | undefined): number {
  return cell === null || cell === undefined || cell === '' ? Number.NaN : Number(cell);
}

/** `merged` points share their moment with a later one. */
export interface RowSeries {
  /** Bars, or trades and quotes, by the plan. */
  readonly drawn: Bars | TickSeries;
  readonly merged: number;
}

export class SeriesBuilder {
  readonly #plan: ChartPlan;
  readonly #indexOf: ReadonlyMap<string, number>;
  readonly #rows = new Map<string, Row[]>();

  constructor(plan: ChartPlan, columns: readonly string[]) {
    this.#plan = plan;
    this.#indexOf = new Map(columns.map((name, index) => [name, index]));
  }

  /** In the order in which they were met. */
  instruments(): readonly string[] {
    return [...this.#rows.keys()];
  }

  add(cells: readonly Cell[]): void {
    const time = chartTime(this.#text(cells, this.#plan.time));
    if (time === null) return;
    const names = this.#plan.instrument.map((column) => this.#text(cells, column));
    const instrument = names.filter(Boolean).join(' ');
    const rows = this.#rows.get(instrument) ?? [];
    this.#rows.set(instrument, rows);
    rows.push({ time, value: 0, cells });
  }

  series(instrument: string): RowSeries {
    const rows = this.#rows.get(instrument) ?? [];
    return this.#plan.kind === 'candles'
      ? this.#candles(this.#plan, inOrder(rows))
      : this.#ticks(this.#plan, rows);
  }

  #text(cells: readonly Cell[], column: string | null): string {
    return cells[this.#indexOf.get(column ?? '') ?? -1] ?? '';
  }

  #number(cells: readonly Cell[], column: string | null): number {
    return numberOf(this.#text(cells, column));
  }

  #candles(plan: ChartPlan & { kind: 'candles' }, rows: readonly Row[]): RowSeries {
    const builder = new BarBuilder();
    let added = 0;
    for (const { time, cells } of rows) {
      const number = (column: string | null) => this.#number(cells, column);
      const prices = { open: number(plan.open), high: number(plan.high), low: number(plan.low) };
      const bar = { time, ...prices, close: number(plan.close), volume: number(plan.volume) };
      if (builder.add(bar, Math.floor(time / SECONDS_PER_DAY))) added += 1;
    }
    const drawn = builder.bars();
    return { drawn, merged: added - drawn.time.length };
  }

  #ticks(plan: ChartPlan & { kind: 'ticks' }, rows: readonly Row[]): RowSeries {
    const found = { trades: [] as Tick[], bids: [] as Quote[], asks: [] as Quote[] };
    for (const { time, cells } of rows) {
      const event = plan.event === null ? null : this.#text(cells, plan.event);
      const kind = eventKind(event, this.#text(cells, plan.side));
      const isBest = event?.endsWith(' NB') ?? false;
      const put = (of: EventKind | null, price: string | null, quantity: string | null) => {
        const value = this.#number(cells, price);
        // A quote of price 0 says that the side is empty.
        if (of === null || !value) return;
        const size = this.#number(cells, quantity) || 0;
        found[`${of}s`].push({ time, value, size, isBest: of === kind && isBest });
      };
      put(kind, plan.price, plan.quantity);
      put('bid', plan.bid, plan.bidSize);
      put('ask', plan.ask, plan.askSize);
    }
    const hasBestQuotesOnly = [...found.bids, ...found.asks].some(({ isBest }) => isBest);
    const shown = (quotes: readonly Quote[]) =>
      oneEach(quotes.filter(({ isBest }) => isBest || !hasBestQuotesOnly));
    const [trades, bids, asks] = [
      oneEach(found.trades, lastWithSum),
      shown(found.bids),
      shown(found.asks),
    ];
    return {
      drawn: { trades: trades.points, bids: bids.points, asks: asks.points, hasBestQuotesOnly },
      merged: bids.merged + asks.merged + trades.merged,
    };
  }
}

/** More rows than a person can tell apart on a chart. */
export const CHART_ROWS_MAX = 30_000;
const ROWS_PER_TURN = 500;

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
        if (index % ROWS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
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
