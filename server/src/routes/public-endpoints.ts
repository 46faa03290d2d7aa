/** The public catalogue, where the owner allows it: what there is, without a key, and a few rows of samples. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { hasPublicSample } from '../site/public-samples.ts';
import { COLUMN_LIST } from './answers.ts';
import { PUBLIC_CATALOGUE, ROW_PAGE } from './catalogue-answers.ts';
import { catalogueEntry, coverageOf } from './catalogue-entry.ts';
import { columnView } from './dataset-views.ts';
import {
  type Exchange,
  type PublicEndpoint,
  publicEndpoint,
  type SiteServices,
} from './endpoint.ts';
import { publicSample } from './public-sample.ts';
import { sendStatic } from './static-answer.ts';

function notFound(): ApiError {
  return new ApiError('not found', 'Not Found');
}

/** Throws an ApiError 'not found', as for any other path, where the catalogue is not public. */
function requirePublic({ services }: Exchange<SiteServices>): void {
  if (!services.site.hasPublicCatalogue) throw notFound();
}

function publicDataset(exchange: Exchange<SiteServices>): Dataset {
  requirePublic(exchange);
  const { dataset_id: datasetId } = exchange.request.params as { dataset_id: string };
  const dataset = exchange.services.catalog.byId(datasetId);
  if (!dataset) throw notFound();
  return dataset;
}

async function listPublic(exchange: Exchange<SiteServices>) {
  requirePublic(exchange);
  const { catalog, lake, site } = exchange.services;
  return await Promise.all(
    catalog.datasets.map(async (dataset) => {
      const snapshot = await lake.snapshot(dataset.datasetId);
      return {
        ...catalogueEntry(dataset, snapshot),
        ...coverageOf(snapshot),
        row_count: snapshot?.rowCount ?? 0,
        stored_bytes: snapshot?.byteCount ?? 0,
        has_sample: hasPublicSample(site, dataset),
      };
    }),
  );
}

function listColumns(exchange: Exchange<SiteServices>) {
  return publicDataset(exchange).columns.map(columnView);
}

async function showSample(exchange: Exchange<SiteServices>) {
  const { services, request, reply } = exchange;
  const dataset = publicDataset(exchange);
  if (!hasPublicSample(services.site, dataset)) throw notFound();
  return sendStatic(request, reply, await publicSample(services, dataset));
}

export const PUBLIC_ENDPOINTS: readonly PublicEndpoint[] = [
  publicEndpoint({
    method: 'GET',
    path: '/public/datasets',
    operationId: 'listPublicDatasets',
    summary: 'The datasets of the public catalogue, where the owner has one',
    answer: PUBLIC_CATALOGUE,
    errorStatuses: [404],
    isPublic: true,
    isTagged: true,
    handle: listPublic,
  }),
  publicEndpoint({
    method: 'GET',
    path: '/public/datasets/:dataset_id/columns',
    operationId: 'listPublicDatasetColumns',
    summary: 'Columns of a dataset of the public catalogue',
    answer: COLUMN_LIST,
    errorStatuses: [404],
    isPublic: true,
    isTagged: true,
    handle: listColumns,
  }),
  publicEndpoint({
    method: 'GET',
    path: '/public/datasets/:dataset_id/sample',
    operationId: 'showPublicSample',
    summary: 'The first rows of the first day of a dataset, where the owner shows them to anybody',
    answer: ROW_PAGE,
    errorStatuses: [404, 503, 504],
    isPublic: true,
    isTagged: true,
    isStatic: true,
    handle: showSample,
  }),
];
