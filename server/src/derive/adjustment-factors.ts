/** One factor for each corporate event: the one that its report states, or the one by its terms. */
import {
  agrees,
  type EventTerms,
  factorOfTerms,
  needsPriorClose,
  type ShareRatio,
} from '@ticklake/market/adjustment-factor.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { daysOfDate } from '../engine/columns.ts';
import { addDays, earlierOf, laterOf } from '../request/literals.ts';
import { bufferRows, type ComputationInput, referencedComputation } from './computation.ts';
import { placeOfEvent, requireOneFactor } from './listed-events.ts';
import { CLOSE_COLUMNS, type ReferenceRow, referenceRows } from './reference-rows.ts';

const RULE_VERSION = 1;

const EVENT_COLUMNS = {
  Ticker: 'text',
  AdjustmentReason: 'text',
  EventType: 'text',
  DivCurrency: 'text',
  SecId: 'number',
  ASID: 'number',
  EventId: 'number',
  AdjustmentFactor: 'number',
  DivPayrate: 'number',
  Revision: 'number',
  EffectiveDate: 'date',
  ReportDate: 'date',
} as const;

type EventRow = ReferenceRow<typeof EVENT_COLUMNS>;

interface CorporateEvent extends EventRow {
  readonly EffectiveDate: string;
  readonly AdjustmentReason: string;
}

function isComplete(row: EventRow): row is CorporateEvent {
  return row.EffectiveDate !== null && row.AdjustmentReason !== null;
}

/** Null: an event without a number, which no other row is known to be about. */
function eventKey({ SecId, ASID, EffectiveDate, AdjustmentReason, EventId }: EventRow) {
  return EventId === null ? null : [SecId, ASID, EffectiveDate, AdjustmentReason, EventId].join();
}

