/**
 * Requests for all of their rows, as files: the grammar of data requests, and the format of the
 * files.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../base/errors.ts';
import type { Spool } from '../base/spool.ts';
import type { DeliveredFile, DeliveredFiles } from '../delivery/delivered-files.ts';
import {
  FILE_FORMATS,
  type FileFormat,
  type FileTools,
  LINKED_FORMATS,
} from '../delivery/file-formats.ts';
import { fileFingerprint } from '../delivery/manifest.ts';
import type { Ticket } from '../delivery/ticket.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { withoutParts } from '../plan/plan-changes.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { problemAt } from '../request/request-problem.ts';
import { formatWords } from '../request/standard-parameters.ts';
import type { Config } from '../settings/config.ts';
import { type AskedRows, snapshotOf } from './plan-request.ts';
import type { DataServices } from './reader.ts';

export interface BulkRequest extends DataRequest {
  readonly fileFormat: FileFormat;
}

export interface BulkRequestInput {
  readonly group: string;
  readonly segment: string;
  /** Raw, without its `?`. */
  readonly queryString: string;
}

/** Files have formats of pages, but not each of those. */
const FORMAT_WORDS = formatWords(FILE_FORMATS.map(({ name }) => name));

function fileFormatOf({ parameterTexts }: DataRequest): FileFormat {
  const [fallback] = FILE_FORMATS;
  const text = parameterTexts.get('response_format');
  return FILE_FORMATS.find(({ name }) => name === text) ?? fallback;
}

/** Throws an ApiError 'invalid' with all problems of the request's grammar. */
export function parseBulkRequest(input: BulkRequestInput, config: Config): BulkRequest {
  const asked = { ...input, pathParameters: [], formats: FORMAT_WORDS };
  const request = parseDataRequest(asked, config);
  return { ...request, fileFormat: fileFormatOf(request) };
}

/**
 * The request of a ticket, whose files have the format that the ticket says. Throws as the above.
 */
export function parseLinkedRequest(ticket: Ticket, config: Config): BulkRequest {
  const request = parseDataRequest({ ...ticket, pathParameters: [] }, config);
  const fileFormat = LINKED_FORMATS.find(({ name }) => name === ticket.fileFormat);
  if (!fileFormat) throw new Error(`a ticket has the format ${ticket.fileFormat}`);
  return { ...request, fileFormat };
}

/** A file that an answer names. */
export interface NamedFile {
  readonly plan: QueryPlan;
  readonly fingerprint: string;
  readonly file: DeliveredFile;
}

function tooLarge(msg: string, limit: number): ApiError {
  return new ApiError('invalid', [problemAt(['query', ''], 'too_large', msg, null, { limit })]);
}

/**
 * An ApiError 'invalid' for more files, or files made of more stored bytes, than one answer may
 * name.
 */
export function requireSmall(
  plans: readonly QueryPlan[],
  { bulkFilesMax, bulkScannedBytesMax }: Config,
): void {
  if (plans.length > bulkFilesMax) {
    const msg = `The request comes to ${plans.length} files, more than ${bulkFilesMax}: ask for fewer dates`;
    throw tooLarge(msg, bulkFilesMax);
  }
  const scannedBytes = plans.reduce((sum, plan) => sum + plan.scannedBytes, 0);
  if (scannedBytes <= bulkScannedBytesMax) return;
  const msg = `The request reads more than ${bulkScannedBytesMax} stored bytes: ask for fewer dates or identifiers`;
  throw tooLarge(msg, bulkScannedBytesMax);
}

/** Each link carries the request, so that many links to a long one take much memory. */
const LINKS_BYTES_MAX = 32 * 1024 * 1024;

/** An ApiError 'invalid' for more links to a request than one manifest may have. */
export function requireShortLinks(fileCount: number, queryString: string): void {
  const byteCount = fileCount * queryString.length;
  if (byteCount <= LINKS_BYTES_MAX) return;
  const msg =
    `The links to ${fileCount} files would take ${byteCount} bytes, more than ${LINKS_BYTES_MAX}: ` +
    'ask for fewer dates or identifiers';
  throw tooLarge(msg, LINKS_BYTES_MAX);
}

interface FileServices extends Pick<DataServices, 'engine' | 'factorTables' | 'madeWalks'> {
  readonly files: DeliveredFiles;
  readonly bulkSpool: Spool;
}

export function fileTools({ bulkSpool: spool, ...services }: FileServices): FileTools {
  const { engine, factorTables, madeWalks } = services;
  return { engine, factorTables, madeWalks, spool };
}

/** Some milliseconds of work. */
const FILES_PER_TURN = 100;

interface AskedFiles {
  readonly plans: readonly QueryPlan[];
  readonly fileFormat: FileFormat;
  /** Once there are so many rows, no more files are wanted. */
  readonly rowsMax?: number | undefined;
}

/**
 * Makes the files that are not there yet; those without rows are left out. None is held: what an
 * answer says of a file stays true when it has to go and is made again.
 */
export async function nameFiles(
  services: FileServices,
  { plans, fileFormat, rowsMax = Number.POSITIVE_INFINITY }: AskedFiles,
  signal: AbortSignal,
): Promise<NamedFile[]> {
  const named: NamedFile[] = [];
  let rowCount = 0;
  for (const plan of plans) {
    signal.throwIfAborted();
    if (rowCount >= rowsMax) break;
    const make = (stop: AbortSignal) => fileFormat.make(fileTools(services), plan, stop);
    // Cached files never wait, so without this other requests would not get a turn.
    if (named.length % FILES_PER_TURN === 0) await nextTurn();
    const fingerprint = fileFingerprint(plan, fileFormat);
    const file = await services.files.get(fingerprint, make, signal);
    file.release();
    rowCount += file.rowCount;
    if (file.rowCount > 0) named.push({ plan, fingerprint, file });
  }
  return named;
}

/**
 * Plans all rows; where `besides` is a version, only those of parts that it does not have. 0 has
 * none.
 */
export function planBesides(lake: Lake, besides: number | null): AskedRows['planAsked'] {
  if (besides === null) return planBulk;
  return async (input) => {
    const { dataset, snapshot } = input;
    if (snapshot === null) return await planBulk(input);
    const others = besides === 0 ? [] : (await snapshotOf(lake, dataset, besides)).parts;
    return await planBulk({ ...input, snapshot: withoutParts(snapshot, others) });
  };
}
