/** Data requests: one visible line of stages from the URL to a page of rows. */
import type { FastifyReply } from 'fastify';
import { requireRules } from '../access/entitlement.ts';
import { ApiError, CLIENT_GONE } from '../errors.ts';
import { planQuery } from '../plan/plan-query.ts';
import type { QueryPlan } from '../plan/query-plan.ts';
import { chooseDataset } from '../request/choose-dataset.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import { pageTag } from '../response/page-tag.ts';
import { type Page, renderPage } from '../response/render-page.ts';
import { marketDate } from '../time/market-time.ts';
import { requestLimits } from './data-limits.ts';
import type { DataEndpoint, KeyedExchange, Services } from './endpoint.ts';
import { nextLink } from './next-link.ts';
import { holdsTag, tagAnswer } from './revalidation.ts';

async function serveData(exchange: KeyedExchange): Promise<FastifyReply> {
  const { services, caller, tally } = exchange;
  const request = parseDataRequest(requestInput(exchange), requestLimits(services.config));
  const plan = planRequest(services, caller.identity.identityId, request);
  tally.datasetId = plan.dataset.datasetId;
  tally.datasetVersion = plan.version;
  const tag = pageTag(plan, request.responseFormat, request.pathParameters);
  if (holdsTag(exchange.request, tag)) return sendNothingNew(exchange, plan, tag);
  const page = keptPage(exchange, plan, tag) ?? (await newPage(exchange, plan, request, tag));
  tally.rowCount = page.rowCount;
  services.metrics.rows.add(page.rowCount);
  return sendPage(exchange, page, tag);
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

/** A plan counts as much whether its rows are read for it, or were for an earlier one. */
function countReading({ services, tally }: KeyedExchange, { scannedBytes }: QueryPlan): void {
  tally.scannedBytes = scannedBytes;
  services.metrics.scannedBytes.add(scannedBytes);
}

function keptPage(exchange: KeyedExchange, plan: QueryPlan, tag: string): Page | undefined {
  const { services, caller, reply } = exchange;
  const page = services.pages.get(tag);
  if (!page) return undefined;
  const { identityId } = caller.identity;
  services.unsent.requireRoom(identityId);
  countReading(exchange, plan);
  services.unsent.hold(identityId, page.body.length, reply.raw);
  return page;
}

async function newPage(
  exchange: KeyedExchange,
  plan: QueryPlan,
  request: DataRequest,
  tag: string,
): Promise<Page> {
  const page = await runPlan(exchange, plan, request);
  exchange.services.pages.put(tag, page);
  return page;
}

/** Runs and renders within the time limit; stops the engine when the client goes away. */
async function runPlan(
  exchange: KeyedExchange,
  plan: QueryPlan,
  request: DataRequest,
): Promise<Page> {
  const { services, caller, reply } = exchange;
  const { identityId } = caller.identity;
  const timeout = AbortSignal.timeout(services.config.queryTimeoutMs);
  const gone = new AbortController();
  const onClose = () => gone.abort(new ApiError(CLIENT_GONE, 'The client went away'));
  reply.raw.once('close', onClose);
  const signal = AbortSignal.any([timeout, gone.signal]);
  try {
    return await services.gate.run(identityId, signal, async () => {
      services.unsent.requireRoom(identityId);
      countReading(exchange, plan);
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

/** The client holds the page. */
function sendNothingNew(exchange: KeyedExchange, plan: QueryPlan, tag: string): FastifyReply {
  countReading(exchange, plan);
  return tagAnswer(exchange.reply, tag).code(304).send();
}

function sendPage(exchange: KeyedExchange, page: Page, tag: string): FastifyReply {
  const { reply } = exchange;
  tagAnswer(reply, tag);
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
