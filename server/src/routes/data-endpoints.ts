/** Data requests: one visible line of stages from the URL to a page of rows. */
import type { FastifyReply } from 'fastify';
import { requireAccount } from '../access/authenticate.ts';
import { requireRules } from '../access/entitlement.ts';
import { ApiError } from '../base/errors.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { DataRequest } from '../request/data-request.ts';
import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import { beginPage } from '../response/page-reading.ts';
import type { Page } from '../response/render-page.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { admit } from './admit.ts';
import type { DataEndpoint, KeyedExchange } from './endpoint.ts';
import { findHint } from './hint.ts';
import { nextLink } from './next-link.ts';
import { type PlannedRequest, planDataRequest, readDataRequest } from './plan-data-request.ts';
import { readOn } from './read-on.ts';
import { holdsTag, tagAnswer } from './revalidation.ts';

/** A page, and the request as it was planned when the page was read. */
interface ReadPage {
  readonly page: Page;
  readonly planned: PlannedRequest;
}

async function serveData(exchange: KeyedExchange): Promise<FastifyReply> {
  const { services, tally } = exchange;
  const planned = await planTallied(exchange, readDataRequest(exchange));
  if (holdsTag(exchange.request, planned.tag)) return sendNothingNew(exchange, planned);
  const answer = keptPage(exchange, planned) ?? (await newPage(exchange, planned));
  tally.rowCount = answer.page.rowCount;
  services.metrics.rows.inc(answer.page.rowCount);
  const hint = answer.page.rowCount === 0 ? await findHint(exchange, answer.planned) : null;
  if (hint !== null) exchange.reply.header('X-Hint', hint);
  return sendPage(exchange, answer);
}

async function planTallied(exchange: KeyedExchange, request: DataRequest): Promise<PlannedRequest> {
  const planned = await planDataRequest(exchange, request);
  const { dataset, version } = planned.plan;
  exchange.tally.datasetId = dataset.datasetId;
  exchange.tally.datasetVersion = version;
  return planned;
}

/**
 * Checks a request again when its turn comes, because it may have waited: its caller has to be
 * allowed still, and the request is planned again if the caller's rules have changed.
 */
async function planAtTurn(
  exchange: KeyedExchange,
  planned: PlannedRequest,
): Promise<PlannedRequest> {
  const { services, caller } = exchange;
  admit(services, exchange.request, exchange.endpoint);
  const rules = requireRules(
    services.store,
    requireAccount(caller).identityId,
    planned.plan.dataset,
  );
  return areSameRules(rules, planned.rules)
    ? planned
    : await planTallied(exchange, planned.request);
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
  services.metrics.scannedBytes.inc(scannedBytes);
}

function keptPage(exchange: KeyedExchange, planned: PlannedRequest): ReadPage | undefined {
  const { services, caller } = exchange;
  const { plan, tag } = planned;
  const page = services.pages.get(tag);
  if (!page) return undefined;
  services.unsent.requireRoom(requireAccount(caller).identityId);
  countReading(exchange, plan);
  return { page, planned };
}

/** Read within the time limit; the engine stops when the client goes away. */
async function newPage(exchange: KeyedExchange, planned: PlannedRequest): Promise<ReadPage> {
  const { services, caller, reply, tally } = exchange;
  const timeout = AbortSignal.timeout(services.config.queryTimeoutMs);
  const gone = new AbortController();
  const onClose = () => gone.abort(new ApiError('client gone', 'The client went away'));
  reply.raw.once('close', onClose);
  const signal = AbortSignal.any([timeout, gone.signal]);
  tally.isWaiting = true;
  try {
    return await services.gate.run(requireAccount(caller).identityId, signal, async () =>
      readPage(exchange, await planAtTurn(exchange, planned), signal),
    );
  } catch (error) {
    if (timeout.aborted && !gone.signal.aborted) throw new ApiError('timed out', 'Gateway timeout');
    throw error;
  } finally {
    reply.raw.off('close', onClose);
  }
}

async function readPage(
  exchange: KeyedExchange,
  planned: PlannedRequest,
  signal: AbortSignal,
): Promise<ReadPage> {
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
  return { page, planned };
}

/** Headers about the data behind an answer; also on a 304. */
function describeData(reply: FastifyReply, { plan, tag }: PlannedRequest): FastifyReply {
  const { version, closedDates } = plan;
  tagAnswer(reply, tag).header('X-Dataset-Version', `${version ?? 0}`);
  if (closedDates) reply.header('X-Window', `${closedDates.start}/${closedDates.end}`);
  return reply;
}

/** The client holds the page. */
function sendNothingNew(exchange: KeyedExchange, planned: PlannedRequest): FastifyReply {
  countReading(exchange, planned.plan);
  return describeData(exchange.reply, planned).code(304).send();
}

function sendPage(exchange: KeyedExchange, { page, planned }: ReadPage): FastifyReply {
  const { reply } = exchange;
  describeData(reply, planned);
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
