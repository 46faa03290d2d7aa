/** The types that the server's schemas come to now. */

import { loadCatalog } from 'ticklake/catalog/load-catalog.ts';
import { ENDPOINTS } from 'ticklake/routes/endpoints.ts';
import { openApiDocument } from 'ticklake/routes/openapi.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { type ApiDocument, typescriptOf } from './typescript-of.ts';

export const TYPES_FILE = new URL('src/types.ts', import.meta.url);

/** Paths of rows are left out: which ones there are is up to each server's datasets. */
export function generatedTypes(): string {
  const document = openApiDocument(ENDPOINTS, loadCatalog([]), readConfig({}));
  return typescriptOf(document as unknown as ApiDocument);
}
