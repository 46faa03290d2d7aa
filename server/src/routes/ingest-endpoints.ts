/**
 * Files that administrators send to be loaded, in one request or in several: `POST` begins an
 * upload, `PATCH` goes on at an offset, `HEAD` tells it, by the headers of the IETF's resumable
 * uploads.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { viewOf } from '../admin/views.ts';
import { ApiError } from '../base/errors.ts';
import { DEFINITIONS_FOLDER } from '../base/home-layout.ts';
import { furtherNamed } from '../catalog/load-catalog.ts';
import type { Upload } from '../ingest/uploads/upload.ts';
import { asOfNow } from '../query/reader.ts';
import type { Answer } from '../schema/answer.ts';
import type { Config } from '../settings/config.ts';
import { requireRight } from './admit.ts';
import { UPLOAD } from './answers.ts';
import {
  type IngestServices,
  type KeyedEndpoint,
  type KeyedExchange,
  keyedEndpoint,
} from './endpoint.ts';
import { sourceText } from './http-headers.ts';
import {
  bodyProblem,
  errorOf,
  INGEST_FIELDS,
  readIngestQuery,
  refusalOf,
  requireOpen,
} from './ingest-fields.ts';
import { actorOf } from './operation-endpoint.ts';

/** Small files are loaded by then; of larger ones the sender asks again. */
const END_WAIT_MS = 20_000;
const UPLOAD_PATH = '/ingest/uploads/:upload_id';

/** The headers say how far an upload has come, on errors as well. */
function uploadView({ services, reply, request }: KeyedExchange<IngestServices>, upload: Upload) {
  const { uploadId, state, offset } = upload;
  const [prefix] = request.originalUrl.split('/ingest/');
  reply.headers({
    location: `${prefix}/ingest/uploads/${uploadId}`,
    'upload-offset': `${offset}`,
    'upload-complete': state === 'receiving' ? '?0' : '?1',
  });
  return viewOf(UPLOAD, {
    ...upload,
    isComplete: state !== 'receiving',
    expiresAtMs: services.uploads.expiresAtMs(upload),
    report: upload.report as Answer<typeof UPLOAD>['report'],
    error: errorOf(upload),
  });
}

function isLastPart({ request }: KeyedExchange<IngestServices>): boolean {
  const given = request.headers['upload-complete'] ?? '?1';
  if (given === '?1' || given === '?0') return given === '?1';
  const msg = "'Upload-Complete' should be ?1 or ?0";
  throw new ApiError('invalid', [{ ...bodyProblem('illegal_value', msg, given), loc: ['header'] }]);
}

function offsetOf({ request }: KeyedExchange<IngestServices>): number {
  const given = `${request.headers['upload-offset'] ?? ''}`;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const msg = "'Upload-Offset' should be the number of bytes that have come, as a HEAD tells it";
  throw new ApiError('invalid', [{ ...bodyProblem('illegal_value', msg, given), loc: ['header'] }]);
}

async function receive(
  exchange: KeyedExchange<IngestServices>,
  upload: Upload,
  offset: number,
): Promise<void> {
  const { services, request } = exchange;
  const body = (request.body ?? Readable.from([])) as AsyncIterable<Buffer>;
  try {
    await services.uploads.receive(upload, offset, body);
  } catch (error) {
    uploadView(exchange, upload);
    if (!request.raw.destroyed || error instanceof ApiError) throw error;
    throw new ApiError('client gone', 'The client went away');
  }
}

/** Has the upload loaded, unless its sender has lost the right to that while it came. */
async function load(exchange: KeyedExchange<IngestServices>, upload: Upload) {
  const { services, endpoint } = exchange;
  requireRight((await asOfNow(exchange)).caller, endpoint);
  await services.uploads.complete(upload);
  await services.uploads.waitForEnd(upload, END_WAIT_MS);
  const view = uploadView(exchange, upload);
  if (upload.state === 'refused') throw refusalOf(upload);
  if (upload.state === 'failed')
    throw new ApiError(
      'unavailable',
      `As far as the server knows, nothing was published: ${upload.error}`,
    );
  if (upload.state === 'waiting' || upload.state === 'loading') exchange.reply.code(202);
  return view;
}

