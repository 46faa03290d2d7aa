/**
 * Files that manifests name. A link says which file and who asked for it; whether they may still have it
 * is found out at each request, by the rules of now.
 */
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { type ByteRange, readRange } from '../delivery/byte-range.ts';
import type { HeldFile } from '../delivery/delivered-files.ts';
import { fileFingerprint, fileName, partitionsOf } from '../delivery/manifest.ts';
import type { Ticket } from '../delivery/ticket.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { filePlansOf } from '../plan/plan-bulk.ts';
import { NONE_RESERVED } from '../quota/release.ts';
import { admit } from './admit.ts';
import { type BulkRequest, parseLinkedRequest } from './bulk-request.ts';
import type { DataEndpoint, KeyedExchange } from './endpoint.ts';
import { bulkBesides } from './file-links.ts';
import { inTurn } from './in-turn.ts';
import { planRequest } from './plan-request.ts';
import { beginSending } from './request-tally.ts';
import { requireTicket } from './request-ticket.ts';
import { matchesEntityTag } from './revalidation.ts';
import { sendStored } from './send-stored.ts';

/** The plan of the file that a ticket is for, within the rules of now. */
async function planFile(
  exchange: KeyedExchange,
  asked: BulkRequest,
  { besides, fingerprint, firstPartition }: Ticket,
) {
  const asking = bulkBesides(exchange.services.lake, besides);
  const { plan, identityId } = await planRequest(exchange, asked, asking);
  const isTheOne = (each: QueryPlan) =>
    partitionsOf(each).first === firstPartition &&
    fileFingerprint(each, asked.fileFormat) === fingerprint;
  const filePlan = filePlansOf(plan).find(isTheOne);
  if (filePlan) return { filePlan, identityId };
  const text = 'The rules of the account have changed: ask for a new manifest';
  throw new ApiError('forbidden', text);
}

async function serveFile(exchange: KeyedExchange): Promise<FastifyReply> {
  const { services, request, tally } = exchange;
  const { config, clock, linkSecret, files, engine, bulkSpool: spool } = services;
  const ticket = requireTicket(request, linkSecret, clock.now());
  const { fingerprint } = ticket;
  const asked = parseLinkedRequest(ticket, config);
  const { filePlan, identityId } = await planFile(exchange, asked, ticket);
  tally.datasetId = filePlan.dataset.datasetId;
  tally.datasetVersion = filePlan.version;
  const make = (signal: AbortSignal) => asked.fileFormat.make({ engine, spool }, filePlan, signal);
  const file =
    files.find(fingerprint) ??
    (await inTurn(exchange, identityId, async (signal) => {
      // Whoever had to wait may have lost the key or some rules meanwhile.
      await services.store.catchUp();
      const caller = admit(services, request, exchange.endpoint);
      await planFile({ ...exchange, caller }, asked, ticket);
      return await files.get(fingerprint, make, signal);
    }));
  exchange.reply.raw.once('close', () => file.release());
  if (exchange.reply.raw.destroyed) file.release();
  describeFile(exchange, ticket, asked, filePlan, file);
  return sendFile(exchange, filePlan, file);
}

function describeFile(
  { reply, services }: KeyedExchange,
  { expiresAtMs }: Ticket,
  { fileFormat }: BulkRequest,
  plan: QueryPlan,
  { sha256 }: HeldFile,
): void {
  const ageSeconds = Math.floor((expiresAtMs - services.clock.now()) / 1000);
  const digest = Buffer.from(sha256, 'hex').toString('base64');
  reply.type(fileFormat.contentType).headers({
    ETag: `"${sha256}"`,
    'Accept-Ranges': 'bytes',
    'Repr-Digest': `sha-256=:${digest}:`,
    'Cache-Control': `private, immutable, max-age=${ageSeconds}`,
    'Content-Disposition': `attachment; filename="${fileName(plan, fileFormat)}"`,
    'X-Dataset-Version': `${plan.version ?? 0}`,
  });
}

