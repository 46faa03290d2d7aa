/**
 * The header of adjusted rows that names the securities of the page whose rows are as they were traded: no event is
 * known of them, or they have no permanent number, by which events are found.
 */
import { type AdjustmentChoice, EVERY_EVENT } from '@ticklake/market/adjustment.ts';
import { ROW_KEYS } from '../adjustments/restate-batch.ts';
import { ApiError } from '../base/errors.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { type ColumnVector, cellAt } from '../engine/columns.ts';
import { pageFingerprint, rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { planSource } from '../intervals/plan-source.ts';
import { columnOf } from '../plan/dataset-columns.ts';
import type { PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';
import { inTurn } from './in-turn.ts';
import { PAGE, planRequest, requireRules } from './plan-request.ts';
import { planFactorsOf } from './plan-restated.ts';
import { recheck } from './recheck.ts';

/** A header stays short. */
const TOLD_MAX = 30;

/** Null where the caller may not read the events, or there are none to be read. */
async function factorsOf(
  { services }: KeyedExchange,
  { identityId, request, plan, rules }: PlannedRequest,
): Promise<QueryPlan | null> {
  if (plan.restatement) return plan.restatement.factors;
  const rulesFor = requireRules.bind(null, services.store.replica, identityId);
  try {
    return await planFactorsOf({ services, request, rulesFor }, plan, rules);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** The securities of the page's rows, each once: `TICKER ASID`, or `TICKER` without a number. */
async function securitiesOf(
  { services }: KeyedExchange,
  plan: QueryPlan,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, bigint | null>> {
  const keys = [ROW_KEYS.ticker, ROW_KEYS.asid].map((name) => columnOf(plan.dataset, name));
  const found = new Map<string, bigint | null>();
  let left = plan.limit;
  for await (const batch of planSource(services, { ...plan, columns: keys }, signal).rows()) {
    const [tickers, asids] = batch.columns as [ColumnVector, ColumnVector];
    for (let row = 0; row < Math.min(batch.rowCount, left); row++) {
      const asid = cellAt(asids, row) as bigint | null;
      const ticker = encodeURIComponent(`${cellAt(tickers, row) ?? ''}`);
      found.set(asid === null ? ticker : `${ticker} ${asid}`, asid);
    }
    left -= Math.min(batch.rowCount, left);
    batch.release?.();
  }
  return found;
}

async function textOf(
  exchange: KeyedExchange,
  plan: QueryPlan,
  factors: QueryPlan,
  signal: AbortSignal,
): Promise<string> {
  const { engine, factorTables } = exchange.services;
  const choice: AdjustmentChoice = plan.restatement ?? EVERY_EVENT;
  const events = await factorTables.read(engine, factors, signal);
  const unadjusted = [...(await securitiesOf(exchange, plan, signal))].flatMap(([name, asid]) => {
    if (asid === null) return [`${name} no-asid`];
    return events.hasChosen(Number(asid), choice) ? [] : [`${name} no-event`];
  });
  const rest = unadjusted.length - TOLD_MAX;
  return [...unadjusted.slice(0, TOLD_MAX), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** `X-Unadjusted` of adjusted rows; none where all are adjusted. Looks at the page's rows in the account's turn. */
export async function unadjustedHeader(
  exchange: KeyedExchange,
  planned: PlannedRequest,
): Promise<Readonly<Record<string, string>>> {
  if (!isRestatable(planned.plan.dataset)) return {};
  const { told } = exchange.services.factorTables;
  const keyOf = (plan: QueryPlan, factors: QueryPlan) =>
    `${pageFingerprint(plan)} ${rowsFingerprint(factors)}`;
  const factors = await factorsOf(exchange, planned);
  if (factors === null) return { 'X-Unadjusted': 'unknown' };
  const known = told.get(keyOf(planned.plan, factors));
  const text =
    known ??
    (await inTurn(exchange, planned.identityId, async (signal) => {
      const { plan } = await recheck(exchange, planned, (again) =>
        planRequest(again, planned.request, PAGE),
      );
      const made = await textOf(exchange, plan, factors, signal);
      told.set(keyOf(plan, factors), made);
      return made;
    }));
  return text === '' ? {} : { 'X-Unadjusted': text };
}
