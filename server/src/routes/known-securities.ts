/** The securities that a caller may read, from the security master as it is published now. */
import { requireAccount } from '../access/authenticate.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { parseDataRequest } from '../request/data-request.ts';
import type { Security } from '../symbology/security.ts';
import { MASTER_COLUMNS, SECURITY_MASTER, securitiesOf } from '../symbology/security-master.ts';
import type { KnownSecurities } from '../symbology/symbol-tables.ts';
import type { PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';
import { inTurn } from './in-turn.ts';
import { BULK, planRequest } from './plan-request.ts';
import { recheck } from './recheck.ts';

/** Throws an ApiError 'not found' where the server does not offer it. */
function securityMaster({ services }: KeyedExchange): Dataset {
  const dataset = services.catalog.byTextId(SECURITY_MASTER);
  if (dataset) return dataset;
  throw new ApiError(
    'not found',
    `This server has no dataset ${SECURITY_MASTER}, which names securities`,
  );
}

async function planMaster(
  exchange: Pick<KeyedExchange, 'services' | 'caller'>,
  { group, segment, columnByName }: Dataset,
): Promise<PlannedRequest> {
  const columns = MASTER_COLUMNS.filter((name) => columnByName.has(name));
  const input = { group, segment, pathParameters: [], queryString: `columns=${columns.join(',')}` };
  return await planRequest(exchange, parseDataRequest(input, exchange.services.config), BULK);
}

async function readSecurities(
  { services }: KeyedExchange,
  plan: QueryPlan,
  signal: AbortSignal,
): Promise<KnownSecurities> {
  const securities: Security[] = [];
  for await (const batch of services.engine.scan(plan, signal)) {
    securities.push(...securitiesOf(plan.columns, batch));
  }
  return await services.symbolTables.put(plan, securities);
}

/**
 * Within the caller's rules for the security master. Rejects with an ApiError: 'not found' without such a
 * dataset, 'forbidden' without rules for it. Where they are not known yet, they are read in the account's turn.
 */
export async function knownSecurities(
  exchange: KeyedExchange,
): Promise<KnownSecurities & { readonly version: number | null }> {
  const { services, caller, tally } = exchange;
  const { identityId } = requireAccount(caller);
  const dataset = securityMaster(exchange);
  const planned = await planMaster(exchange, dataset);
  const { version } = planned.plan;
  Object.assign(tally, { datasetId: dataset.datasetId, datasetVersion: version });
  const known = services.symbolTables.get(planned.plan);
  if (known) return { ...known, version };
  return await inTurn(exchange, identityId, async (signal) => {
    const { plan } = await recheck(exchange, planned, (again) => planMaster(again, dataset));
    const read = services.symbolTables.get(plan) ?? (await readSecurities(exchange, plan, signal));
    return { ...read, version: plan.version };
  });
}
