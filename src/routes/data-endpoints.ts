/** Data requests: one visible line of stages from the URL to a page of rows. */
import type { FastifyReply } from 'fastify';
import { requireRules } from '../access/entitlement.ts';
import { ApiError, CLIENT_GONE } from '../errors.ts';
import { planQuery } from '../plan/plan-query.ts';
import type { QueryPlan } from '../plan/query-plan.ts';
import { chooseDataset } from '../request/choose-dataset.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import { type Page, renderPage } from '../response/render-page.ts';
import { marketDate } from '../time/market-time.ts';
import { requestLimits } from './data-limits.ts';
import type { DataEndpoint, KeyedExchange, Services } from './endpoint.ts';
import { nextLink } from './next-link.ts';

async function serveData(exchange: KeyedExchange): Promise<FastifyReply> {
  const { services, caller, tally } = exchange;
  const request = parseDataRequest(requestInput(exchange), requestLimits(services.config));
  const plan = planRequest(services, caller.identity.identityId, request);
  tally.datasetId = plan.dataset.datasetId;
  tally.datasetVersion = plan.version;
  const page = await runPlan(exchange, plan, request);
  tally.rowCount = page.rowCount;
  services.metrics.rows.add(page.rowCount);
  return sendPage(exchange, page);
}

/** `/data/{group}/{segment}/…` in raw segments: the parser decodes them itself, strictly. */
function requestInput({ path, queryString }: KeyedExchange) {
  const [, , group, segment, ...pathParameters] = path.split('/') as [
    string,
    string,
    string,
    string,
  ];
  return { group, segment, pathParameters, queryString };
}

function planRequest(services: Services, identityId: number, request: DataRequest): QueryPlan {
  const dataset = chooseDataset(request, services.catalog);
  const rules = requireRules(services.store, identityId, dataset);
  const snapshot = services.lake.snapshot(dataset.datasetId);
  const today = marketDate(dataset.timeZone, services.clock.now());
  return planQuery({ request, dataset, snapshot, rules, today });
}

/** Runs and renders within the time limit; stops the engine when the client goes away. */
async function runPlan(
  { services, caller, tally, reply }: KeyedExchange,
  plan: QueryPlan,
  request: DataRequest,
): Promise<Page> {
  const { identityId } = caller.identity;
  const timeout = AbortSignal.timeout(services.config.queryTimeoutMs);
  const gone = new AbortController();
  const onClose = () => gone.abort(new ApiError(CLIENT_GONE, 'The client went away'));
  reply.raw.once('close', onClose);
  const signal = AbortSignal.any([timeout, gone.signal]);
  try {
    return await services.gate.run(identityId, signal, async () => {
      services.unsent.requireRoom(identityId);
      tally.scannedBytes = plan.scannedBytes;
      const rows = services.engine.run(plan, signal);
      const page = await renderPage(plan, rows, request.responseFormat, request.pathParameters);
      services.unsent.hold(identityId, page.body.length, reply.raw);
      return page;
    });
  } catch (error) {
    if (timeout.aborted && !gone.signal.aborted) throw new ApiError(504, 'Gateway timeout');
    throw error;
  } finally {
    reply.raw.off('close', onClose);
  }
}

function sendPage(exchange: KeyedExchange, page: Page): FastifyReply {
  const { reply } = exchange;
  if (page.nextOffset !== null) reply.header('Link', nextLink(exchange, page.nextOffset));
  return reply.headers(page.headers).type(page.contentType).send(page.body);
}

/** One for each path shape; each stands for many documented paths, one for each dataset. */
export const DATA_ENDPOINTS: readonly DataEndpoint[] = Object.values(PATH_PARAMETERS).map(
  (names) => ({
    method: 'GET',
    path: ['/data/:group/:segment', ...names.map((name) => `:${name}`)].join('/'),
    errorStatuses: [404, 504],
    isPublic: false,
    takesQuery: true,
    servesRows: true,
    handle: serveData,
  }),
);
