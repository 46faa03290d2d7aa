/** Data requests: one visible line of stages from the URL to the last byte of a page of rows. */
import type { FastifyReply } from 'fastify';
import { LentBytes, STEP_BYTES, StoredBytes } from '../base/stored-bytes.ts';
import { UnfinishedBytes } from '../base/unfinished-bytes.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { rowsAtLeast, rowsAtMost } from '../delivery/manifest.ts';
import { isLargePage } from '../engine/query-gate.ts';
import { isMade, type QueryPlan } from '../engine/query-plan.ts';
import type { RowSource } from '../engine/row-source.ts';
import type { ContentEncoding, PageBody } from '../formats/format.ts';
import { planSource } from '../intervals/plan-source.ts';
import { planGroups } from '../plan/plan-groups.ts';
import { planQuery } from '../plan/plan-query.ts';
import { findHint, hintHeaders } from '../query/hint.ts';
import { missingHeader, missingOnPage } from '../query/missing-identifiers.ts';
import { planBySymbols } from '../query/plan-by-symbols.ts';
import { type AskedRows, type PlannedRequest, recheck } from '../query/plan-request.ts';
import { countScan, handedOver, inTurn, nameSubject } from '../query/reader.ts';
import { knownTotal, totalRows } from '../query/row-counts.ts';
import { unadjustedHeader } from '../query/unadjusted.ts';
import { claimsOf, signReceipt } from '../receipts/receipt.ts';
import { parseAggregateRequest } from '../request/aggregate-request.ts';
import {
  chooseDataset,
  type DataRequest,
  type DataRequestInput,
  PATH_PARAMETERS,
  parseDataRequest,
} from '../request/data-request.ts';
import { encodedPage, type Page, pageTag, renderEarly, renderPage } from '../response/page.ts';
import { releaseAfter } from './count-request.ts';
import type { DataEndpoint, Exchange, PageExchange } from './endpoint.ts';
import {
  matchesEntityTag,
  maySendEarly,
  nextLink,
  pageEncoding,
  reprDigest,
  setEntityTag,
  versionHeaders,
} from './http-headers.ts';
import { sendStored, sendUnfinished } from './send-stored.ts';

/** One that is sent while it is written, or a whole one. */
type AnyPage = Page<PageBody | UnfinishedBytes>;

/** A planned request, and how its page is known and sent. */
interface TaggedRequest extends PlannedRequest {
  readonly encoding: ContentEncoding | null;
  /** Entity tag of the page, by which it is cached too. */
  readonly tag: string;
}

/** A page, and the request as planned for it; null: the client already has the page. */
interface Answer<P extends AnyPage | null = AnyPage | null> {
  readonly page: P;
  readonly planned: TaggedRequest;
  /** Rows of all pages. */
  readonly total?: number | undefined;
}

async function serveData(exchange: PageExchange): Promise<FastifyReply> {
  const request = parseDataRequest(requestText(exchange), exchange.services.config);
  return await serveRows(exchange, request, planQuery);
}

/** Answers with groups of the rows that the same request without its last segment asks for. */
async function serveGroups(exchange: PageExchange): Promise<FastifyReply> {
  const request = parseAggregateRequest(doorText(exchange), exchange.services.config);
  return await serveRows(exchange, request, (asked) => planGroups(asked, request.groups));
}

async function serveRows(
  exchange: PageExchange,
  request: DataRequest,
  planAsked: AskedRows['planAsked'],
): Promise<FastifyReply> {
  const dataset = chooseDataset(request, exchange.services.catalog);
  const asked = { dataset, request, planAsked };
  const { planned, headers } = await planBySymbols(exchange, asked);
  const unadjusted = isRestatable(dataset) ? await unadjustedHeader(exchange, planned) : null;
  const answer = await answerTo(exchange, planned);
  const { page } = answer;
  const mayHint = page && (page.rowCount === 0 || answer.planned.plan.bars);
  const hint = mayHint ? await findHint(exchange, answer.planned, page.rowCount !== 0) : null;
  const told = {
    ...headers,
    ...unadjusted,
    ...(hint && hintHeaders(hint)),
    ...(answer.total === undefined ? {} : { 'X-Pagination-Total': `${answer.total}` }),
  };
  return await send(exchange, answer, told);
}

