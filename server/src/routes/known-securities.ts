/** The securities that a caller may read, from the security master as it is published now. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { parseDataRequest } from '../request/data-request.ts';
import type { Security } from '../symbology/security.ts';
import { SECURITY_MASTER, securitiesOf } from '../symbology/security-master.ts';
import type { MadeOfSecurities } from '../symbology/symbol-tables.ts';
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

async function planColumns(
  exchange: Pick<KeyedExchange, 'services' | 'caller'>,
  { group, segment, columnByName }: Dataset,
  columns: readonly string[],
): Promise<PlannedRequest> {
  const known = columns.filter((name) => columnByName.has(name));
  const input = { group, segment, pathParameters: [], queryString: `columns=${known.join(',')}` };
  return await planRequest(exchange, parseDataRequest(input, exchange.services.config), BULK);
}

async function readSecurities(
  { services }: KeyedExchange,
  plan: QueryPlan,
  signal: AbortSignal,
): Promise<Security[]> {
  const securities: Security[] = [];
  for await (const batch of services.engine.scan(plan, signal)) {
    securities.push(...securitiesOf(plan.columns, batch));
  }
  return securities;
}

/** Rows of the security master that the caller may read, and what is made of them. */
export interface PlannedMaster<T> {
  readonly plan: QueryPlan;
  read(): Promise<T>;
}

/**
 * Rejects with an ApiError: 'not found' without such a dataset, 'forbidden' without rules for it. What is not
 * known yet is read in the account's turn.
 */
export async function planMaster<T extends {}>(
  exchange: KeyedExchange,
  made: MadeOfSecurities<T>,
): Promise<PlannedMaster<T>> {
  const dataset = securityMaster(exchange);
  const planned = await planColumns(exchange, dataset, made.columns);
  const readInTurn = () =>
    inTurn(exchange, planned.identityId, async (signal) => {
      const { plan } = await recheck(exchange, planned, (again) =>
        planColumns(again, dataset, made.columns),
      );
      const known = made.get(plan);
      return known ?? (await made.put(plan, await readSecurities(exchange, plan, signal)));
    });
  const { plan } = planned;
  return { plan, read: async () => made.get(plan) ?? (await readInTurn()) };
}
