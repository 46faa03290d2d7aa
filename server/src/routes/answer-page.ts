/**
 * Answers a planned request with its page: none where the client holds it, one that was sent before,
 * or a new one, produced in turn. What the rows are and how they are written is up to the stages.
 */
import type { FastifyReply } from 'fastify';
import { STEP_BYTES, StoredBytes } from '../base/stored-bytes.ts';
import { UnfinishedBytes } from '../base/unfinished-bytes.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { ContentEncoding, PageBody } from '../formats/format.ts';
import { claimsOf, signReceipt } from '../receipts/receipt.ts';
import type { DataRequest } from '../request/data-request.ts';
import { encodedPage } from '../response/encode-page.ts';
import { pageTag } from '../response/page-cache.ts';
import { type Page, renderEarly, renderPage } from '../response/render-page.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { KeyedExchange } from './endpoint.ts';
import { handedOver, inTurn } from './in-turn.ts';
import { maySendEarly } from './may-send-early.ts';
import { missingHeader, missingOnPage } from './missing-identifiers.ts';
import { type NextPage, nextLink } from './next-link.ts';
import { pageEncoding } from './page-encoding.ts';
import { nameSubject } from './request-tally.ts';
import { matchesEntityTag, setEntityTag } from './revalidation.ts';
import { releaseAfter, sendHeld, sendStored, sendUnfinished } from './send-stored.ts';
import { versionHeaders } from './version-headers.ts';
import { reprDigest } from './wanted-digest.ts';

/** A request with the plan made for it, by rules that may change until it is its turn. */
export interface PlannedRequest {
  /** The account by whose rules it is planned. */
  readonly identityId: number;
  readonly request: DataRequest;
  readonly rules: readonly AccessRule[];
  readonly plan: QueryPlan;
  /** Parameters by which the next page reads the same state of the dataset. */
  readonly pins: NextPage;
  /** No other page can be asked for, so that none is linked. */
  readonly isOnlyPage?: true;
  /** The one text of the request, for receipts. */
  textOf(): string;
}

export interface PageStages {
  /** Further headers of the answer, also on a 304: what is known before any rows. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Checks the request again and plans it by the rules of now. Throws an ApiError. */
  recheck(planned: PlannedRequest): Promise<PlannedRequest>;
  /** Reads and renders the page, by the function that it is given. */
  produce<Made>(
    planned: PlannedRequest,
    signal: AbortSignal,
    render: (...args: Parameters<typeof renderPage>) => Promise<Made>,
  ): Promise<Made>;
  /** A suggestion for a request without rows; null where there is none. */
  hint(planned: PlannedRequest): Promise<string | null>;
}

interface TaggedRequest extends PlannedRequest {
  /** Entity tag of the page, by which it is cached too. */
  readonly tag: string;
}

/** One that is sent while it is written, or a whole one. */
type AnyPage = Page<PageBody | UnfinishedBytes>;

function isWhole(page: AnyPage): page is Page {
  return !(page.body instanceof UnfinishedBytes);
}

/** A page, and the request as it was planned when the page was produced. */
interface Answer {
  readonly page: AnyPage;
  readonly planned: TaggedRequest;
}

export async function answerPage(
  exchange: KeyedExchange,
  asked: PlannedRequest,
  stages: PageStages,
): Promise<FastifyReply> {
  const { pages } = exchange.services;
  nameSubject(exchange.tally, asked.plan);
  const encoding = pageEncoding(exchange.request.headers['accept-encoding'], asked.request);
  const planned = tagged(asked, encoding);
  const { headers = {} } = stages;
  if (matchesEntityTag(exchange.request, planned.tag)) {
    return sendNotModified(exchange, planned, headers);
  }
  const cached = pages.get(planned.tag);
  const answer = cached
    ? await countedPage(exchange, planned, async () => cached)
    : await producedPage(exchange, planned, stages, encoding);
  const hint = answer.page.rowCount === 0 ? await stages.hint(answer.planned) : null;
  const missing = await missingOnPage(exchange, answer.planned, answer.page);
  return sendPage(exchange, answer, {
    ...headers,
    ...missingHeader(missing),
    ...(hint === null ? {} : { 'X-Hint': hint }),
  });
}

