/** One factor for each corporate event: the one that its report states, or the one by its terms. */
import { createHash } from 'node:crypto';
import {
  agrees,
  type EventTerms,
  factorOfTerms,
  needsPriorClose,
} from '@ticklake/market/event-terms.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { readAnnouncedRatios } from './announced-terms.ts';
import type { Computation, ComputationInput } from './computation.ts';
import { type CorporateEvent, placeOf, readCorporateEvents } from './corporate-events.ts';
import { readPriorCloses } from './prior-closes.ts';

const RULE_VERSION = 1;

/** Closing prices are dollars. A dividend without a currency is one of the market's own. */
function dividendOf({ DivPayrate, DivCurrency }: CorporateEvent): number | null {
  return DivCurrency === null || DivCurrency === 'USD' ? DivPayrate : null;
}

async function readTerms(
  input: ComputationInput,
  events: readonly CorporateEvent[],
): Promise<EventTerms[]> {
  const ratioOf = await readAnnouncedRatios(input);
  const stated = events.map((event) => {
    const dividend = dividendOf(event);
    return { reason: event.AdjustmentReason, dividend, ratio: ratioOf(event), priorClose: null };
  });
  const isAsked = (_: unknown, i: number) => needsPriorClose(stated[i] as EventTerms);
  const priorCloseOf = await readPriorCloses(input, events.filter(isAsked));
  return stated.map((terms, i) => ({
    ...terms,
    priorClose: isAsked(null, i) ? priorCloseOf(events[i] as CorporateEvent) : null,
  }));
}

function termsText({ reason, dividend, ratio, priorClose }: EventTerms): string {
  return ratio
    ? `${reason} of ${ratio.newShares} for ${ratio.oldShares}`
    : `${reason} of ${dividend} after a close of ${priorClose}`;
}

/** Null: nobody knows it. A factor of 0 would leave no price, so it is none. */
function factorOf(
  { inputs: [detail], warn }: ComputationInput,
  event: CorporateEvent,
  terms: EventTerms,
): number | null {
  if (!detail) return null;
  const stated = event.AdjustmentFactor || null;
  const byTerms = factorOfTerms(terms);
  const where = placeOf(detail, event);
  if (stated === null && byTerms === null) {
    warn(`${where}: left out; ${terms.reason} has no factor, and its terms tell none`);
  } else if (stated !== null && byTerms !== null && !agrees(stated, byTerms, terms.reason)) {
    warn(`${where}: the factor ${stated} contradicts ${byTerms}, that of a ${termsText(terms)}`);
  }
  return stated ?? byTerms;
}

async function* factorRows(
  input: ComputationInput,
  events: readonly CorporateEvent[],
  terms: readonly EventTerms[],
) {
  const buffer = new RowBuffer(input.output);
  for (const [i, event] of events.entries()) {
    const factor = factorOf(input, event, terms[i] as EventTerms);
    if (factor === null) continue;
    const { SecId, ASID, Ticker, EffectiveDate, AdjustmentReason, EventId } = event;
    const row = { SecId, ASID, Ticker, EffectiveDate, AdjustmentReason, EventId };
    buffer.appendRow({ ...row, AdjustmentFactor: factor });
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

export const ADJUSTMENT_FACTORS: Computation = {
  ruleVersion: RULE_VERSION,
  async prepare(input) {
    const events = await readCorporateEvents(input);
    const terms = await readTerms(input, events);
    const mark = createHash('sha256').update(JSON.stringify(terms)).digest('hex');
    return { mark, rows: () => factorRows(input, events, terms) };
  },
};