/** The range that the client wants, unless what it holds is of another file. */
function wantedRange({ request: { headers } }: KeyedExchange, { sha256, bytes }: HeldFile) {
  const condition = headers['if-range'];
  const isSame = condition === undefined || condition === `"${sha256}"`;
  return readRange(isSame ? headers.range : undefined, bytes.byteCount);
}

async function sendFile(
  exchange: KeyedExchange,
  plan: QueryPlan,
  file: HeldFile,
): Promise<FastifyReply> {
  const { reply, request, endpoint } = exchange;
  const { byteCount } = file.bytes;
  if (matchesEntityTag(request, `"${file.sha256}"`)) return reply.code(304).send();
  const range = wantedRange(exchange, file);
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${byteCount}`);
    throw new ApiError('range not satisfiable', `The file has ${byteCount} bytes`);
  }
  const sent = range === 'whole' ? { start: 0, end: byteCount } : range;
  const place = endpoint.method === 'GET' ? await placeForProxy(exchange, file) : null;
  if (place !== null) return sendByProxy(exchange, place, plan, file, sent);
  if (range !== 'whole') {
    const last = range.end - 1;
    reply.code(206).header('Content-Range', `bytes ${range.start}-${last}/${byteCount}`);
  }
  if (endpoint.method === 'GET') return sendHere(exchange, plan, file, sent);
  return reply.header('Content-Length', `${sent.end - sent.start}`).send();
}

function sendHere(
  exchange: KeyedExchange,
  plan: QueryPlan,
  file: HeldFile,
  sent: ByteRange,
): FastifyReply {
  const { services, tally } = exchange;
  services.unsent.requireRoomFor(tally.account?.identityId ?? null, sent.end - sent.start);
  countFile(exchange, plan, file, sent);
  return sendStored(exchange, file.bytes, sent);
}

/** The location of the proxy that leads to the home's folder `files`, as docs/bulk.md has it. */
const PROXY_LOCATION = '/ticklake-files/';

/**
 * Where the proxy finds the file; null: the server sends it. Proxies know no tag of ours, so what they send for
 * `If-Range` would not be what was counted.
 */
async function placeForProxy(
  { request: { headers }, services: { config, proxyFiles } }: KeyedExchange,
  file: HeldFile,
): Promise<string | null> {
  const hasCondition = headers.range !== undefined && headers['if-range'] !== undefined;
  if (!proxyFiles || hasCondition) return null;
  const name = await proxyFiles.nameOf(file);
  if (name === null) return null;
  const isAccel = config.fileSender === 'x-accel-redirect';
  return isAccel ? `${PROXY_LOCATION}${name}` : join(config.home, 'files', name);
}

/** Tells the proxy which file to send; ranges are its own work, and the bytes count as if it sent them all. */
function sendByProxy(
  exchange: KeyedExchange,
  place: string,
  plan: QueryPlan,
  file: HeldFile,
  sent: ByteRange,
): FastifyReply {
  const {
    reply,
    tally,
    services: { config },
  } = exchange;
  countFile(exchange, plan, file, sent);
  tally.sending = { ...beginSending(NONE_RESERVED), sentBytes: sent.end - sent.start };
  const header = config.fileSender === 'x-accel-redirect' ? 'X-Accel-Redirect' : 'X-Sendfile';
  return reply.header(header, place).send();
}

/** A range counts as much of what making the file has scanned as it is of the file. */
function countFile(
  { tally, services }: KeyedExchange,
  { scannedBytes }: QueryPlan,
  { rowCount, bytes: { byteCount } }: HeldFile,
  { start, end }: ByteRange,
): void {
  tally.scannedBytes = Math.round((scannedBytes * (end - start)) / byteCount);
  services.metrics.scannedBytes.inc(tally.scannedBytes);
  if (end - start < byteCount) return;
  tally.rowCount = rowCount;
  services.metrics.rows.inc(rowCount);
}

const FILE = {
  path: '/files/:ticket/:name',
  errorStatuses: [404, 416, 504],
  isPublic: false,
  takesTicket: true,
  servesRows: true,
  handle: serveFile,
} as const;

export const FILE_ENDPOINTS: readonly DataEndpoint[] = [
  { ...FILE, method: 'GET' },
  { ...FILE, method: 'HEAD' },
];
