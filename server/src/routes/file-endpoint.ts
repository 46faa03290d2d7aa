/**
 * Files that manifests name. A link says which file and who asked for it; whether they may still have it
 * is found out at each request, by the rules of now.
 */
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { HeldFile } from '../delivery/delivered-files.ts';
import { fileFingerprint, fileName, partitionsOf } from '../delivery/manifest.ts';
import type { Ticket } from '../delivery/ticket.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { planFiles } from '../intervals/plan-source.ts';
import { rollsOf } from '../query/plan-by-symbols.ts';
import { planRequest } from '../query/plan-request.ts';
import { asOfNow, inTurn, nameSubject } from '../query/reader.ts';
import { chooseBulkDataset } from '../request/data-request.ts';
import { requireTicket } from './admit.ts';
import { type BulkRequest, parseLinkedRequest } from './bulk-request.ts';
import type { DataEndpoint, FileExchange } from './endpoint.ts';
import { planBesides } from './file-links.ts';
import { versionHeaders } from './http-headers.ts';
import { fileTools } from './named-files.ts';
import { sendFile } from './send-file.ts';

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
  const { plan, identityId } = await planRequest(exchange, rows);
  const isTheOne = (each: QueryPlan) =>
    partitionsOf(each).first === firstPartition &&
    fileFingerprint(each, asked.fileFormat) === fingerprint;
  const filePlan = planFiles(plan).find(isTheOne);
  if (filePlan) return { filePlan, identityId };
  const text = 'The rules of the account have changed: ask for a new manifest';
  throw new ApiError('forbidden', text);
}

async function serveFile(exchange: FileExchange): Promise<FastifyReply> {
  const { services, request, tally } = exchange;
  const { config, clock, linkSecret, files } = services;
  const ticket = requireTicket(request, linkSecret, clock.now());
  const { fingerprint } = ticket;
  const asked = parseLinkedRequest(ticket, config);
  const { filePlan, identityId } = await planFile(exchange, asked, ticket);
  nameSubject(tally, filePlan);
  const make = (signal: AbortSignal) =>
    asked.fileFormat.make(fileTools(services), filePlan, signal);
  const file =
    files.find(fingerprint) ??
    (await inTurn(exchange, identityId, async (signal) => {
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
