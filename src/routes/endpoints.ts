/** Every endpoint of the interface, in one list. */
import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import { ADMIN_ENDPOINTS } from './admin-endpoints.ts';
import { DATA_ENDPOINTS } from './data-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { META_ENDPOINTS } from './meta-endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { OWNER_ENDPOINTS } from './owner-endpoints.ts';
import { SCAN_ENDPOINTS } from './scan-endpoints.ts';
import { SESSION_ENDPOINTS } from './session-endpoints.ts';
import { SYSTEM_ENDPOINTS } from './system-endpoints.ts';

const DOCUMENT_ENDPOINT: Endpoint = {
  method: 'GET',
  path: '/openapi.json',
  operationId: 'showOpenApiDocument',
  summary: 'This document',
  responseSchema: 'OpenApiDocument',
  errorStatuses: [],
  isPublic: true,
  isTagged: true,
  handle: ({ services }) => openApiDocument(ENDPOINTS, services.catalog, services.config),
};

export const ENDPOINTS: readonly Endpoint[] = [
  ...SYSTEM_ENDPOINTS,
  DOCUMENT_ENDPOINT,
  ...SESSION_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...META_ENDPOINTS,
  ...DATA_ENDPOINTS,
  ...SCAN_ENDPOINTS,
  ...ADMIN_ENDPOINTS,
  ...OWNER_ENDPOINTS,
];
