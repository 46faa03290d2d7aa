/** Products of the adjustment factors of each security, by the days between its events. */
import { cumulativeFactorRows, type NamedEvent } from '@ticklake/market/cumulative-factors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type ComputationInput, plainComputation } from './computation.ts';
import { placeOf } from './corporate-events.ts';
import { namesOf, type ReferenceRow, referenceRows } from './reference-rows.ts';

const RULE_VERSION = 1;

const COLUMNS = {
  texts: ['Ticker', 'AdjustmentReason'],
  numbers: ['SecId', 'ASID', 'AdjustmentFactor', 'EventId'],
  dates: ['EffectiveDate'],
} as const;

type FactorRow = ReferenceRow<
  (typeof COLUMNS.texts)[number],
  (typeof COLUMNS.numbers)[number],
  (typeof COLUMNS.dates)[number]
>;

/** Null: an event without a number, which no other row is known to be about. */
function identityOf({ ASID, EffectiveDate, AdjustmentReason, EventId }: FactorRow): string | null {
  return EventId === null ? null : [ASID, EffectiveDate, AdjustmentReason, EventId].join();
}

/** Warns of rows about one event that contradict each other. Both count, as in all rows that they restate. */
function noteFactor(
  factors: Dataset,
  row: FactorRow,
  known: Map<string, number | null>,
  warn: ComputationInput['warn'],
): void {
  const identity = identityOf(row);
  if (identity === null) return;
  const other = known.get(identity);
  const factor = row.AdjustmentFactor;
  if (other === undefined) known.set(identity, factor);
  else if (other !== factor) {
    warn(`${placeOf(factors, row)}: two factors of event ${row.EventId}, ${other} and ${factor}`);
  }
}

/** In natural order; an event without an id is nobody's, and a factor of 0 would leave no price. */
async function readEvents({ inputs: [factors], dates, read, warn }: ComputationInput) {
  const events: NamedEvent[] = [];
  const known = new Map<string, number | null>();
  if (!factors) return events;
  for await (const row of referenceRows(COLUMNS, read(factors, namesOf(COLUMNS), dates))) {
    const { ASID, Ticker, EffectiveDate, AdjustmentFactor, AdjustmentReason } = row;
    if (EffectiveDate === null) continue;
    noteFactor(factors, row, known, warn);
    if (ASID === null) warn(`${placeOf(factors, row)}: left out; it has no ASID`);
    else if (!AdjustmentFactor) warn(`${placeOf(factors, row)}: left out; it has no factor`);
    else {
      events.push({
        ...{ asid: ASID, ticker: Ticker, effectiveDate: EffectiveDate },
        ...{ factor: AdjustmentFactor, reason: AdjustmentReason ?? '' },
      });
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
