/**
 * Files that manifests name. A link says which file and who asked for it; whether they may still
 * have it is found out at each request, by the rules of now.
 */
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { failureReason } from '../base/failure-text.ts';
import type { Catalog } from '../catalog/dataset.ts';
import { type ByteRange, readRange } from '../delivery/byte-range.ts';
import type { HeldFile } from '../delivery/delivered-files.ts';
import type { FileFormat } from '../delivery/file-formats.ts';
import {
  allowanceFor,
  fileFingerprint,
  fileName,
  partitionsOf,
  totalsOf,
} from '../delivery/manifest.ts';
import { type Ticket, ticketSealer } from '../delivery/ticket.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { planFiles } from '../intervals/plan-source.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { findHint } from '../query/hint.ts';
import { findMissing, missingHeader } from '../query/missing-identifiers.ts';
import { planBySymbols, rollsOf } from '../query/plan-by-symbols.ts';
import { type PlannedRequest, planRequest, recheck } from '../query/plan-request.ts';
import { accountOf, asOfNow, inTurn, nameSubject } from '../query/reader.ts';
import type { LinkedRequest } from '../query/shared-tables.ts';
import {
  type BulkRequest,
  fileTools,
  type NamedFile,
  nameFiles,
  parseBulkRequest,
  parseLinkedRequest,
  planBesides,
  requireShortLinks,
  requireSmall,
} from '../query/whole-files.ts';
import { NONE_RESERVED } from '../quota/release.ts';
import { canonicalBulk } from '../receipts/canonical-request.ts';
import { chooseBulkDataset } from '../request/data-request.ts';
import { requireTicket } from './admit.ts';
import { MANIFEST } from './answers.ts';
import { beginSending, releaseAfter } from './count-request.ts';
import {
  type DataEndpoint,
  type FileExchange,
  type KeyedEndpoint,
  keyedEndpoint,
} from './endpoint.ts';
import { matchesEntityTag, nextTarget, requestOrigin, versionHeaders } from './http-headers.ts';
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
  releaseAfter(exchange.reply, file);
  const linked = { plan: filePlan, fileFormat: asked.fileFormat, file };
  describeFile(exchange, ticket, linked);
  return sendFile(exchange, linked);
}

/** The file that a link leads to. */
interface LinkedFile {
  readonly plan: QueryPlan;
  readonly fileFormat: FileFormat;
  readonly file: HeldFile;
}

