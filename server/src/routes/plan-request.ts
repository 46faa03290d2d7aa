/** Plans requests for rows by the rules of their callers. */
import { requireAccount } from '../access/authenticate.ts';
import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { type PlanInput, planQuery } from '../plan/plan-query.ts';
import { canonicalRequest } from '../receipts/canonical-request.ts';
import { chooseBulkDataset, chooseDataset, type DataRequest } from '../request/data-request.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Replica } from '../store/replica.ts';
import { today } from '../time/market-time.ts';
import type { PlannedRequest } from './answer-page.ts';
import { askedSnapshot } from './asked-version.ts';
import type { KeyedExchange } from './endpoint.ts';
import type { NextPage } from './next-link.ts';

/** What is asked for: which dataset its path names, and how it is planned. */
export interface Asking {
  readonly choose: (request: DataRequest, catalog: Catalog) => Dataset;
  readonly plan: (input: PlanInput) => Promise<QueryPlan>;
}

/** A page of rows. */
export const PAGE: Asking = { choose: chooseDataset, plan: planQuery };
/** All rows, as files. */
export const BULK: Asking = { choose: chooseBulkDataset, plan: planBulk };

/** Plans the request for its caller. Rejects with an ApiError where there is nothing to plan. */
export async function planRequest(
  { services, caller }: Pick<KeyedExchange, 'services' | 'caller'>,
  request: DataRequest,
  { choose, plan: planAsked }: Asking,
): Promise<PlannedRequest> {
  const { catalog, store, lake, clock, config } = services;
  const { identityId } = requireAccount(caller);
  const dataset = choose(request, catalog);
  const rules = requireRules(store.replica, identityId, dataset);
  const snapshot = await askedSnapshot(lake, dataset, request.version);
  const day = today(dataset.timeZone, clock.now());
  const planned = await planAsked({ request, dataset, snapshot, rules, today: day });
  const plan = { ...planned, holder: identityId };
  const textOf = () => canonicalRequest(request, plan, config);
  return { identityId, request, rules, plan, pins: pinsOf(snapshot), textOf };
}

/** A walk stays with the version of its first page, whatever is published meanwhile. */
function pinsOf(snapshot: DatasetSnapshot | null): NextPage {
  const parameters = snapshot ? { dataset_version: snapshot.version } : {};
  return { parameters, replaced: ['as_of'] };
}

/** The rules by which an account reads a dataset's rows, oldest window first; 'forbidden' without any. */
function requireRules(
  replica: Replica,
  identityId: number,
  dataset: Dataset,
): readonly AccessRule[] {
  const rules = replica.rulesOfDataset(identityId, dataset.datasetId);
  if (rules.length > 0) return rules;
  throw new ApiError(
    'forbidden',
    `The account is not authorized to access the dataset ${dataset.name}`,
  );
}
