/** The types of both clients that the server's schemas come to now, by the files that have them. */

import { loadCatalog } from 'ticklake/catalog/load-catalog.ts';
import { ENDPOINTS } from 'ticklake/routes/endpoints.ts';
import { openApiDocument } from 'ticklake/routes/openapi.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { pythonOf } from './python-of.ts';
import { type ApiDocument, typescriptOf } from './typescript-of.ts';

/** Answers that the Python client takes apart; it hands on all others as they are. */
const READ_BY_PYTHON = [
  'DatasetList',
  'QueryForm',
  'DataScan',
  'Explanation',
  'Manifest',
  'OptionChain',
];

/** Paths of rows are left out: which ones there are is up to each server's datasets. */
export function generatedTypes(): readonly { readonly file: URL; readonly text: string }[] {
  const made = openApiDocument(ENDPOINTS, loadCatalog([]), readConfig({}));
  const document = made as unknown as ApiDocument;
  const python = '../clients/python/src/ticklake/_core/answers.py';
  return [
    { file: new URL('src/types.ts', import.meta.url), text: typescriptOf(document) },
    {
      file: new URL(python, import.meta.url),
      text: pythonOf(document, READ_BY_PYTHON, ['OptionChainContract']),
    },
  ];
}
