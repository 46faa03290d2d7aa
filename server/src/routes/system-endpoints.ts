/** The state of the service, which needs no key. */
import { SERVICE_VERSION } from '../base/version.ts';
import type { Exchange, PublicEndpoint } from './endpoint.ts';

function showStatus({ services }: Exchange) {
  return { status: services.lake.isReadable() ? 'ok' : 'degraded', version: SERVICE_VERSION };
}

export const SYSTEM_ENDPOINTS: readonly PublicEndpoint[] = [
  {
    method: 'GET',
    path: '/status',
    operationId: 'showStatus',
    summary: 'Whether the service works, and its version',
    responseSchema: 'SystemStatus',
    errorStatuses: [],
    isPublic: true,
    handle: showStatus,
  },
];
