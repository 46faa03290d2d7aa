/** The state of the service, which needs no key. */

import { SERVICE_VERSION } from '../base/version.ts';
import { SYSTEM_STATUS } from './answers.ts';
import { type Exchange, type PublicEndpoint, publicEndpoint } from './endpoint.ts';

async function showStatus({ services }: Exchange) {
  const status: 'ok' | 'degraded' = (await services.lake.isReadable()) ? 'ok' : 'degraded';
  return { status, version: SERVICE_VERSION };
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
];
