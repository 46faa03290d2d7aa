/** Every endpoint of the interface, in one list. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import { OPEN_API_DOCUMENT } from './answers.ts';
import { AGGREGATE_ENDPOINTS, DATA_ENDPOINTS } from './data-endpoints.ts';
import { type Endpoint, type PublicEndpoint, publicEndpoint, type Services } from './endpoint.ts';
import { BULK_ENDPOINT, FILE_ENDPOINTS } from './file-endpoint.ts';
import { type Forms, sendForm, staticAnswer } from './http-headers.ts';
import { INGEST_ENDPOINTS } from './ingest-endpoints.ts';
import { LINK_ENDPOINTS } from './link-endpoints.ts';
import { MCP_ENDPOINT } from './mcp-endpoint.ts';
import { META_ENDPOINTS } from './meta-endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { dataDocument } from './openapi-data.ts';
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

const DOCUMENT_TYPE = 'application/json; charset=utf-8';

function wholeDocument({ catalog, config }: Services) {
  return openApiDocument(ENDPOINTS, catalog, config);
}

/** Smaller than gzip in 20 ms, where the best takes seconds. */
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

type DocumentRow = Pick<PublicEndpoint, 'operationId' | 'summary'> & { endpoint: `GET /${string}` };

/** Made once for each service: a document is large, and anybody may ask for it. */
function documentEndpoint(row: DocumentRow, make: (services: Services) => object): PublicEndpoint {
  const documents = new WeakMap<Services, Forms>();
  const formsOf = (services: Services) => {
    const body = Buffer.from(JSON.stringify(make(services)));
    const forms = new Map([
      ['', staticAnswer(body, DOCUMENT_TYPE)],
      ['br', staticAnswer(brotliCompressSync(body, FAST_BROTLI), DOCUMENT_TYPE)],
      ['gzip', staticAnswer(gzipSync(body), DOCUMENT_TYPE)],
    ]);
    documents.set(services, forms);
    return forms;
  };
  return publicEndpoint({
    ...row,
    answer: OPEN_API_DOCUMENT,
    isTagged: true,
    isStatic: true,
    handle: ({ services, request, reply }) =>
      sendForm(request, reply, documents.get(services) ?? formsOf(services)),
  });
}

const DOCUMENT_ENDPOINTS: readonly PublicEndpoint[] = [
  documentEndpoint(
    {
      endpoint: 'GET /openapi.json',
      operationId: 'showOpenApiDocument',
      summary: 'All of the interface, as an OpenAPI document',
    },
    wholeDocument,
  ),
  documentEndpoint(
    {
      endpoint: 'GET /openapi-data.json',
      operationId: 'showDataDocument',
      summary: 'The part of the OpenAPI document that reads rows, in less than 100 kB',
    },
    (services) => dataDocument(wholeDocument(services)),
  ),
];

export const ENDPOINTS: readonly Endpoint[] = [
  ...SYSTEM_ENDPOINTS,
  ...DOCUMENT_ENDPOINTS,
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
  ...AGGREGATE_ENDPOINTS,
  CHANGES_ENDPOINT,
  PREVIEW_ENDPOINT,
  ...SCAN_ENDPOINTS,
  BULK_ENDPOINT,
  MCP_ENDPOINT,
  ...FILE_ENDPOINTS,
  ...SHARING_ENDPOINTS,
  ...ADMIN_ENDPOINTS,
  ...OWNER_ENDPOINTS,
  ...INGEST_ENDPOINTS,
];
