/**
 * Files that manifests name. A link says which file and who asked for it; whether they may still
 * have it is found out at each request, by the rules of now.
 */

import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { failureReason } from '../base/failure-text.ts';
import { type ByteRange, readRange } from '../delivery/byte-range.ts';
import type { HeldFile } from '../delivery/delivered-files.ts';
import type { FileFormat } from '../delivery/file-formats.ts';
import { fileFingerprint, fileName, partitionsOf } from '../delivery/manifest.ts';
import { type Ticket, ticketSealer } from '../delivery/ticket.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { planFiles } from '../intervals/plan-source.ts';
import { rollsOf } from '../query/plan-by-symbols.ts';
import { planRequest } from '../query/plan-request.ts';
import { asOfNow, inTurn, nameSubject } from '../query/reader.ts';
import type { LinkedRequest } from '../query/shared-tables.ts';
import {
  type BulkRequest,
  fileTools,
  type NamedFile,
  parseLinkedRequest,
  planBesides,
} from '../query/whole-files.ts';
import { NONE_RESERVED } from '../quota/release.ts';
import { chooseBulkDataset } from '../request/data-request.ts';
import { requireTicket } from './admit.ts';
import { beginSending } from './count-request.ts';
import type { DataEndpoint, FileExchange } from './endpoint.ts';
import { matchesEntityTag, requestOrigin, versionHeaders } from './http-headers.ts';
import { sendStored } from './send-stored.ts';

/** The plan of the file that a ticket is for, within the rules of now. */
async function planFile(
  exchange: FileExchange,
  asked: BulkRequest,
  { besides, fingerprint, firstPartition }: Ticket,
) {
  const { lake, catalog } = exchange.services;
  const dataset = chooseBulkDataset(asked, catalog);
  const rolls = await rollsOf(exchange, asked, dataset);
  const planAsked = planBesides(lake, besides);
  const rows = { dataset, request: asked, planAsked, rolls };
  const { plan, accountId } = await planRequest(exchange, rows);
  const isTheOne = (each: QueryPlan) =>
    partitionsOf(each).first === firstPartition &&
    fileFingerprint(each, asked.fileFormat) === fingerprint;
  const filePlan = planFiles(plan).find(isTheOne);
  if (filePlan) return { filePlan, accountId };
  const text = 'The rules of the account have changed: ask for a new manifest';
  throw new ApiError('forbidden', text);
}

async function serveFile(exchange: FileExchange): Promise<FastifyReply> {
  const { services, request, tally } = exchange;
  const { config, clock, linkSecret, files } = services;
  const ticket = requireTicket(request, linkSecret, clock.now());
  const { fingerprint } = ticket;
  const asked = parseLinkedRequest(ticket, config);
  const { filePlan, accountId } = await planFile(exchange, asked, ticket);
  nameSubject(tally, filePlan);
  const make = (signal: AbortSignal) =>
    asked.fileFormat.make(fileTools(services), filePlan, signal);
  const file =
    files.find(fingerprint) ??
    (await inTurn(exchange, accountId, async (signal) => {
      // Whoever had to wait may have lost the key or some rules meanwhile.
      await planFile(await asOfNow(exchange), asked, ticket);
      return await files.get(fingerprint, make, signal);
    }));
  exchange.reply.raw.once('close', () => file.release());
  if (exchange.reply.raw.destroyed) file.release();
  describeFile(exchange, ticket, asked, filePlan, file);
  return sendFile(exchange, asked.fileFormat, filePlan, file);
}

function describeFile(
  { reply, services }: FileExchange,
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
    ...versionHeaders(plan),
  });
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

export interface FileLinks {
  readonly expiresAtMs: number;
  urlOf(file: Pick<NamedFile, 'plan' | 'fingerprint'>): string;
}

export function fileLinks(
  { services, request, path, claim: { keyHash, tokenHash } }: FileExchange,
  linked: LinkedRequest,
  fileFormat: FileFormat,
): FileLinks {
  const { config, clock, linkSecret } = services;
  const expiresAtMs = clock.now() + config.linkLifetimeMs;
  const asked = { keyHash, tokenHash, ...linked, fileFormat: fileFormat.name, expiresAtMs };
  const sealed = ticketSealer(asked, linkSecret);
  const [target = ''] = (request.raw.url ?? '').split('?');
  const prefix = target.slice(0, target.length - path.length);
  const base = `${requestOrigin(request, config)}${prefix}/files`;
  const urlOf: FileLinks['urlOf'] = ({ plan, fingerprint }) => {
    const ticket = sealed({ fingerprint, firstPartition: partitionsOf(plan).first });
    return `${base}/${ticket}/${fileName(plan, fileFormat)}`;
  };
  return { expiresAtMs, urlOf };
}

/** The range that the client wants, unless what it holds is of another file. */
function wantedRange({ request: { headers } }: FileExchange, { sha256, bytes }: HeldFile) {
  const condition = headers['if-range'];
  const isSame = condition === undefined || condition === `"${sha256}"`;
  return readRange(isSame ? headers.range : undefined, bytes.byteCount);
}

