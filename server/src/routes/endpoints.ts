/** Every endpoint of the interface, in one list. */

import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import { OPEN_API_DOCUMENT } from './answers.ts';
import { DATA_ENDPOINTS } from './data-endpoints.ts';
import { type Endpoint, publicEndpoint, type Services } from './endpoint.ts';
import { BULK_ENDPOINT, FILE_ENDPOINTS } from './file-endpoint.ts';
import { type StaticAnswer, sendStatic, staticAnswer } from './http-headers.ts';
import { INGEST_ENDPOINTS } from './ingest-endpoints.ts';
import { LINK_ENDPOINTS } from './link-endpoints.ts';
import { META_ENDPOINTS } from './meta-endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { ADMIN_ENDPOINTS } from './operation-endpoint.ts';
import { OPTION_CHAIN_ENDPOINT } from './option-chain-endpoint.ts';
import { CHANGES_ENDPOINT, PREVIEW_ENDPOINT } from './preview-and-changes.ts';
import { PUBLIC_ENDPOINTS } from './public-endpoints.ts';
import { SCAN_ENDPOINTS } from './scan-endpoints.ts';
import { SECOND_FACTOR_ENDPOINTS } from './second-factor-endpoints.ts';
import { OWN_SESSION_ENDPOINTS, SESSION_ENDPOINTS } from './session-endpoints.ts';
import { SHARING_ENDPOINTS } from './sharing-endpoints.ts';
import { SYMBOLOGY_ENDPOINTS } from './symbology-endpoints.ts';
import { OWNER_ENDPOINTS, SYSTEM_ENDPOINTS } from './system-endpoints.ts';
import { PUBLICATION_FEED_ENDPOINT, VERSION_ENDPOINTS } from './version-endpoints.ts';

/** Made once for each service: it is large, and anybody may ask for it. */
const documents = new WeakMap<Services, StaticAnswer>();

function documentOf(services: Services): StaticAnswer {
  const known = documents.get(services);
  if (known) return known;
  const { catalog, config } = services;
  const text = JSON.stringify(openApiDocument(ENDPOINTS, catalog, config));
  const made = staticAnswer(Buffer.from(text), 'application/json; charset=utf-8');
  documents.set(services, made);
  return made;
}

const DOCUMENT_ENDPOINT = publicEndpoint({
  endpoint: 'GET /openapi.json',
  operationId: 'showOpenApiDocument',
  summary: 'This document',
  answer: OPEN_API_DOCUMENT,
  isTagged: true,
  isStatic: true,
  handle: ({ services, request, reply }) => sendStatic(request, reply, documentOf(services)),
});

export const ENDPOINTS: readonly Endpoint[] = [
  ...SYSTEM_ENDPOINTS,
  DOCUMENT_ENDPOINT,
  ...PUBLIC_ENDPOINTS,
  ...SESSION_ENDPOINTS,
  ...LINK_ENDPOINTS,
  ...OWN_SESSION_ENDPOINTS,
  ...SECOND_FACTOR_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...META_ENDPOINTS,
  ...VERSION_ENDPOINTS,
  ...SYMBOLOGY_ENDPOINTS,
  OPTION_CHAIN_ENDPOINT,
  PUBLICATION_FEED_ENDPOINT,
  ...DATA_ENDPOINTS,
  CHANGES_ENDPOINT,
  PREVIEW_ENDPOINT,
  ...SCAN_ENDPOINTS,
  BULK_ENDPOINT,
  ...FILE_ENDPOINTS,
  ...SHARING_ENDPOINTS,
  ...ADMIN_ENDPOINTS,
  ...OWNER_ENDPOINTS,
  ...INGEST_ENDPOINTS,
];