/** A new page, when it is its turn, which lasts until all of the page is written. */
async function producedPage(
  exchange: KeyedExchange,
  planned: TaggedRequest,
  stages: PageStages,
  encoding: ContentEncoding | null,
): Promise<Answer> {
  const { pages, spool } = exchange.services;
  const isEarly = maySendEarly(exchange.request, planned.request, encoding);
  return await handedOver<Answer>((hand) =>
    inTurn(exchange, planned.identityId, async (signal) => {
      const checked = await stages.recheck(planned);
      nameSubject(exchange.tally, checked.plan);
      const current = checked === planned ? planned : tagged(checked, encoding);
      const { page } = await countedPage(exchange, current, async () =>
        isEarly
          ? await stages.produce(current, signal, renderEarly)
          : encodedPage(await stages.produce(current, signal, renderPage), encoding, spool),
      );
      const sent = isWhole(page) ? await pages.put(current.tag, page) : page;
      hand({ page: sent, planned: current });
      if (sent.body instanceof UnfinishedBytes) await sent.body.written;
    }),
  );
}

function tagged(planned: PlannedRequest, encoding: ContentEncoding | null): TaggedRequest {
  const { request, plan } = planned;
  const tag = pageTag(plan, request.responseFormat, request.pathParameters, encoding);
  return { ...planned, tag };
}

/** Refuses the page where its account leaves too much unfetched; else counts it. */
async function countedPage(
  exchange: KeyedExchange,
  planned: TaggedRequest,
  produce: () => Promise<AnyPage>,
): Promise<Answer> {
  const { services, tally } = exchange;
  services.unsent.requireRoom(planned.identityId);
  countScan(exchange, planned.plan);
  const page = await produce();
  if (!Buffer.isBuffer(page.body)) releaseAfter(exchange.reply, page.body);
  tally.rowCount = page.rowCount;
  services.metrics.rows.inc(page.rowCount);
  return { page, planned };
}

/** A plan counts as much whether its rows are read for it, or were for an earlier one. */
export function countScan(
  { services, tally }: KeyedExchange,
  { scannedBytes }: Pick<PlannedRequest['plan'], 'scannedBytes'>,
): void {
  tally.scannedBytes += scannedBytes;
  services.metrics.scannedBytes.inc(scannedBytes);
}

/** Headers about the data behind an answer; also on a 304. */
function describeData(reply: FastifyReply, planned: TaggedRequest): FastifyReply {
  const { closedDates } = planned.plan;
  setEntityTag(reply, planned.tag).headers(versionHeaders(planned.plan));
  if (closedDates) reply.header('X-Window', `${closedDates.start}/${closedDates.end}`);
  return reply;
}

function sendNotModified(
  exchange: KeyedExchange,
  planned: TaggedRequest,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  countScan(exchange, planned.plan);
  return describeData(exchange.reply, planned).headers(headers).code(304).send();
}

/** What was asked and what is sent, signed. */
async function receiptOf(
  { services, request: { id: requestId } }: KeyedExchange,
  { identityId, textOf, plan }: PlannedRequest,
  page: Page,
): Promise<string> {
  const { config, clock, receiptKeys } = services;
  const subject = { requestId, identityId, requestText: textOf(), plan, page };
  const claims = await claimsOf({ ...subject, issuer: config.publicUrl, nowMs: clock.now() });
  return signReceipt(claims, await receiptKeys.signingKey());
}

async function sendPage(
  exchange: KeyedExchange,
  { page, planned }: Answer,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const whole = isWhole(page) ? page : null;
  const digest = whole && (await reprDigest(exchange.request, whole.body));
  const receipt =
    whole && planned.request.receipt ? await receiptOf(exchange, planned, whole) : null;
  const reply = describeData(exchange.reply, planned);
  if (digest !== null) reply.header('Repr-Digest', digest);
  if (receipt !== null) reply.header('X-Receipt', receipt);
  if (page.nextOffset !== null && !planned.isOnlyPage) {
    const { pins } = planned;
    const parameters = { ...pins.parameters, offset: page.nextOffset };
    reply.header('Link', nextLink(exchange, { ...pins, parameters }));
  }
  reply.headers({ ...headers, ...page.headers }).type(page.contentType);
  const { body } = page;
  if (body instanceof UnfinishedBytes) return sendUnfinished(exchange, body);
  if (body instanceof StoredBytes) return sendStored(exchange, body);
  return body.length > STEP_BYTES ? sendHeld(exchange, body) : reply.send(body);
}