function describeFile(
  { reply, services }: FileExchange,
  { expiresAtMs }: Ticket,
  { plan, fileFormat, file: { sha256 } }: LinkedFile,
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

interface FileLinks {
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

/** Sends a file, or the range that its client wants, or tells where it is. */
async function sendFile(exchange: FileExchange, linked: LinkedFile): Promise<FastifyReply> {
  const { reply, request, endpoint } = exchange;
  const { file } = linked;
  const { byteCount } = file.bytes;
  if (matchesEntityTag(request, `"${file.sha256}"`)) return reply.code(304).send();
  const range = wantedRange(exchange, file);
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${byteCount}`);
    throw new ApiError('range not satisfiable', `The file has ${byteCount} bytes`);
  }
  const sent = range === 'whole' ? { start: 0, end: byteCount } : range;
  if (endpoint.method === 'GET' && (await isSentElsewhere(exchange, linked, sent))) {
    return reply.send();
  }
  if (range !== 'whole') {
    const last = range.end - 1;
    reply.code(206).header('Content-Range', `bytes ${range.start}-${last}/${byteCount}`);
  }
  if (endpoint.method === 'GET') return await sendHere(exchange, linked, sent);
  return reply.header('Content-Length', `${sent.end - sent.start}`).send();
}

function sendHere(
  exchange: FileExchange,
  linked: LinkedFile,
  sent: ByteRange,
): Promise<FastifyReply> {
  const { services, tally } = exchange;
  services.unsent.requireRoomFor(tally.account?.accountId ?? null, sent.end - sent.start);
  countFile(exchange, linked, sent);
  return sendStored(exchange, linked.file.bytes, sent);
}

/** True if the answer now tells the client or the proxy where the bytes are: they send them. */
async function isSentElsewhere(
  exchange: FileExchange,
  linked: LinkedFile,
  sent: ByteRange,
): Promise<boolean> {
  const headers = (await redirection(exchange, linked)) ?? (await proxyHeaders(exchange, linked));
  if (!headers) return false;
  countFile(exchange, linked, sent);
  const sentBytes = sent.end - sent.start;
  exchange.tally.sending = { ...beginSending(NONE_RESERVED), sentBytes };
  exchange.reply.headers(headers);
  return true;
}

const TEMPORARY_REDIRECT = 307;

/** The proxy's location of the home's folder `files`, as in docs/file-delivery.md. */
const PROXY_LOCATION = '/ticklake-files/';

/**
 * Tells the proxy which file to send; null: the server sends it. Ranges are the proxy's work, but
 * proxies know none of our tags, so their answer to `If-Range` would not match the bytes counted.
 */
async function proxyHeaders(
  { request: { headers }, services: { config, proxyFiles } }: FileExchange,
  { file }: LinkedFile,
): Promise<Record<string, string> | null> {
  const hasCondition = headers.range !== undefined && headers['if-range'] !== undefined;
  const name = proxyFiles && !hasCondition ? await proxyFiles.nameOf(file) : null;
  if (name === null) return null;
  return config.fileSender === 'x-accel-redirect'
    ? { 'X-Accel-Redirect': `${PROXY_LOCATION}${name}` }
    : { 'X-Sendfile': join(config.home, 'files', name) };
}

/**
 * Sends the client to another place for the whole file. The URL is for nobody else, so that it is
 * not logged.
 */
async function redirection(
  exchange: FileExchange,
  linked: LinkedFile,
): Promise<Record<string, string> | null> {
  const url = await directUrlOf(exchange, linked);
  if (url === null) return null;
  // Nobody gets the URL any more.
  if (exchange.reply.raw.destroyed) throw new ApiError('client gone', 'The client went away');
  exchange.reply.code(TEMPORARY_REDIRECT);
  return { Location: url, 'Cache-Control': 'no-store' };
}

/** A range counts as much of what making the file has scanned as it is of the file. */
function countFile(
  { tally, services }: FileExchange,
  { plan, file: { rowCount, bytes } }: LinkedFile,
  { start, end }: ByteRange,
): void {
  const { byteCount } = bytes;
  tally.scannedBytes = Math.round((plan.scannedBytes * (end - start)) / byteCount);
  services.metrics.scannedBytes.inc(tally.scannedBytes);
  if (end - start < byteCount) return;
  tally.rowCount = rowCount;
  services.metrics.rows.inc(rowCount);
}

/** True if a file has all rows and all columns of one part, also those that rules may hide. */
function isWholePart({ plan, file: { rowCount } }: LinkedFile, catalog: Catalog): boolean {
  const { columns, dataset } = plan;
  const [part, ...others] = plan.parts;
  const hasAllColumns = columns.length === catalog.byId(dataset.datasetId)?.columns.length;
  return others.length === 0 && rowCount === part?.rowCount && hasAllColumns;
}

/**
 * A URL, valid for one minute, from which the client fetches the file; null: from this server.
 * Ranges are served here: tools that read ranges compare the tags of their answers, and the store
 * knows none of our tags.
 */
async function directUrlOf(
  { request: { headers, log }, services: { catalog, config, clock, engine } }: FileExchange,
  linked: LinkedFile,
): Promise<string | null> {
  if (config.fileSender !== 'object-storage' || headers.range !== undefined) return null;
  if (!isWholePart(linked, catalog)) return null;
  const { plan, fileFormat, file } = linked;
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

/** Links to the files of a manifest, for the caller who asked for it. */
function linksOf(
  exchange: FileExchange,
  { plan, pins }: PlannedRequest,
  { fileFormat }: BulkRequest,
) {
  const [, , group = '', segment = ''] = exchange.path.split('/');
  const parameters = { ...pins.parameters, dataset_version: plan.version ?? 0 };
  const [, queryString] = nextTarget('', exchange.queryString, { ...pins, parameters });
  return fileLinks(exchange, { group, segment, queryString, besides: null }, fileFormat);
}

async function showManifest(exchange: FileExchange) {
  const { services, reply, tally, path, queryString } = exchange;
  const { config } = services;
  const [, , group = '', segment = ''] = path.split('/');
  const request = parseBulkRequest({ group, segment, queryString }, config);
  const dataset = chooseBulkDataset(request, services.catalog);
  const rows = { dataset, request, planAsked: planBulk };
  const { planned: asked, headers } = await planBySymbols(exchange, rows);
  nameSubject(tally, asked.plan);
  const askedPlans = planFiles(asked.plan);
  requireSmall(askedPlans, config);
  requireShortLinks(askedPlans.length, queryString);
  const { planned, manifest } = await inTurn(exchange, asked.accountId, async (signal) => {
    const planned = await recheck(exchange, asked);
    const plans = planFiles(planned.plan);
    const { fileFormat } = request;
    const named = await nameFiles(services, { plans, fileFormat }, signal);
    reply.headers({ ...versionHeaders(planned.plan), ...headers });
    return { planned, manifest: await manifestOf(exchange, planned, request, named) };
  });
  const hint = await findHint(exchange, planned, manifest.row_count !== 0);
  const missing = await findMissing(exchange, planned);
  if (missing) reply.headers(missingHeader(missing));
  const symbols = headers['X-Symbols'] ?? null;
  return { ...manifest, symbols, missing, hint: hint?.text ?? null };
}

async function manifestOf(
  exchange: FileExchange,
  planned: PlannedRequest,
  request: BulkRequest,
  named: readonly NamedFile[],
) {
  const { config, usage } = exchange.services;
  const { plan, accountId } = planned;
  const { closedDates } = plan;
  const links = linksOf(exchange, planned, request);
  const totals = totalsOf(named.map(({ file }) => file));
  const claim = {
    requestCount: named.length,
    returnedBytes: totals.byte_count,
    scannedBytes: plan.scannedBytes,
  };
  const { limits } = accountOf(exchange);
  return {
    dataset_id: plan.dataset.datasetId,
    dataset_version: plan.version,
    factors_version: plan.restatement?.factors.version ?? null,
    window: closedDates && `${closedDates.start}/${closedDates.end}`,
    response_format: request.fileFormat.name,
    canonical_request: canonicalBulk(request, plan, request.fileFormat.name, config),
    ...totals,
    rowless_stream: request.fileFormat.rowlessStream?.(plan) ?? null,
    expires_at: isoSeconds(links.expiresAtMs),
    files: named.map(({ plan: filePlan, fingerprint, file }) => {
      const { first, last } = partitionsOf(filePlan);
      return {
        url: links.urlOf({ plan: filePlan, fingerprint }),
        name: fileName(filePlan, request.fileFormat),
        row_count: file.rowCount,
        byte_count: file.bytes.byteCount,
        sha256: file.sha256,
        first_partition: first,
        last_partition: last,
      };
    }),
    allowance: allowanceFor(claim, limits, await usage.counters.read(accountId)),
  };
}

export const BULK_ENDPOINT: KeyedEndpoint = keyedEndpoint({
  endpoint: 'GET /bulk/:group/:segment',
  operationId: 'showManifest',
  summary:
    'All rows of a request as files, with links to them; takes the filters of a data request',
  answer: MANIFEST,
  errorStatuses: [504],
  takesQuery: true,
  handle: showManifest,
});
