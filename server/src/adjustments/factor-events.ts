/** A dataset's corporate events, some 50 bytes each, by security. */
import {
  type AdjustmentChoice,
  type AdjustmentEvent,
  changesShares,
  type FactorTable,
  factorTableOf,
  isChosen,
} from '@ticklake/market/adjustment.ts';
import { LRUCache } from 'lru-cache';
import { type ColumnBatch, dateOfDays } from '../engine/columns.ts';
import type { EngineReader } from '../engine/engine.ts';
import { Codes, Doubles, TextPool } from '../engine/gathered-columns.ts';
import { rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';

/** Columns that a dataset of factors needs, in the order in which they are read. */
export const FACTOR_COLUMNS = [
  'ASID',
  'EffectiveDate',
  'AdjustmentFactor',
  'AdjustmentReason',
  'Ticker',
  'EventId',
] as const;

/** Below all ids. */
const NO_ASID = Number.MIN_SAFE_INTEGER;

export interface Restating extends FactorTable {
  /**
   * True if nobody can tell the factors of a row without an id, because its ticker has events with
   * one that restate rows of that day.
   */
  isUnclear(ticker: string, date: string): boolean;
}

export class FactorEvents {
  readonly #asids = new Doubles();
  readonly #days = new Doubles();
  readonly #factors = new Doubles();
  readonly #texts = new TextPool();
  readonly #reasons = new Codes(this.#texts);
  readonly #tickers = new Codes(this.#texts);
  readonly #eventIds = new Doubles();
  /** Events by security, those of each in the order in which they came. */
  #order = new Uint32Array(0);

  static async read(batches: AsyncIterable<ColumnBatch>): Promise<FactorEvents> {
    const events = new FactorEvents();
    for await (const batch of batches) {
      events.#append(batch);
      batch.release?.();
    }
    events.#sort();
    return events;
  }

  get count(): number {
    return this.#asids.length;
  }

  /** The factors by the events that are chosen. */
  restating(choice: AdjustmentChoice): Restating {
    const table = factorTableOf(
      (security) => this.#eventsOf(typeof security === 'bigint' ? Number(security) : security),
      choice,
    );
    let tickers: ReadonlyMap<string, string> | null = null;
    const isUnclear = (ticker: string, date: string) => {
      tickers ??= this.#lastDates(choice);
      return (tickers.get(ticker) ?? '') > date;
    };
    return { ...table, isUnclear };
  }

  /** Tells if any of the chosen events is about the security. */
  hasChosen(security: number | string, choice: AdjustmentChoice): boolean {
    return this.#eventsOf(security).some((event) => isChosen(event, choice));
  }

  #append({ columns, rowCount }: ColumnBatch): void {
    const numbers = [this.#asids, this.#days, this.#factors];
    const gathered = [...numbers, this.#reasons, this.#tickers, this.#eventIds];
    for (const [c, vector] of columns.entries()) gathered[c]?.append(vector, 0, rowCount);
  }

  /**
   * Without those that restate nothing: of no day, or without a factor; one of 0 would leave no
   * price. Of several about one event the first counts, as in all rows that are derived; those stop
   * where two contradict each other.
   */
  #sort(): void {
    const order = new Uint32Array(this.count).map((_, index) => index);
    const whole = order.filter(
      (index) => !Number.isNaN(this.#days.at(index)) && this.#factors.at(index) > 0,
    );
    const sorted = whole.sort((a, b) => this.#compare(a, b) || a - b);
    let known = new KnownEvents();
    let asid = Number.NaN;
    this.#order = sorted.filter((index) => {
      if (this.#asidAt(index) !== asid) known = new KnownEvents();
      asid = this.#asidAt(index);
      return known.firstOf(this.#listedAt(index)) === null;
    });
  }

  /** Events without an id come first. */
  #asidAt(index: number): number {
    const asid = this.#asids.at(index);
    return Number.isNaN(asid) ? NO_ASID : asid;
  }

  /** The id of the event's security; its ticker, if it has none. */
  #securityAt(index: number): number | string {
    const asid = this.#asids.at(index);
    return Number.isNaN(asid) ? (this.#tickers.textAt(index) ?? '') : asid;
  }

  /** Below 0 if the first event's security comes before that of the other. */
  #compare(a: number, b: number): number {
    const order = this.#asidAt(a) - this.#asidAt(b);
    if (order !== 0 || this.#asidAt(a) !== NO_ASID) return order;
    const [one, other] = [this.#securityAt(a), this.#securityAt(b)];
    return one === other ? 0 : one < other ? -1 : 1;
  }

  #listedAt(index: number): ListedEvent {
    const eventId = this.#eventIds.at(index);
    return {
      ...this.#eventAt(index),
      eventId: Number.isNaN(eventId) ? null : eventId,
    };
  }

  #eventAt(index: number): AdjustmentEvent & { readonly security: number | string } {
    return {
      security: this.#securityAt(index),
      effectiveDate: dateOfDays(this.#days.at(index)),
      factor: this.#factors.at(index),
      reason: this.#reasons.textAt(index) ?? '',
    };
  }

  #eventsOf(security: number | string): AdjustmentEvent[] {
    const events: AdjustmentEvent[] = [];
    for (let at = this.#firstOf(security); at < this.#order.length; at++) {
      const index = this.#order[at] as number;
      if (this.#securityAt(index) !== security) break;
      events.push(this.#eventAt(index));
    }
    return events;
  }

  /** Index of the security's first event. */
  #firstOf(security: number | string): number {
    const isBefore = (index: number) =>
      typeof security === 'number'
        ? this.#asidAt(index) < security
        : this.#asidAt(index) === NO_ASID && this.#securityAt(index) < security;
    let [first, end] = [0, this.#order.length];
    while (first < end) {
      const middle = (first + end) >> 1;
      if (isBefore(this.#order[middle] as number)) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  /** By ticker, the last day of an event that is chosen, of those with an id. */
  #lastDates(choice: AdjustmentChoice): ReadonlyMap<string, string> {
    const dates = new Map<string, string>();
    for (const index of this.#order) {
      const ticker = this.#tickers.textAt(index);
      if (ticker === null || this.#asidAt(index) === NO_ASID) continue;
      const event = this.#eventAt(index);
      const known = dates.get(ticker) ?? '';
      if (isChosen(event, choice) && event.effectiveDate > known) {
        dates.set(ticker, event.effectiveDate);
      }
    }
    return dates;
  }
}

export interface ListedEvent {
  /** Id of the security or, without one, its ticker. */
  readonly security: number | string | null;
  readonly effectiveDate: string;
  readonly reason: string;
  readonly eventId: number | null;
  readonly factor: number | null;
}

const placeOf = ({ security, effectiveDate, reason }: ListedEvent) =>
  [security, effectiveDate, reason].join();

/**
 * Rows are about one event if they have its number. Vendors list events under several numbers, or
 * none: of the rows of a security and a day, those with one factor are one event, and so are all
 * that change shares for one reason. Two dividends of a day are two.
 */
function keysOf(event: ListedEvent): string[] {
  const { reason, eventId, factor } = event;
  const place = placeOf(event);
  if (changesShares(reason)) return [place];
  return [`${place} = ${factor}`, ...(eventId === null ? [] : [`${place} # ${eventId}`])];
}

/** True for an event by which the operator decides about all others of its place. */
export const decides = ({ eventId }: ListedEvent) => eventId !== null && eventId < 0;

/** Tells rows of adjustment factors that are about one corporate event. */
export class KnownEvents {
  readonly #events = new Map<string, ListedEvent>();
  readonly #places = new Map<string, ListedEvent>();

  /**
   * The first row about the same event; null: this one is the first. Natural order has those that
   * decide first, and all others of their place are about the same.
   */
  firstOf(event: ListedEvent): ListedEvent | null {
    const place = placeOf(event);
    const there = this.#places.get(place);
    if (there && decides(there) !== decides(event)) return there;
    const keys = keysOf(event);
    const first = keys.map((key) => this.#events.get(key)).find((known) => known !== undefined);
    for (const key of first ? [] : keys) this.#events.set(key, event);
    this.#places.set(place, there ?? event);
    return first ?? null;
  }
}

/** Events of all tables together, some 40 bytes each. */
const EVENTS_MAX = 2_000_000;
const TOLD_PAGES_MAX = 1000;

/** Adjustment factors that were read last, so that the pages of a walk do not read them again. */
export class FactorTables {
  readonly #tables = new LRUCache<string, FactorEvents>({
    maxSize: EVENTS_MAX,
    sizeCalculation: ({ count }) => count + 1,
  });

  /** Headers of pages that were made before, by all rows that decide about them. */
  readonly told = new LRUCache<string, string>({ max: TOLD_PAGES_MAX });

  async read(
    engine: Pick<EngineReader, 'scan'>,
    plan: QueryPlan,
    signal: AbortSignal,
  ): Promise<FactorEvents> {
    const rows = rowsFingerprint(plan);
    const known = this.#tables.get(rows);
    if (known) return known;
    const events = await FactorEvents.read(engine.scan(plan, signal));
    this.#tables.set(rows, events);
    return events;
  }
}
