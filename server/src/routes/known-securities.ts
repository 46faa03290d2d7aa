/** The securities that a caller may read, from the security master as it is published now. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { parseDataRequest } from '../request/data-request.ts';
import type { ReusedTickers } from '../symbology/reused-tickers.ts';
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

async function planRows(
  exchange: Pick<KeyedExchange, 'services' | 'caller'>,
  { group, segment, columnByName }: Dataset,
): Promise<PlannedRequest> {
  const columns = MASTER_COLUMNS.filter((name) => columnByName.has(name));
  const input = { group, segment, pathParameters: [], queryString: `columns=${columns.join(',')}` };
  return await planRequest(exchange, parseDataRequest(input, exchange.services.config), BULK);
}

/**
 * The rows that the caller may read. Rejects with an ApiError: 'not found' without such a dataset, 'forbidden'
 * without rules for it.
 */
export async function planMaster(exchange: KeyedExchange): Promise<PlannedRequest> {
  return await planRows(exchange, securityMaster(exchange));
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

/** What `find` has of the planned rows; where it is not known yet, they are read in the account's turn. */
async function found<T>(
  exchange: KeyedExchange,
  asked: PlannedRequest,
  find: (plan: QueryPlan) => T | undefined,
  of: (read: KnownSecurities) => T,
): Promise<T> {
  const known = find(asked.plan);
  if (known) return known;
  const { dataset } = asked.plan;
  return await inTurn(exchange, asked.identityId, async (signal) => {
    const { plan } = await recheck(exchange, asked, (again) => planRows(again, dataset));
    return find(plan) ?? of(await readSecurities(exchange, plan, signal));
  });
}

export async function knownSecurities(
  exchange: KeyedExchange,
  planned: PlannedRequest,
): Promise<KnownSecurities> {
  const { symbolTables } = exchange.services;
  return await found(
    exchange,
    planned,
    (plan) => symbolTables.get(plan),
    (read) => read,
  );
}

/** Of the same securities, the tickers that more than one company has had. */
export async function knownReusedTickers(
  exchange: KeyedExchange,
  planned: PlannedRequest,
): Promise<ReusedTickers> {
  const { symbolTables } = exchange.services;
  return await found(
    exchange,
    planned,
    (plan) => symbolTables.reusedTickers(plan),
    ({ reused }) => reused,
  );
}
