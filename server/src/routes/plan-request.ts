/** Plans requests for rows by the rules of their callers. */
import { ADJUSTMENT_COLUMNS } from '@ticklake/market/adjustment.ts';
import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { isRestatable } from '../catalog/derivation.ts';
import type { QueryPlan, Rolls } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { requireWholeRoot } from '../plan/continuous-plan.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { type PlanInput, planQuery } from '../plan/plan-query.ts';
import { canonicalRequest } from '../receipts/canonical-request.ts';
import { isRestated } from '../request/adjustment-parameters.ts';
import { chooseBulkDataset, chooseDataset, type DataRequest } from '../request/data-request.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Replica } from '../store/replica.ts';
import { today } from '../time/market-time.ts';
import { accountOf } from './account-of.ts';
import type { PlannedRequest } from './answer-page.ts';
import { askedSnapshot } from './asked-version.ts';
import type { KeyedExchange } from './endpoint.ts';
import type { NextPage } from './next-link.ts';
import { type AskedRows, type PlannedRows, planRestated } from './plan-restated.ts';

/** What is asked for: which dataset its path names, and how it is planned. */
export interface Asking {
  readonly choose: (request: DataRequest, catalog: Catalog) => Dataset;
  readonly plan: (input: PlanInput) => Promise<QueryPlan>;
}

/** A page of rows. */
export const PAGE: Asking = { choose: chooseDataset, plan: planQuery };
/** All rows, as files. */
export const BULK: Asking = { choose: chooseBulkDataset, plan: planBulk };

/** Plans the request for its caller, a continuous contract by its rolls. Rejects with an ApiError where there is nothing to plan. */
export async function planRequest(
  { services, caller }: Pick<KeyedExchange, 'services' | 'caller'>,
  asked: DataRequest,
  asking: Asking,
  rolls?: Rolls,
): Promise<PlannedRequest> {
  const { catalog, config } = services;
  const { identityId } = accountOf({ services, caller });
  const dataset = asking.choose(asked, catalog);
  const request = withFactorColumns(asked, dataset);
  const planned = await planRows({
    services,
    request,
    dataset,
    rulesFor: (each) => requireRules(services.store.replica, identityId, each),
    planAsked: asking.plan,
    rolls,
  });
  const plan = { ...planned.plan, holder: identityId };
  const textOf = () => canonicalRequest(request, plan, config);
  return { identityId, request, rules: planned.rules, plan, pins: planned.pins, textOf };
}

function planRows(asked: AskedRows): Promise<PlannedRows> {
  const isComputed = isRestatable(asked.dataset) && isRestated(asked.request.adjustment);
  return isComputed ? planRestated(asked) : planStored(asked);
}

async function planStored(asked: AskedRows): Promise<PlannedRows> {
  const { services, request, dataset, rulesFor, planAsked, rolls } = asked;
  const rules = rulesFor(dataset);
  const ofRanking = rolls ? rulesFor(rolls.ranking) : [];
  if (rolls) requireWholeRoot(rolls.ranking, ofRanking, rolls.root);
  const snapshot = await askedSnapshot(services.lake, dataset, request.version);
  const day = today(dataset.timeZone, services.clock.now());
  const plan = await planAsked({ request, dataset, snapshot, rules, today: day, rolls });
  return { plan, rules: [...rules, ...ofRanking], pins: pinsOf(snapshot, rolls) };
}

/** With `adjustment_factors=true` the factors come last, if they are not among the columns asked for. */
function withFactorColumns(request: DataRequest, dataset: Dataset): DataRequest {
  const { columns, interval, adjustment } = request;
  if (!adjustment.withFactors || !isRestatable(dataset)) return request;
  if (columns === null && interval === null) return request;
  return { ...request, columns: [...new Set([...(columns ?? []), ...ADJUSTMENT_COLUMNS])] };
}

/** A walk stays with the version of its first page, whatever is published meanwhile. */
function pinsOf(snapshot: DatasetSnapshot | null, rolls: Rolls | undefined): NextPage {
  const parameters = {
    ...(snapshot && { dataset_version: snapshot.version }),
    ...(rolls && { rolls_version: rolls.version }),
  };
  return { parameters, replaced: ['as_of'] };
}

/** The rules by which an account reads a dataset's rows, oldest window first; 'forbidden' without any. */
export function requireRules(
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