function compareReports(a: EventRow, b: EventRow): number {
  const [one, other] = [a.ReportDate ?? '', b.ReportDate ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  return (a.Revision ?? 0) - (b.Revision ?? 0);
}

function listedOf(event: CorporateEvent) {
  return {
    security: event.ASID ?? event.SecId,
    effectiveDate: event.EffectiveDate,
    reason: event.AdjustmentReason,
    factor: event.AdjustmentFactor,
    eventId: event.EventId,
  };
}

/**
 * The events in natural order, each by its last report. Throws where two reports of one event
 * contradict each other.
 */
async function readEvents(input: ComputationInput): Promise<CorporateEvent[]> {
  const [detail] = input.inputs;
  const events: CorporateEvent[] = [];
  const places = new Map<string, number>();
  for await (const rows of referenceRows(input, detail, EVENT_COLUMNS, input.dates)) {
    for (const row of rows) {
      if (!isComplete(row)) continue;
      const key = eventKey(row);
      const place = key === null ? undefined : places.get(key);
      if (place === undefined) {
        if (key !== null) places.set(key, events.length);
        events.push(row);
        continue;
      }
      const other = events[place] as CorporateEvent;
      const order = compareReports(row, other);
      if (order === 0) {
        const where = placeOfEvent(detail, row);
        requireOneFactor(where, listedOf(other), listedOf(row), 'a later ReportDate');
      }
      if (order > 0) events[place] = row;
    }
  }
  return events;
}

const ANNOUNCEMENT_COLUMNS = {
  EventType: 'text',
  Action: 'text',
  SecId: 'number',
  ASID: 'number',
  EventId: 'number',
  RatioNew: 'number',
  RatioOld: 'number',
} as const;

/** Records of events that will not be: cancelled, deleted. */
const WITHDRAWN_ACTIONS: ReadonlySet<string | null> = new Set(['C', 'D']);

/** By ASID where there is one: between announcement and event a security may get another SecId. */
function announcementKey({
  SecId,
  ASID,
  EventType,
  EventId,
}: Pick<EventRow, 'SecId' | 'ASID' | 'EventType' | 'EventId'>): string | null {
  const security = ASID ?? SecId;
  return security === null || EventId === null ? null : [security, EventType, EventId].join();
}

/** The ratio of each event's last announcement, by the key of the event. */
async function readRatios(input: ComputationInput): Promise<ReadonlyMap<string, ShareRatio>> {
  const { inputs, dates } = input;
  const ratios = new Map<string, ShareRatio>();
  for await (const rows of referenceRows(input, inputs[2], ANNOUNCEMENT_COLUMNS, dates)) {
    for (const row of rows) {
      const key = announcementKey(row);
      if (key === null) continue;
      const { RatioNew: newShares, RatioOld: oldShares, Action } = row;
      const isKnown = newShares !== null && oldShares !== null && newShares > 0 && oldShares > 0;
      if (isKnown && !WITHDRAWN_ACTIONS.has(Action)) ratios.set(key, { newShares, oldShares });
      else ratios.delete(key);
    }
  }
  return ratios;
}

/** Calendar days. A security that has not traded for longer has no prior close. */
const CLOSE_AGE_DAYS_MAX = 14;

/** The effective dates of a security, ascending, and the close that is known before each. */
interface Wanted {
  readonly days: number[];
  readonly closes: (number | null)[];
  /** Rows come by date: the first day that none has reached yet. */
  next: number;
}

function securityOf({ ASID, Ticker }: Pick<EventRow, 'ASID' | 'Ticker'>): number | string {
  return ASID ?? Ticker ?? '';
}

function wantedOf(events: readonly CorporateEvent[]): Map<number | string, Wanted> {
  const grouped = Map.groupBy(events, securityOf);
  return new Map(
    [...grouped].map(([security, asked]) => {
      const dates = [...new Set(asked.map(({ EffectiveDate }) => EffectiveDate))].sort();
      return [security, { days: dates.map(daysOfDate), closes: dates.map(() => null), next: 0 }];
    }),
  );
}

function noteClose(wanted: Wanted, day: number, close: number): void {
  const { days, closes } = wanted;
  while (wanted.next < days.length && (days[wanted.next] as number) <= day) wanted.next += 1;
  const effective = days[wanted.next];
  if (effective !== undefined && effective - day <= CLOSE_AGE_DAYS_MAX) closes[wanted.next] = close;
}

type PriorCloses = (event: CorporateEvent) => number | null;

/** The last closing price before each event. Reads the daily prices once. */
async function readPriorCloses(
  input: ComputationInput,
  events: readonly CorporateEvent[],
): Promise<PriorCloses> {
  const wanted = wantedOf(events);
  const [one, ...others] = events.map(({ EffectiveDate }) => EffectiveDate);
  if (one === undefined) return () => null;
  const start = addDays(others.reduce(earlierOf, one), -CLOSE_AGE_DAYS_MAX);
  const end = addDays(others.reduce(laterOf, one), -1);
  for await (const rows of referenceRows(input, input.inputs[1], CLOSE_COLUMNS, { start, end })) {
    for (const row of rows) {
      const asked = wanted.get(securityOf(row));
      const { TradeDate, ClosePrice } = row;
      if (asked && TradeDate !== null && ClosePrice !== null) {
        noteClose(asked, TradeDate, ClosePrice);
      }
    }
  }
  return (event) => {
    const asked = wanted.get(securityOf(event));
    const at = asked?.days.indexOf(daysOfDate(event.EffectiveDate)) ?? -1;
    return asked?.closes[at] ?? null;
  };
}

/** Closing prices are dollars. A dividend without a currency is one of the market's own. */
function dividendOf({ DivPayrate, DivCurrency }: CorporateEvent): number | null {
  return DivCurrency === null || DivCurrency === 'USD' ? DivPayrate : null;
}

interface TermedEvent {
  readonly event: CorporateEvent;
  readonly terms: EventTerms;
}

async function readTermedEvents(input: ComputationInput): Promise<TermedEvent[]> {
  const events = await readEvents(input);
  const ratios = await readRatios(input);
  const stated = events.map((event): TermedEvent => {
    const ratio = ratios.get(announcementKey(event) ?? '') ?? null;
    const dividend = dividendOf(event);
    return { event, terms: { reason: event.AdjustmentReason, dividend, ratio, priorClose: null } };
  });
  const asked = stated.filter(({ terms }) => needsPriorClose(terms));
  const priorCloseOf = await readPriorCloses(
    input,
    asked.map(({ event }) => event),
  );
  return stated.map(({ event, terms }) => {
    const priorClose = needsPriorClose(terms) ? priorCloseOf(event) : null;
    return { event, terms: { ...terms, priorClose } };
  });
}

function termsText({ reason, dividend, ratio, priorClose }: EventTerms): string {
  return ratio
    ? `${reason} of ${ratio.newShares} for ${ratio.oldShares}`
    : `${reason} of ${dividend} after a close of ${priorClose}`;
}

/** Null: nobody knows it. A factor of 0 would leave no price, so it is none. */
function factorOf(
  { inputs: [detail], warn }: ComputationInput,
  { event, terms }: TermedEvent,
): number | null {
  const stated = event.AdjustmentFactor || null;
  const byTerms = factorOfTerms(terms);
  const where = placeOfEvent(detail, event);
  if (stated === null && byTerms === null) {
    warn(`${where}: left out; ${terms.reason} has no factor, and its terms tell none`);
  } else if (stated !== null && byTerms !== null && !agrees(stated, byTerms, terms.reason)) {
    warn(`${where}: the factor ${stated} contradicts ${byTerms}, that of a ${termsText(terms)}`);
  }
  return stated ?? byTerms;
}

function factorRows(
  input: ComputationInput,
  events: readonly TermedEvent[],
): AsyncIterable<ColumnBatch> {
  return bufferRows(input.output, events, (buffer, termed) => {
    const factor = factorOf(input, termed);
    if (factor === null) return;
    const { SecId, ASID, Ticker, EffectiveDate, AdjustmentReason, EventId } = termed.event;
    const row = { SecId, ASID, Ticker, EffectiveDate, AdjustmentReason, EventId };
    buffer.appendRow({ ...row, AdjustmentFactor: factor });
  });
}

export const ADJUSTMENT_FACTORS = referencedComputation({
  ruleVersion: RULE_VERSION,
  read: readTermedEvents,
  digested: (events) => events.map(({ terms }) => terms),
  rows: factorRows,
});
