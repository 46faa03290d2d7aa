/** Data requests: one visible line of stages from the URL to a page of rows. */
import type { FastifyReply } from 'fastify';
import { requireAccount } from '../access/authenticate.ts';
import { requireRules } from '../access/entitlement.ts';
import { ApiError, CLIENT_GONE } from '../errors.ts';
import type { QueryPlan } from '../plan/query-plan.ts';
import type { DataRequest } from '../request/data-request.ts';
import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import { beginPage } from '../response/page-reading.ts';
import type { Page } from '../response/render-page.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { admit } from './admit.ts';
import type { DataEndpoint, KeyedExchange } from './endpoint.ts';
import { nextLink } from './next-link.ts';
import { type PlannedRequest, planDataRequest, readDataRequest } from './plan-data-request.ts';
import { readOn } from './read-on.ts';
import { holdsTag, tagAnswer } from './revalidation.ts';

interface TaggedPage {
  readonly page: Page;
  readonly tag: string;
}

async function serveData(exchange: KeyedExchange): Promise<FastifyReply> {
  const { services, tally } = exchange;
  const planned = planTallied(exchange, readDataRequest(exchange));
  if (holdsTag(exchange.request, planned.tag)) return sendNothingNew(exchange, planned);
  const answer = keptPage(exchange, planned) ?? (await newPage(exchange, planned));
  tally.rowCount = answer.page.rowCount;
  services.metrics.rows.add(answer.page.rowCount);
  return sendPage(exchange, answer);
}

function planTallied(exchange: KeyedExchange, request: DataRequest): PlannedRequest {
  const planned = planDataRequest(exchange, request);
  const { dataset, version } = planned.plan;
  exchange.tally.datasetId = dataset.datasetId;
  exchange.tally.datasetVersion = version;
  return planned;
}

/**
 * What holds when a request gets its turn, for which it may have waited: whether its caller may
 * still ask is asked again, and it is planned again when the rules are not those it had.
 */
function planAtTurn(exchange: KeyedExchange, planned: PlannedRequest): PlannedRequest {
  const { services, caller } = exchange;
  admit(services, exchange.request, exchange.endpoint);
  const rules = requireRules(
    services.store,
    requireAccount(caller).identityId,
    planned.plan.dataset,
  );
  return areSameRules(rules, planned.rules) ? planned : planTallied(exchange, planned.request);
}

/** A rule is made and deleted, never changed, and no id is given twice. */
function areSameRules(some: readonly AccessRule[], others: readonly AccessRule[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ ruleId }, index) => ruleId === others[index]?.ruleId)
  );
}

/** A plan counts as much whether its rows are read for it, or were for an earlier one. */
function countReading({ services, tally }: KeyedExchange, { scannedBytes }: QueryPlan): void {
  tally.scannedBytes = scannedBytes;
  services.metrics.scannedBytes.add(scannedBytes);
}

function keptPage(exchange: KeyedExchange, { plan, tag }: PlannedRequest): TaggedPage | undefined {
  const { services, caller } = exchange;
  const page = services.pages.get(tag);
  if (!page) return undefined;
  const { identityId } = requireAccount(caller);
  services.unsent.requireRoom(identityId);
  countReading(exchange, plan);
  return { page, tag };
}

/** Read within the time limit; the engine stops when the client goes away. */
async function newPage(exchange: KeyedExchange, planned: PlannedRequest): Promise<TaggedPage> {
  const { services, caller, reply, tally } = exchange;
  const timeout = AbortSignal.timeout(services.config.queryTimeoutMs);
  const gone = new AbortController();
  const onClose = () => gone.abort(new ApiError(CLIENT_GONE, 'The client went away'));
  reply.raw.once('close', onClose);
  const signal = AbortSignal.any([timeout, gone.signal]);
  tally.isWaiting = true;
  try {
    return await services.gate.run(requireAccount(caller).identityId, signal, () =>
      readPage(exchange, planAtTurn(exchange, planned), signal),
    );
  } catch (error) {
    if (timeout.aborted && !gone.signal.aborted) throw new ApiError(504, 'Gateway timeout');
    throw error;
  } finally {
    reply.raw.off('close', onClose);
  }
}

async function readPage(
  exchange: KeyedExchange,
  planned: PlannedRequest,
  signal: AbortSignal,
): Promise<TaggedPage> {
  const { services, caller, tally } = exchange;
  const { request, plan, tag } = planned;
  const { identityId } = requireAccount(caller);
  tally.isWaiting = false;
  services.unsent.requireRoom(identityId);
  countReading(exchange, plan);
  const { responseFormat: format, pathParameters } = request;
  const reading =
    services.readAhead.take(identityId, tag, signal) ??
    beginPage(services.engine, { plan, format, pathParameters }, signal);
  readOn(exchange, planned, reading);
  const page = await reading.page;
  services.pages.put(tag, page);
  return { page, tag };
}

/** The client holds the page. */
function sendNothingNew(exchange: KeyedExchange, { plan, tag }: PlannedRequest): FastifyReply {
  countReading(exchange, plan);
  return tagAnswer(exchange.reply, tag).code(304).send();
}

function sendPage(exchange: KeyedExchange, { page, tag }: TaggedPage): FastifyReply {
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
