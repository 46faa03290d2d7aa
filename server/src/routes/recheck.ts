/** Checks a request for rows again when its turn comes, because it may have waited. */

import { isDeepStrictEqual } from 'node:util';
import { ruledDatasets } from '../engine/query-plan.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { accountOf } from './account-of.ts';
import { admit } from './admit.ts';
import type { PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';

/** Plans a request for its caller. Rejects with an ApiError where there is nothing to plan. */
export type PlanForCaller = (exchange: KeyedExchange) => Promise<PlannedRequest>;

/** The exchange with its caller, who has to be allowed still. Throws as `admit` does. */
function admittedAgain(exchange: KeyedExchange): KeyedExchange {
  const { services, request, endpoint } = exchange;
  // A person may belong to another account by now.
  return { ...exchange, caller: admit(services, request, endpoint) };
}

/** The same as of now, for requests that are planned when their turn has come. */
export async function asOfNow(exchange: KeyedExchange): Promise<KeyedExchange> {
  await exchange.services.store.catchUp();
  return admittedAgain(exchange);
}

/**
 * Its caller has to be allowed still, and the request is planned again if the caller's rules have
 * changed. The caller and the rules are judged in one step, as of the turn: no await comes between
 * the two.
 */
export async function recheck(
  exchange: KeyedExchange,
  planned: PlannedRequest,
  plan: PlanForCaller,
): Promise<PlannedRequest> {
  await exchange.services.store.catchUp();
  const current = admittedAgain(exchange);
  const { identityId } = accountOf(current);
  const { replica } = current.services.store;
  const rules = ruledDatasets(planned.plan).flatMap(({ datasetId }) =>
    replica.rulesOfDataset(identityId, datasetId),
  );
  return areSameRules(rules, planned.rules) ? planned : plan(current);
}

/** Rules keep their ids when they are changed. */
function areSameRules(some: readonly AccessRule[], others: readonly AccessRule[]): boolean {
  return isDeepStrictEqual(some, others);
}
