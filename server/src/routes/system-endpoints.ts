/** What anybody may ask, without a key: the state of the service, and the public keys of its receipts. */

import { SERVICE_VERSION } from '../base/installation.ts';
import { RECEIPT_KEYS, SYSTEM_STATUS } from './answers.ts';
import {
  type Exchange,
  type PageServices,
  type PublicEndpoint,
  publicEndpoint,
} from './endpoint.ts';

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
    method: 'GET',
    path: '/status',
    operationId: 'showStatus',
    summary: 'Whether the service works, and its version',
    answer: SYSTEM_STATUS,
    errorStatuses: [],
    isPublic: true,
    handle: showStatus,
  }),
  publicEndpoint({
    method: 'GET',
    path: '/receipts/keys',
    operationId: 'listReceiptKeys',
    summary: 'The public keys that receipts are verified with, as a JSON Web Key Set',
    answer: RECEIPT_KEYS,
    errorStatuses: [],
    isPublic: true,
    handle: showReceiptKeys,
  }),
];