/** How a dataset comes to be known to the server; nothing: it is no further one. */
function furtherHint(id: string, { home, offeredDatasets }: Config): string {
  const { textId, datasetId } = furtherNamed(id) ?? {};
  if (!textId || !datasetId) return '';
  if (!existsSync(join(home, DEFINITIONS_FOLDER, `${textId}.yaml`)))
    return `; ticklake dataset add ${textId} adds it`;
  const isLeftOut =
    offeredDatasets.length > 0 &&
    ![textId, datasetId].some((each) => offeredDatasets.includes(each));
  return `; ${isLeftOut ? 'TICKLAKE_DATASETS leaves it out' : 'ticklake definitions reload takes it over'}`;
}

async function beginUpload(exchange: KeyedExchange<IngestServices>) {
  const { services, request, caller, reply } = exchange;
  const { dataset_id: id } = request.params as { dataset_id: string };
  const dataset = services.catalog.byId(id) ?? services.catalog.byTextId(id);
  if (!dataset) {
    const next = furtherHint(id, services.config);
    throw new ApiError('not found', `The dataset with the specified id is not found${next}`);
  }
  const isLast = isLastPart(exchange);
  const given = readIngestQuery(exchange, dataset);
  await requireOpen(services.lake, given.options);
  const upload = await services.uploads.create({
    datasetId: dataset.datasetId,
    ...given,
    actor: actorOf(caller),
    source: sourceText(request, services.config),
  });
  try {
    await receive(exchange, upload, 0);
    if (isLast) return await load(exchange, upload);
  } catch (error) {
    // Who sends all in one request does not go on with it.
    if (isLast && upload.state === 'receiving') await services.uploads.remove(upload);
    throw error;
  }
  reply.code(201);
  return uploadView(exchange, upload);
}

function uploadOf({ services, request }: KeyedExchange<IngestServices>): Promise<Upload> {
  return services.uploads.find((request.params as { upload_id: string }).upload_id);
}

async function goOn(exchange: KeyedExchange<IngestServices>) {
  const upload = await uploadOf(exchange);
  const isLast = isLastPart(exchange);
  await receive(exchange, upload, offsetOf(exchange));
  return isLast ? await load(exchange, upload) : uploadView(exchange, upload);
}

async function show(exchange: KeyedExchange<IngestServices>) {
  return uploadView(exchange, await uploadOf(exchange));
}

async function remove(exchange: KeyedExchange<IngestServices>) {
  const upload = await uploadOf(exchange);
  await exchange.services.uploads.remove(upload);
  return uploadView(exchange, upload);
}

const FOR_ADMINISTRATORS = { isAdminOnly: true, answer: UPLOAD } as const;
const LOADING = { 202: 'All bytes have come; the load has not ended yet' };

export const INGEST_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    ...FOR_ADMINISTRATORS,
    endpoint: 'POST /ingest/:dataset_id',
    operationId: 'ingestFile',
    summary: 'Load a file into a dataset and publish its rows, or begin to send one in parts',
    query: INGEST_FIELDS,
    takesBytes: true,
    furtherStatuses: { 201: 'The upload has begun, and more is to come', ...LOADING },
    errorStatuses: [409],
    handle: beginUpload,
  }),
  keyedEndpoint({
    ...FOR_ADMINISTRATORS,
    endpoint: `GET ${UPLOAD_PATH}`,
    operationId: 'showUpload',
    summary: 'The progress of an upload, and the result of its load',
    handle: show,
  }),
  keyedEndpoint({
    ...FOR_ADMINISTRATORS,
    endpoint: `HEAD ${UPLOAD_PATH}`,
    operationId: 'checkUpload',
    summary: 'The progress of an upload, in headers alone',
    handle: show,
  }),
  keyedEndpoint({
    ...FOR_ADMINISTRATORS,
    endpoint: `PATCH ${UPLOAD_PATH}`,
    operationId: 'continueUpload',
    summary: 'Send more of an upload, from the offset that it has come to',
    takesBytes: true,
    furtherStatuses: LOADING,
    errorStatuses: [409],
    handle: goOn,
  }),
  keyedEndpoint({
    ...FOR_ADMINISTRATORS,
    endpoint: `DELETE ${UPLOAD_PATH}`,
    operationId: 'deleteUpload',
    summary: 'Remove an upload and what has come of it',
    errorStatuses: [409],
    handle: remove,
  }),
];
