/**
 * Answers a planned request with its page: none where the client holds it, one that was sent before,
 * or a new one, produced in turn. What the rows are and how they are written is up to the stages.
 */
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { StoredBytes } from '../base/stored-bytes.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { ContentEncoding } from '../formats/format.ts';
import { claimsOf, signReceipt } from '../receipts/receipt.ts';
import type { DataRequest } from '../request/data-request.ts';
import { encodedPage } from '../response/encode-page.ts';
import { pageTag } from '../response/page-cache.ts';
import type { Page } from '../response/render-page.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { KeyedExchange } from './endpoint.ts';
import { type NextPage, nextLink } from './next-link.ts';
import { pageEncoding } from './page-encoding.ts';
import { matchesEntityTag, setEntityTag } from './revalidation.ts';
import { releaseAfter, sendStored } from './send-stored.ts';
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
  /** The one text of the request, for receipts. */
  textOf(): string;
}

export interface PageStages {
  /** Checks the request again and plans it by the rules of now. Throws an ApiError. */
  recheck(planned: PlannedRequest): Promise<PlannedRequest>;
  /** Reads and renders the page. */
  produce(planned: PlannedRequest, signal: AbortSignal): Promise<Page>;
  /** A suggestion for a request without rows; null where there is none. */
  hint(planned: PlannedRequest): Promise<string | null>;
}

interface TaggedRequest extends PlannedRequest {
  /** Entity tag of the page, by which it is cached too. */
  readonly tag: string;
}

/** A page, and the request as it was planned when the page was produced. */
interface Answer {
  readonly page: Page;
  readonly planned: TaggedRequest;
}

export async function answerPage(
  exchange: KeyedExchange,
  asked: PlannedRequest,
  stages: PageStages,
): Promise<FastifyReply> {
  const { pages, spool } = exchange.services;
  nameDataset(exchange, asked);
  const encoding = pageEncoding(exchange.request.headers['accept-encoding'], asked.request);
  const planned = tagged(asked, encoding);
  if (matchesEntityTag(exchange.request, planned.tag)) return sendNotModified(exchange, planned);
  const cached = pages.get(planned.tag);
  const answer = cached
    ? await countedPage(exchange, planned, async () => cached)
    : await inTurn(exchange, asked.identityId, async (signal) => {
        const checked = await stages.recheck(asked);
        nameDataset(exchange, checked);
        const current = checked === asked ? planned : tagged(checked, encoding);
        const answer = await countedPage(exchange, current, async () =>
          encodedPage(await stages.produce(current, signal), encoding, spool),
        );
        return { ...answer, page: await pages.put(current.tag, answer.page) };
      });
  const hint = answer.page.rowCount === 0 ? await stages.hint(answer.planned) : null;
  return sendPage(exchange, answer, hint);
}

function tagged(planned: PlannedRequest, encoding: ContentEncoding | null): TaggedRequest {
  const { request, plan } = planned;
  const tag = pageTag(plan, request.responseFormat, request.pathParameters, encoding);
  return { ...planned, tag };
}

/** Says for the ledger what the request is about, also where it is then refused. */
function nameDataset({ tally }: KeyedExchange, { plan }: PlannedRequest): void {
  tally.datasetId = plan.dataset.datasetId;
  tally.datasetVersion = plan.version;
}

/** Refuses the page where its account leaves too much unfetched; else counts it. */
async function countedPage(
  exchange: KeyedExchange,
  planned: TaggedRequest,
  produce: () => Promise<Page>,
): Promise<Answer> {
  const { services, tally } = exchange;
  services.unsent.requireRoom(planned.identityId);
  countScan(exchange, planned.plan);
  const page = await produce();
  if (page.body instanceof StoredBytes) releaseAfter(exchange.reply, page.body);
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

/**
 * Runs the work when the account's turn comes. Rejects with an ApiError where too many
 * wait, past the time limit and when the client goes away, which stop the work.
 */
export async function inTurn<T>(
  { services, reply, tally }: KeyedExchange,
  identityId: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(services.config.queryTimeoutMs);
  const gone = new AbortController();
  const onClose = () => gone.abort(new ApiError('client gone', 'The client went away'));
  reply.raw.once('close', onClose);
  // It may have gone while the request was planned.
  if (reply.raw.destroyed) onClose();
  const signal = AbortSignal.any([timeout, gone.signal]);
  tally.isWaiting = true;
  try {
    return await services.gate.run(identityId, signal, () => {
      tally.isWaiting = false;
      return work(signal);
    });
  } catch (error) {
    if (timeout.aborted && !gone.signal.aborted) throw new ApiError('timed out', 'Gateway timeout');
    throw error;
  } finally {
    reply.raw.off('close', onClose);
  }
}

/** Headers about the data behind an answer; also on a 304. */
function describeData(reply: FastifyReply, planned: TaggedRequest): FastifyReply {
  const { version, closedDates } = planned.plan;
  setEntityTag(reply, planned.tag).header('X-Dataset-Version', `${version ?? 0}`);
  if (closedDates) reply.header('X-Window', `${closedDates.start}/${closedDates.end}`);
  return reply;
}

function sendNotModified(exchange: KeyedExchange, planned: TaggedRequest): FastifyReply {
  countScan(exchange, planned.plan);
  return describeData(exchange.reply, planned).code(304).send();
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
  hint: string | null,
): Promise<FastifyReply> {
  const digest = await reprDigest(exchange.request, page.body);
  const receipt = planned.request.receipt ? await receiptOf(exchange, planned, page) : null;
  const reply = describeData(exchange.reply, planned);
  if (digest !== null) reply.header('Repr-Digest', digest);
  if (receipt !== null) reply.header('X-Receipt', receipt);
  if (page.nextOffset !== null) {
    const { parameters, replaced } = planned.pins;
    const next = { ...parameters, offset: page.nextOffset };
    reply.header('Link', nextLink(exchange, { parameters: next, replaced }));
  }
  if (hint !== null) reply.header('X-Hint', hint);
  reply.headers(page.headers).type(page.contentType);
  const { body } = page;
  return body instanceof StoredBytes ? sendStored(exchange, body) : reply.send(body);
}
