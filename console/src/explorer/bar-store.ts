/** The bars of a chart, read span by span to earlier times as the chart comes to need them. */

import { useEffect, useState } from 'react';
import { loadPart } from '../api/server-back';
import { ReadingStore, useStore } from '../api/store';
import { addDays, daysBetween } from '../format/dates';
import { type BarLimits, type BarPlan, type BarView, barRequest, symbolsOf } from './bar-view';
import { type BarsBySymbol, barCount, joinBars } from './bars';
import { type DatasetShape, rangeColumn } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import type { BarInterval } from './explorer-search';
import { nextOffsetOf, PinnedPages } from './pinned-pages';

/** Reads the bars of some days, both included. */
type ReadBars = (first: string, last: string, signal: AbortSignal) => Promise<BarsBySymbol>;

export interface BarsState {
  readonly bars: BarsBySymbol;
  readonly isReading: boolean;
  /** All that may be asked for now is here. */
  readonly isSettled: boolean;
  /** Why nothing earlier will come. */
  readonly end: 'open' | 'reached' | 'capped';
  readonly error: unknown;
}

/** By so much at most the next step is longer than one that brought few bars, or none. */
const STEP_FACTOR_MAX = 4;

function earliest(...dates: readonly string[]): string {
  return dates.toSorted()[0]!;
}

function latest(...dates: readonly string[]): string {
  return dates.toSorted().at(-1)!;
}

const START: BarsState = {
  bars: new Map(),
  isReading: false,
  isSettled: false,
  end: 'open',
  error: null,
};

export class BarStore extends ReadingStore<BarsState> {
  readonly #read: ReadBars;
  readonly #limits: BarLimits;
  /** Day from which on all is read. */
  #first: string;
  #target: string;
  #stepDays: number;
  /** Read since listeners were told. */
  #bars: BarsBySymbol = START.bars;

  constructor(read: ReadBars, limits: BarLimits) {
    super(START);
    this.#read = read;
    this.#limits = limits;
    this.#first = addDays(limits.last, 1);
    this.#target = this.#first;
    this.#stepDays = limits.stepDays;
  }

  /** Reads all days from this one on that are not here yet. */
  want(first: string): void {
    if (first < this.#target) this.#target = first;
    const { isReading, error } = this.state();
    if (!isReading && error === null) void this.readOn();
  }

  /** Reads as many days as came at once before. */
  wantEarlier(days: number): void {
    if (this.state().isReading || this.#end() !== 'open') return;
    this.want(this.#dayBefore(Math.max(days, 1)));
  }

  #isWanting(): boolean {
    const isEmpty = this.#bars.size === 0;
    return this.#end() === 'open' && (isEmpty || this.#first > this.#target);
  }

  /** So many days before the first one that is here, but no earlier than the floor. */
  #dayBefore(days: number): string {
    const daysLeft = daysBetween(this.#limits.floor, this.#first) - 1;
    return addDays(this.#first, -Math.min(days, daysLeft));
  }

  #end(): BarsState['end'] {
    if (this.#first <= this.#limits.floor) return 'reached';
    return barCount(this.#bars) >= this.#limits.barsMax ? 'capped' : 'open';
  }

  protected override async readOn(): Promise<void> {
    // A reading that was stopped ends, also if another one has begun.
    const { signal } = this;
    try {
      while (this.#isWanting()) {
        signal.throwIfAborted();
        // Bars are told of at first and at last: each time, all of them are drawn anew.
        const isNews = this.state().bars.size === 0 && this.#bars.size > 0;
        this.change({ isReading: true, isSettled: false, ...(isNews && { bars: this.#bars }) });
        await this.#readStep(signal);
      }
      this.change({ end: this.#end() });
    } catch (error) {
      this.change({ error });
    }
    this.change({ isReading: false, isSettled: true, bars: this.#bars });
  }

  async #readStep(signal: AbortSignal): Promise<void> {
    const last = addDays(this.#first, -1);
    const target = this.#bars.size > 0 ? this.#target : this.#limits.floor;
    const first = latest(
      this.#dayBefore(this.#stepDays),
      earliest(target, last),
      this.#limits.floor,
    );
    const read = await this.#read(first, last, signal);
    const factor = Math.min(STEP_FACTOR_MAX, this.#limits.stepBars / Math.max(1, barCount(read)));
    this.#stepDays = Math.max(1, Math.floor(this.#stepDays * factor));
    this.#bars = joinBars(read, this.#bars);
    this.#first = first;
  }
}

function barReader(
  request: ExplorerRequest,
  plan: BarPlan,
  shape: DatasetShape,
  interval: BarInterval,
): ReadBars {
  const reading = new PinnedPages();
  const symbols = symbolsOf(request, shape);
  const only = symbols.length === 1 ? symbols[0]! : null;
  const source = { plan, date: rangeColumn(shape), only, timeZone: shape.time_zone };
  const limit = shape.limits.arrow.maximum;
  return async (first, last, signal) => {
    // Comes while the first page is on its way.
    const collecting = loadPart(() => import('./arrow-bars'));
    collecting.catch(() => undefined);
    const asked = barRequest(request, plan, shape, { first, last, interval });
    const pages: Uint8Array[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const page = { response_format: 'arrow', offset, limit } as const;
      const response: Response = await reading.read(asked, page, signal);
      pages.push(new Uint8Array(await response.arrayBuffer()));
      offset = nextOffsetOf(response);
    }
    const { barsOfArrow } = await collecting;
    return barsOfArrow(source, pages);
  };
}

export function useBars(
  request: ExplorerRequest,
  plan: BarPlan,
  shape: DatasetShape,
  { interval, first, limits }: BarView,
) {
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
  // Nothing was read yet, but it is about to be.
  const state = useStore(store) ?? { ...START, isReading: true };
  return { store, state };
}
