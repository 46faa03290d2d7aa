/** The bytes of files: sent by this server, by the proxy in front of it, or by the object storage of the lake. */
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { type ByteRange, readRange } from '../delivery/byte-range.ts';
import type { HeldFile } from '../delivery/delivered-files.ts';
import type { FileFormat } from '../delivery/file-formats.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { NONE_RESERVED } from '../quota/release.ts';
import { beginSending } from './count-request.ts';
import { directUrlOf } from './direct-file.ts';
import type { FileExchange } from './endpoint.ts';
import { matchesEntityTag } from './http-headers.ts';
import { sendStored } from './send-stored.ts';

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
  services.unsent.requireRoomFor(tally.account?.identityId ?? null, sent.end - sent.start);
  countFile(exchange, plan, file, sent);
  return sendStored(exchange, file.bytes, sent);
}

const TEMPORARY_REDIRECT = 307;

/** The location of the proxy that leads to the home's folder `files`, as docs/bulk.md has it. */
const PROXY_LOCATION = '/ticklake-files/';

/**
 * Where the proxy finds the file; null: the server sends it. Proxies know no tag of ours, so what they send for
 * `If-Range` would not be what was counted.
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

/** Tells the proxy which file to send; ranges are its own work, and the bytes count as if it sent them all. */
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

/** Sends the client to another place for the whole file. The URL is for nobody else, so that it is not logged. */
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

/** What others send counts as if all of it was taken. */
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
