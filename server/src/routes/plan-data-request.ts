/** The stages of a data request that read no rows: from its URL to the plan of its page. */
import { requireAccount } from '../access/authenticate.ts';
import { requireRules } from '../access/entitlement.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Today } from '../plan/entitlement.ts';
import { planQuery } from '../plan/plan-query.ts';
import { chooseDataset } from '../request/choose-dataset.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { pageTag } from '../response/page-tag.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { utcDay } from '../store/usage.ts';
import { marketDate } from '../time/market-time.ts';
import type { KeyedExchange } from './endpoint.ts';

/** A request with the plan made for it, by rules that may change until it is its turn. */
export interface PlannedRequest {
  readonly request: DataRequest;
  readonly rules: readonly AccessRule[];
  readonly plan: QueryPlan;
  readonly tag: string;
}

/**
 * Reads the path below its first segment, `{group}/{segment}/…`, in raw segments: the parser decodes
 * them itself, strictly.
 */
export function readDataRequest({ services, path, queryString }: KeyedExchange): DataRequest {
  const [, , group, segment, ...pathParameters] = path.split('/') as [
    string,
    string,
    string,
    string,
  ];
  const input = { group, segment, pathParameters, queryString };
  return parseDataRequest(input, services.config);
}

export function marketToday({ timeZone }: Dataset, nowMs: number): Today {
  return { market: marketDate(timeZone, nowMs), utc: utcDay(nowMs) };
}

/** Plans the request for its caller. Rejects with an ApiError: 404, 403, 410 or 422. */
export async function planDataRequest(
  exchange: KeyedExchange,
  request: DataRequest,
): Promise<PlannedRequest> {
  const { services, caller } = exchange;
  const dataset = chooseDataset(request, services.catalog);
  const { identityId } = requireAccount(caller);
  const rules = requireRules(services.store, identityId, dataset);
  const snapshot = services.lake.snapshot(dataset.datasetId);
  const today = marketToday(dataset, services.clock.now());
  const planned = await planQuery({ request, dataset, snapshot, rules, today });
  const plan = { ...planned, holder: identityId };
  const tag = pageTag(plan, request.responseFormat, request.pathParameters);
  return { request, rules, plan, tag };
}
