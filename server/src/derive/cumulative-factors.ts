/** Products of the adjustment factors of each security, by the days between its events. */
import { cumulativeFactorRows, type NamedEvent } from '@ticklake/market/cumulative-factors.ts';
import { bufferRows, type ComputationInput, plainComputation } from './computation.ts';
import { ListedEvents, placeOfEvent } from './listed-events.ts';
import { referenceRows } from './reference-rows.ts';

const RULE_VERSION = 3;

const COLUMNS = {
  Ticker: 'text',
  AdjustmentReason: 'text',
  SecId: 'number',
  ASID: 'number',
  AdjustmentFactor: 'number',
  EventId: 'number',
  EffectiveDate: 'date',
} as const;

/** In natural order; an event without an id is nobody's, and a factor of 0 would leave no price. */
async function readEvents(input: ComputationInput): Promise<NamedEvent[]> {
  const [factors] = input.inputs;
  const events: NamedEvent[] = [];
  const listed = new ListedEvents(input.warn);
  for await (const rows of referenceRows(input, factors, COLUMNS, input.dates)) {
    for (const row of rows) {
      const { ASID: asid, EffectiveDate: effectiveDate, AdjustmentFactor: factor } = row;
      if (effectiveDate === null) continue;
      const place = () => placeOfEvent(factors, row);
      if (asid === null) input.warn(`${place()}: left out; it has no ASID`);
      else if (!factor) input.warn(`${place()}: left out; it has no factor`);
      else {
        const event = { security: asid, effectiveDate, factor, reason: row.AdjustmentReason ?? '' };
        const known = { ...event, eventId: row.EventId };
        if (listed.counts(known, place)) events.push({ ...event, ticker: row.Ticker });
      }
    }
  }
  return events;
}

export const CUMULATIVE_FACTORS = plainComputation(RULE_VERSION, async function* (input) {
  const rows = cumulativeFactorRows(await readEvents(input));
  yield* bufferRows(input.output, rows, (buffer, row) => buffer.appendRow(row));
});
