/** Rows of an answer -> the points of a chart. */
import type { ChartPlan } from './chart-plan';
import type { Cell } from './csv-page';

/**
 * Seconds on the market's own clock, counted as if it were UTC: charts know no other clock, and
 * people read the hours of the market. Fractions are milliseconds.
 */
export type ChartTime = number;

export interface Candle {
  readonly time: ChartTime;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export interface Point {
  readonly time: ChartTime;
  readonly value: number;
}

/** A trade or a quote: its price and for how much. */
export interface Tick extends Point {
  readonly size: number;
}

export interface CandleSeries {
  readonly kind: 'candles';
  readonly candles: readonly Candle[];
  readonly volumes: readonly Point[];
}

export interface TickSeries {
  readonly kind: 'ticks';
  readonly trades: readonly Tick[];
  readonly volumes: readonly Point[];
  readonly bids: readonly Tick[];
  readonly asks: readonly Tick[];
  /** Quotes of single venues were left out, as there are national best ones. */
  readonly hasBestQuotesOnly: boolean;
}

export type ChartSeries = (CandleSeries | TickSeries) & {
  /** The instrument of the series; '' where rows name none. */
  readonly instrument: string;
  /** Points that share their moment with a later one, which stands for them. */
  readonly merged: number;
};

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

export type EventKind = 'trade' | 'bid' | 'ask';

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

/** In the order of time, one for each moment: the last one, which `join` may mix with the former. */
function inOrder<T extends { readonly time: number }>(
  points: readonly T[],
  join: (former: T, later: T) => T = (_, later) => later,
): Merged<T> {
  const isSorted = points.every((point, i) => i === 0 || points[i - 1]!.time <= point.time);
  const sorted = isSorted ? points : [...points].sort((a, b) => a.time - b.time);
  const kept: T[] = [];
  for (const point of sorted) {
    const former = kept.at(-1);
    if (former?.time === point.time) kept[kept.length - 1] = join(former, point);
    else kept.push(point);
  }
  return { points: kept, merged: points.length - kept.length };
}

function sum(former: Point, later: Point): Point {
  return { time: later.time, value: former.value + later.value };
}

function lastWithSum(former: Tick, later: Tick): Tick {
  return { ...later, size: former.size + later.size };
}

interface Quote extends Tick {
  readonly isBest: boolean;
}

interface Collected {
  readonly candles: Candle[];
  readonly trades: Tick[];
  readonly volumes: Point[];
  readonly bids: Quote[];
  readonly asks: Quote[];
}

function numberOf(cell: Cell | undefined): number | null {
  if (cell === null || cell === undefined || cell === '') return null;
  const value = Number(cell);
  return Number.isFinite(value) ? value : null;
}

/** Collects the points of rows that are added one by one, for each instrument apart. */
export class SeriesBuilder {
  readonly #plan: ChartPlan;
  readonly #indexOf: ReadonlyMap<string, number>;
  readonly #collected = new Map<string, Collected>();

  constructor(plan: ChartPlan, columns: readonly string[]) {
    this.#plan = plan;
    this.#indexOf = new Map(columns.map((name, index) => [name, index]));
  }

  /** In the order in which they were met. */
  instruments(): readonly string[] {
    return [...this.#collected.keys()];
  }

  add(row: readonly Cell[]): void {
    const plan = this.#plan;
    const time = chartTime(this.#text(row, plan.time));
    if (time === null) return;
    const names = plan.instrument.map((column) => this.#text(row, column));
    const collected = this.#of(names.filter(Boolean).join(' '));
    if (plan.kind === 'candles') this.#addCandle(plan, row, time, collected);
    else this.#addTick(plan, row, time, collected);
  }

  series(instrument: string): ChartSeries {
    const { candles, trades, volumes, bids, asks } = this.#of(instrument);
    const volume = inOrder(volumes, sum).points;
    if (this.#plan.kind === 'candles') {
      const { points, merged } = inOrder(candles);
      return { kind: 'candles', instrument, candles: points, volumes: volume, merged };
    }
    const hasBest = [...bids, ...asks].some(({ isBest }) => isBest);
    const shown = (quotes: readonly Quote[]) =>
      inOrder(quotes.filter(({ isBest }) => isBest || !hasBest));
    const [bid, ask, trade] = [shown(bids), shown(asks), inOrder(trades, lastWithSum)];
    return {
      kind: 'ticks',
      instrument,
      trades: trade.points,
      volumes: volume,
      bids: bid.points,
      asks: ask.points,
      hasBestQuotesOnly: hasBest,
      merged: bid.merged + ask.merged + trade.merged,
    };
  }

  #of(instrument: string): Collected {
    const known = this.#collected.get(instrument);
    if (known) return known;
    const fresh = { candles: [], trades: [], volumes: [], bids: [], asks: [] };
    this.#collected.set(instrument, fresh);
    return fresh;
  }

  #text(row: readonly Cell[], column: string | null): string {
    return row[this.#indexOf.get(column ?? '') ?? -1] ?? '';
  }

  #number(row: readonly Cell[], column: string | null): number | null {
    return numberOf(this.#text(row, column));
  }

  #addCandle(
    plan: ChartPlan & { kind: 'candles' },
    row: readonly Cell[],
    time: ChartTime,
    collected: Collected,
  ): void {
    const [open, high, low, close] = [plan.open, plan.high, plan.low, plan.close].map((column) =>
      this.#number(row, column),
    );
    // Minutes in which nothing was traded have no prices.
    if (open == null || high == null || low == null || close == null) return;
    collected.candles.push({ time, open, high, low, close });
    collected.volumes.push({ time, value: this.#number(row, plan.volume) ?? 0 });
  }

  #addTick(
    plan: ChartPlan & { kind: 'ticks' },
    row: readonly Cell[],
    time: ChartTime,
    collected: Collected,
  ): void {
    const event = plan.event === null ? null : this.#text(row, plan.event);
    const kind = eventKind(event, this.#text(row, plan.side));
    const value = this.#number(row, plan.price);
    const isBest = event?.endsWith(' NB') ?? false;
    // A quote of price 0 says that the side is empty.
    if (kind !== null && value !== null && value !== 0) {
      const size = this.#number(row, plan.quantity) ?? 0;
      if (kind === 'trade') {
        collected.trades.push({ time, value, size });
        collected.volumes.push({ time, value: size });
      } else collected[kind === 'bid' ? 'bids' : 'asks'].push({ time, value, size, isBest });
    }
    const beside = (price: string | null, size: string | null, quotes: Quote[]) => {
      const quoted = this.#number(row, price);
      if (!quoted) return;
      quotes.push({ time, value: quoted, size: this.#number(row, size) ?? 0, isBest: false });
    };
    beside(plan.bid, plan.bidSize, collected.bids);
    beside(plan.ask, plan.askSize, collected.asks);
  }
}