/** The first page of a request that asks for the rows of all pages. */
function tellsTotal({ request, plan }: PlannedRequest): boolean {
  return request.countsRows && plan.offset === 0;
}

/** Answers a planned request with its page. */
export async function servePage(
  exchange: PageExchange,
  planned: PlannedRequest,
): Promise<FastifyReply> {
  return await send(exchange, await answerTo(exchange, planned), {});
}

/** The path below its first segment, `{group}/{segment}/…`, and the query, both still encoded. */
export function requestText({ path, queryString, request }: Exchange): DataRequestInput {
  const [, , group = '', segment = '', ...pathParameters] = path.split('/');
  return { group, segment, pathParameters, queryString, accept: request.headers.accept };
}

/** As above, of a path that asks about the rows of another: without its last segment. */
export function doorText(exchange: Exchange): DataRequestInput {
  const { pathParameters, ...text } = requestText(exchange);
  return { ...text, pathParameters: pathParameters.slice(0, -1) };
}

/** No page where the client holds it, one that was sent before, or a new one. */
async function answerTo(exchange: PageExchange, asked: PlannedRequest): Promise<Answer> {
  const { request, services, tally } = exchange;
  nameSubject(tally, asked.plan);
  const planned = tagged(asked, pageEncoding(request.headers['accept-encoding'], asked.request));
  if (matchesEntityTag(request, planned.tag)) {
    countScan(exchange, planned.plan);
    return { page: null, planned };
  }
  // Without room for it, a page is made when the account's turn comes.
  const page = services.unsent.hasRoom(planned.accountId) && services.pages.get(planned.tag);
  if (!page) return await newPage(exchange, planned);
  releaseAfter(exchange.reply, page.body);
  const total = tellsTotal(planned) ? knownTotal(planned, page) : undefined;
  // Rows are counted in the turn of a new page, so that both are of one version.
  if (total === null) return await newPage(exchange, planned);
  countScan(exchange, planned.plan);
  countPage(exchange, page);
  return { page, planned, total };
}

/** Rechecks, scans and renders in the account's turn, until the whole page is written. */
async function newPage(exchange: PageExchange, asked: TaggedRequest): Promise<Answer> {
  const { services, tally } = exchange;
  const isLarge = asked.request.responseFormat.isColumnar && isLargePage(asked.plan);
  return await handedOver<Answer>((hand) => {
    const make = async (signal: AbortSignal) => {
      const checked = await recheck(exchange, asked);
      const planned = checked === asked ? asked : tagged(checked, asked.encoding);
      nameSubject(tally, planned.plan);
      countScan(exchange, planned.plan);
      const source = planSource(services, planned.plan, signal);
      const made = await render(exchange, planned, source);
      const page = isWhole(made) ? await services.pages.put(planned.tag, made) : made;
      releaseAfter(exchange.reply, made.body);
      const counts = tellsTotal(planned);
      const total = counts ? await totalRows(exchange, planned, made, signal) : undefined;
      countPage(exchange, made);
      hand({ page, planned, total });
      if (page.body instanceof UnfinishedBytes) await page.body.written;
    };
    return inTurn(exchange, asked.accountId, make, isLarge);
  });
}

async function render(
  { request, services: { spool, pageRates } }: PageExchange,
  { plan, request: asked, encoding }: TaggedRequest,
  source: RowSource,
): Promise<AnyPage> {
  const { responseFormat: format, pathParameters } = asked;
  const page = { plan, source, format, pathParameters, spool };
  const startedAtMs = performance.now();
  const made = maySendEarly(request, asked, encoding)
    ? await renderEarly(page)
    : await encodedPage(await renderPage(page), encoding, spool);
  // Others are as fast as their client, or as what is sorted, computed or passed over.
  if (isWhole(made) && !isMade(plan) && plan.sort.length === 0 && keepsMost(plan, made)) {
    pageRates.note(format.name, made.rowCount, performance.now() - startedAtMs);
  }
  return made;
}

