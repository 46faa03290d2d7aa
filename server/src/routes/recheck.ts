/** Checks a request for rows again when its turn comes, because it may have waited. */
import { requireAccount } from '../access/authenticate.ts';
import { ruledDatasets } from '../engine/query-plan.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { admit } from './admit.ts';
import type { PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';

/** Plans a request for its caller. Rejects with an ApiError where there is nothing to plan. */
export type PlanForCaller = (exchange: KeyedExchange) => Promise<PlannedRequest>;

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
  const { services, request, endpoint } = exchange;
  await services.store.catchUp();
  // A person may belong to another account by now.
  const caller = admit(services, request, endpoint);
  const { identityId } = requireAccount(caller);
  const { replica } = services.store;
  const rules = ruledDatasets(planned.plan).flatMap(({ datasetId }) =>
    replica.rulesOfDataset(identityId, datasetId),
  );
  return areSameRules(rules, planned.rules) ? planned : plan({ ...exchange, caller });
}

/** A rule is made and deleted, never changed, and no id is given twice. */
function areSameRules(some: readonly AccessRule[], others: readonly AccessRule[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ ruleId }, index) => ruleId === others[index]?.ruleId)
  );
}