/** Sends a file that a link leads to, or the range that its client wants, or tells where it is. */
export async function sendFile(
  exchange: FileExchange,
  fileFormat: FileFormat,
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
  if (endpoint.method === 'GET') {
    const url = await directUrlOf(exchange, fileFormat, plan, file);
    if (url !== null) return redirect(exchange, url, plan, file, sent);
    const place = await placeForProxy(exchange, file);
    if (place !== null) return sendByProxy(exchange, place, plan, file, sent);
  }
  if (range !== 'whole') {
    const last = range.end - 1;
    reply.code(206).header('Content-Range', `bytes ${range.start}-${last}/${byteCount}`);
  }
  if (endpoint.method === 'GET') return sendHere(exchange, plan, file, sent);
  return reply.header('Content-Length', `${sent.end - sent.start}`).send();
}

function sendHere(
  exchange: FileExchange,
  plan: QueryPlan,
  file: HeldFile,
  sent: ByteRange,
): Promise<FastifyReply> {
  const { services, tally } = exchange;
  services.unsent.requireRoomFor(tally.account?.accountId ?? null, sent.end - sent.start);
  countFile(exchange, plan, file, sent);
  return sendStored(exchange, file.bytes, sent);
}

const TEMPORARY_REDIRECT = 307;

/** The location of the proxy that leads to the home's folder `files`, as docs/bulk.md has it. */
const PROXY_LOCATION = '/ticklake-files/';

/**
 * The place where the proxy finds the file; null: the server sends it. Proxies know none of our
 * tags, so their answer to `If-Range` would not match the bytes counted.
 */
async function placeForProxy(
  { request: { headers }, services: { config, proxyFiles } }: FileExchange,
  file: HeldFile,
): Promise<string | null> {
  const hasCondition = headers.range !== undefined && headers['if-range'] !== undefined;
  if (!proxyFiles || hasCondition) return null;
  const name = await proxyFiles.nameOf(file);
  if (name === null) return null;
  const isAccel = config.fileSender === 'x-accel-redirect';
  return isAccel ? `${PROXY_LOCATION}${name}` : join(config.home, 'files', name);
}

/**
 * Tells the proxy which file to send; ranges are its own work, and the bytes count as if it sent
 * them all.
 */
function sendByProxy(
  exchange: FileExchange,
  place: string,
  plan: QueryPlan,
  file: HeldFile,
  sent: ByteRange,
): FastifyReply {
  const {
    reply,
    services: { config },
  } = exchange;
  countAsSent(exchange, plan, file, sent);
  const header = config.fileSender === 'x-accel-redirect' ? 'X-Accel-Redirect' : 'X-Sendfile';
  return reply.header(header, place).send();
}

/**
 * Sends the client to another place for the whole file. The URL is for nobody else, so that it is
 * not logged.
 */
function redirect(
  exchange: FileExchange,
  url: string,
  plan: QueryPlan,
  file: HeldFile,
  sent: ByteRange,
): FastifyReply {
  // Nobody gets the URL any more.
  if (exchange.reply.raw.destroyed) throw new ApiError('client gone', 'The client went away');
  countAsSent(exchange, plan, file, sent);
  const headers = { Location: url, 'Cache-Control': 'no-store' };
  return exchange.reply.code(TEMPORARY_REDIRECT).headers(headers).send();
}

/** Counts the whole range as sent, because another server sends it. */
function countAsSent(
  exchange: FileExchange,
  plan: QueryPlan,
  file: HeldFile,
  sent: ByteRange,
): void {
  countFile(exchange, plan, file, sent);
  exchange.tally.sending = {
    ...beginSending(NONE_RESERVED),
    sentBytes: sent.end - sent.start,
  };
}

/** A range counts as much of what making the file has scanned as it is of the file. */
function countFile(
  { tally, services }: FileExchange,
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

/** True if a file has all rows and all columns of one part. */
function isWholePart({ parts, columns, dataset }: QueryPlan, { rowCount }: HeldFile): boolean {
  const [part, ...others] = parts;
  const hasAllColumns = columns.length === dataset.columns.length;
  return others.length === 0 && rowCount === part?.rowCount && hasAllColumns;
}

/**
 * A URL, valid for one minute, from which the client fetches the file; null: from this server.
 * Ranges are served here: tools that read ranges compare the tags of their answers, and the store
 * knows none of our tags.
 */
export async function directUrlOf(
  { request: { headers, log }, services: { config, clock, engine } }: FileExchange,
  fileFormat: FileFormat,
  plan: QueryPlan,
  file: HeldFile,
): Promise<string | null> {
  if (config.fileSender !== 'object-storage' || headers.range !== undefined) return null;
  if (!isWholePart(plan, file)) return null;
  const { bytes, sha256 } = file;
  const { contentType } = fileFormat;
  const direct = { bytes, sha256, name: fileName(plan, fileFormat), contentType };
  try {
    return (await engine.directUrl?.(direct, clock)) ?? null;
  } catch (error) {
    const reason = failureReason(error) ?? 'it did not take the file';
    log.warn(`A file is not sent by the object storage: ${reason}`);
    return null;
  }
}