/** At least a quarter of the rows that are read pass. */
function keepsMost(plan: QueryPlan, { rowCount }: AnyPage): boolean {
  return plan.scannedRows <= 4 * rowCount || rowsAtMost(plan) <= 4 * rowsAtLeast(plan);
}

function isWhole(page: AnyPage): page is Page {
  return !(page.body instanceof UnfinishedBytes);
}

function tagged(planned: PlannedRequest, encoding: ContentEncoding | null): TaggedRequest {
  const { request, plan } = planned;
  const tag = pageTag(plan, request.responseFormat, request.pathParameters, encoding);
  return { ...planned, encoding, tag };
}

function countPage({ services, tally }: PageExchange, { rowCount }: AnyPage): void {
  tally.rowCount = rowCount;
  services.metrics.rows.inc(rowCount);
}

/** A signed statement of the question and of the bytes sent. */
async function receiptOf(
  { services, request: { id: requestId } }: PageExchange,
  { accountId, textOf, plan }: PlannedRequest,
  page: Page,
): Promise<string> {
  const { config, clock, receiptKeys } = services;
  const subject = { requestId, accountId, requestText: textOf(), plan, page };
  const claims = await claimsOf({ ...subject, issuer: config.publicUrl, nowMs: clock.now() });
  return signReceipt(claims, await receiptKeys.signingKey());
}

/** Headers about the data behind an answer; also on a 304. */
function describeData(reply: FastifyReply, { tag, plan }: TaggedRequest): void {
  const { closedDates } = plan;
  setEntityTag(reply, tag).headers(versionHeaders(plan));
  if (closedDates) reply.header('X-Window', `${closedDates.start}/${closedDates.end}`);
}

/** Headers of a whole body, which is not known before it is rendered. */
async function describeBody(
  exchange: PageExchange,
  planned: TaggedRequest,
  page: Page,
): Promise<void> {
  const { request, reply } = exchange;
  const digest = await reprDigest(request, page.body);
  if (digest !== null) reply.header('Repr-Digest', digest);
  if (!planned.request.receipt) return;
  reply.header('X-Receipt', await receiptOf(exchange, planned, page));
}

async function send(
  exchange: PageExchange,
  { page, planned }: Answer,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const { reply } = exchange;
  if (page === null) {
    describeData(reply, planned);
    return reply.headers(headers).code(304).send();
  }
  const missing = page.listed ? await missingOnPage(exchange, planned, page) : null;
  if (isWhole(page)) await describeBody(exchange, planned, page);
  describeData(reply, planned);
  if (page.nextOffset !== null && !planned.isOnlyPage) {
    const { pins } = planned;
    const parameters = { ...pins.parameters, offset: page.nextOffset };
    reply.header('Link', nextLink(exchange, { ...pins, parameters }));
  }
  reply.headers({ ...headers, ...(missing && missingHeader(missing)), ...page.headers });
  reply.type(page.contentType);
  if (page.body instanceof UnfinishedBytes) return sendUnfinished(exchange, page.body);
  if (page.body instanceof StoredBytes) return sendStored(exchange, page.body);
  if (page.body.length <= STEP_BYTES) return exchange.reply.send(page.body);
  return sendStored(exchange, new LentBytes([page.body]));
}

/** Path template of the data paths of a shape, or of others like them. */
export function dataPath(first: string, parameters: readonly string[]): `/${string}` {
  return `/${first}/:group/:segment${parameters.map((name) => `/:${name}`).join('')}`;
}

/** One for each path shape; each stands for many documented paths, one for each dataset. */
function endpointsOf(
  lastSegment: '' | '/aggregate',
  handle: DataEndpoint['handle'],
): DataEndpoint[] {
  return Object.values(PATH_PARAMETERS).map((names) => ({
    method: 'GET',
    path: `${dataPath('data', names)}${lastSegment}`,
    errorStatuses: [404, 406, 504],
    isPublic: false,
    takesQuery: true,
    servesRows: true,
    handle,
  }));
}

export const DATA_ENDPOINTS = endpointsOf('', serveData);
export const AGGREGATE_ENDPOINTS = endpointsOf('/aggregate', serveGroups);
