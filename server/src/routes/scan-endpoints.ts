/** Says what a page of rows would have to read, without reading it. */

import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import { DATA_SCAN } from './answers.ts';
import { type KeyedEndpoint, type KeyedExchange, keyedEndpoint } from './endpoint.ts';
import { planDataRequest, readDataRequest } from './plan-data-request.ts';

async function showScan(exchange: KeyedExchange) {
  const { plan } = await planDataRequest(exchange, readDataRequest(exchange));
  return {
    dataset_id: plan.dataset.datasetId,
    dataset_version: plan.version,
    rows_scanned: plan.scannedRows,
    bytes_scanned: plan.scannedBytes,
    files_scanned: plan.parts.length,
  };
}

/** One for each path shape, as of data endpoints. */
export const SCAN_ENDPOINTS: readonly KeyedEndpoint[] = Object.entries(PATH_PARAMETERS).map(
  ([shape, names]) =>
    keyedEndpoint({
      method: 'GET',
      path: ['/data-scan/:group/:segment', ...names.map((name) => `:${name}`)].join('/'),
      operationId: `show_${shape}_scan`,
      summary: 'What the same request under /data would read; takes the same query string',
      answer: DATA_SCAN,
      errorStatuses: [404],
      isPublic: false,
      takesQuery: true,
      handle: showScan,
    }),
);
