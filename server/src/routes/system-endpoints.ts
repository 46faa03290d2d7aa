/** Endpoints that need no key: the state of the service, and the public keys of its receipts. */

import { viewOf } from '../admin/views.ts';
import { isoSeconds } from '../base/clock.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import { ALERT_LIST, alertState, alertsOf } from '../operation/alerts.ts';
import { readinessProbe } from '../operation/readiness.ts';
import { boardUrl, type Refusal } from '../operation/request-board.ts';
import {
  PUBLICATION_LIST,
  RECEIPT_KEYS,
  REFUSED_REQUEST,
  REQUEST_BOARD,
  SYSTEM_STATUS,
} from './answers.ts';
import type { RunningRequest } from './count-request.ts';
import {
  type Exchange,
  type KeyedEndpoint,
  type KeyedExchange,
  keyedEndpoint,
  type PageServices,
  type PublicEndpoint,
  publicEndpoint,
  type ServerServices,
} from './endpoint.ts';
import { publicationView } from './meta-endpoints.ts';

/** A key is published before it signs, so whoever meets an unknown one may ask again at once. */
const KEYS_CACHED = 'public, max-age=300';

async function showStatus({ services }: Exchange<PageServices>) {
  const status: 'ok' | 'degraded' = (await services.lake.isReadable()) ? 'ok' : 'degraded';
  return { status, version: SERVICE_VERSION };
}

async function showReceiptKeys({ services, reply }: Exchange<PageServices>) {
  const { keys } = await services.receiptKeys.published();
  reply.header('cache-control', KEYS_CACHED);
  return { keys };
}

export const SYSTEM_ENDPOINTS: readonly PublicEndpoint[] = [
  publicEndpoint({
    endpoint: 'GET /status',
    operationId: 'showStatus',
    summary: 'The state and the version of the service',
    answer: SYSTEM_STATUS,
    handle: showStatus,
  }),
  publicEndpoint({
    endpoint: 'GET /receipts/keys',
    operationId: 'listReceiptKeys',
    summary: 'The public keys that receipts are verified with, as a JSON Web Key Set',
    answer: RECEIPT_KEYS,
    handle: showReceiptKeys,
  }),
];

async function listPublications({ services }: KeyedExchange<ServerServices>) {
  const { datasets } = services.catalog;
  return await Promise.all(datasets.map((dataset) => publicationView(services, dataset)));
}

function stateOf({ request, reply }: RunningRequest): 'waiting' | 'reading' | 'sending' {
  if (reply.raw.headersSent) return 'sending';
  return request.tally?.isWaiting ? 'waiting' : 'reading';
}

/** Nothing of a request whose caller is not known, or needs not be. */
function runningView(
  running: RunningRequest,
  { services, request: own }: KeyedExchange<ServerServices>,
) {
  const { request, startedAtMs } = running;
  const { tally } = request;
  if (!tally || request.id === own.id) return [];
  const { account, key } = tally.caller;
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  return {
    request_id: request.id,
    identity_id: account?.accountId ?? null,
    identity_name: account?.name ?? null,
    key_id: key?.keyId ?? null,
    person_id: tally.caller.key === null ? tally.caller.person.personId : null,
    method: request.method,
    path: boardUrl(request.originalUrl),
    dataset_id: tally.datasetId || null,
    state: stateOf(running),
    started_at: isoSeconds(services.clock.now() - elapsedMs),
    elapsed_ms: elapsedMs,
  };
}

function refusalView(refusal: Refusal) {
  const { atMs, account, url: path } = refusal;
  const [accountId, identityName] = [account?.accountId ?? null, account?.name ?? null];
  return viewOf(REFUSED_REQUEST, {
    ...refusal,
    at: isoSeconds(atMs),
    accountId,
    identityName,
    path,
  });
}

function showRequests(exchange: KeyedExchange<ServerServices>) {
  const { board } = exchange.services;
  return {
    running: board.running().flatMap((running) => runningView(running, exchange)),
    refused: board.refusals().map(refusalView),
  };
}

/** Whoever reads the answer of a server knows that it runs. */
async function listAlerts({ services }: KeyedExchange<ServerServices>) {
  const readiness = await readinessProbe(services, () => 'ok')();
  const nowMs = services.clock.now();
  return alertsOf(await alertState(services, readiness, nowMs));
}

export const OWNER_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    endpoint: 'GET /publication-status',
    operationId: 'listPublicationStatus',
    summary: 'The publication of each dataset: its status, its size, and its last ingest',
    answer: PUBLICATION_LIST,
    isAdminOnly: true,
    handle: listPublications,
  }),
  keyedEndpoint({
    endpoint: 'GET /requests',
    operationId: 'showRequests',
    summary: 'Running requests, and the last refused ones',
    answer: REQUEST_BOARD,
    isAdminOnly: true,
    handle: showRequests,
  }),
  keyedEndpoint({
    endpoint: 'GET /admin/alerts',
    operationId: 'listAlerts',
    summary:
      'Problems that need an owner now: failed and late datasets, the service, the disk, backups, refused requests',
    answer: ALERT_LIST,
    isAdminOnly: true,
    handle: listAlerts,
  }),
];
