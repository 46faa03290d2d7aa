/** Products of the adjustment factors of each security, by the days between its events. */
import { cumulativeFactorRows, type NamedEvent } from '@ticklake/market/cumulative-factors.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type ComputationInput, plainComputation } from './computation.ts';
import { placeOf } from './corporate-events.ts';
import { ListedEvents } from './listed-events.ts';
import { namesOf, referenceRows } from './reference-rows.ts';

const RULE_VERSION = 3;

const COLUMNS = {
  texts: ['Ticker', 'AdjustmentReason'],
  numbers: ['SecId', 'ASID', 'AdjustmentFactor', 'EventId'],
  dates: ['EffectiveDate'],
} as const;

/** In natural order; an event without an id is nobody's, and a factor of 0 would leave no price. */
async function readEvents({ inputs: [factors], dates, read, warn }: ComputationInput) {
  const events: NamedEvent[] = [];
  const listed = new ListedEvents(warn);
  if (!factors) return events;
  for await (const row of referenceRows(COLUMNS, read(factors, namesOf(COLUMNS), dates))) {
    const { ASID, Ticker, EffectiveDate, AdjustmentFactor, AdjustmentReason } = row;
    if (EffectiveDate === null) continue;
    if (ASID === null) warn(`${placeOf(factors, row)}: left out; it has no ASID`);
    else if (!AdjustmentFactor) warn(`${placeOf(factors, row)}: left out; it has no factor`);
    else {
      const event = {
        ...{ asid: ASID, effectiveDate: EffectiveDate },
        ...{ factor: AdjustmentFactor, reason: AdjustmentReason ?? '' },
      };
      const known = { ...event, security: ASID, eventId: row.EventId };
      if (listed.counts(known, () => placeOf(factors, row))) {
        events.push({ ...event, ticker: Ticker });
      }
    }
  }
  return events;
}

async function* intervalRows(input: ComputationInput) {
  const buffer = new RowBuffer(input.output);
  for (const row of cumulativeFactorRows(await readEvents(input))) {
    buffer.appendRow(row);
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

export const CUMULATIVE_FACTORS = plainComputation(RULE_VERSION, intervalRows);
