/** Corporate events as their reports tell them, each once: by its last report. */
import type { Dataset } from '../catalog/dataset.ts';
import type { ComputationInput } from './computation.ts';
import { requireOneFactor } from './listed-events.ts';
import { namesOf, type ReferenceRow, referenceRows } from './reference-rows.ts';

const COLUMNS = {
  texts: ['Ticker', 'AdjustmentReason', 'EventType', 'DivCurrency'],
  numbers: ['SecId', 'ASID', 'EventId', 'AdjustmentFactor', 'DivPayrate', 'Revision'],
  dates: ['EffectiveDate', 'ReportDate'],
} as const;

type EventRow = ReferenceRow<
  (typeof COLUMNS.texts)[number],
  (typeof COLUMNS.numbers)[number],
  (typeof COLUMNS.dates)[number]
>;

export interface CorporateEvent extends EventRow {
  readonly EffectiveDate: string;
  readonly AdjustmentReason: string;
}

/** Dataset, day and symbol, as warnings name them. */
export function placeOf(
  { textId }: Dataset,
  {
    Ticker,
    ASID,
    SecId,
    EffectiveDate,
  }: Pick<EventRow, 'Ticker' | 'ASID' | 'SecId' | 'EffectiveDate'>,
): string {
  return `${textId} ${EffectiveDate} ${Ticker ?? ASID ?? SecId ?? 'without a ticker'}`;
}

/** Null: an event without a number, which no other row is known to be about. */
function identityOf({ SecId, ASID, EffectiveDate, AdjustmentReason, EventId }: EventRow) {
  return EventId === null ? null : [SecId, ASID, EffectiveDate, AdjustmentReason, EventId].join();
}

function compareReports(a: EventRow, b: EventRow): number {
  const [one, other] = [a.ReportDate ?? '', b.ReportDate ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  return (a.Revision ?? 0) - (b.Revision ?? 0);
}

function listedOf(event: CorporateEvent) {
  const { SecId, ASID, EffectiveDate, AdjustmentReason, AdjustmentFactor, EventId } = event;
  return {
    ...{ security: ASID ?? SecId, effectiveDate: EffectiveDate, reason: AdjustmentReason },
    ...{ factor: AdjustmentFactor, eventId: EventId },
  };
}

function isComplete(row: EventRow): row is CorporateEvent {
  return row.EffectiveDate !== null && row.AdjustmentReason !== null;
}

/** The events in natural order. Throws where two reports of one event contradict each other. */
export async function readCorporateEvents({
  inputs: [detail],
  dates,
  read,
}: ComputationInput): Promise<CorporateEvent[]> {
  const events: CorporateEvent[] = [];
  if (!detail) return events;
  const places = new Map<string, number>();
  for await (const row of referenceRows(COLUMNS, read(detail, namesOf(COLUMNS), dates))) {
    if (!isComplete(row)) continue;
    const identity = identityOf(row);
    const place = identity === null ? undefined : places.get(identity);
    if (place === undefined) {
      if (identity !== null) places.set(identity, events.length);
      events.push(row);
      continue;
    }
    const other = events[place] as CorporateEvent;
    const order = compareReports(row, other);
    if (order === 0) requireOneFactor(placeOf(detail, row), listedOf(other), listedOf(row));
    if (order > 0) events[place] = row;
  }
  return events;
}
