/**
 * The public catalogue, where the owner allows it: what there is, without a key, and a few rows of
 * samples.
 */
import { ENQUIRY_FIELDS } from '../admin/enquiry-operations.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { rowSource } from '../engine/row-source.ts';
import { JSON_FORMAT } from '../formats/json.ts';
import { pageTag, renderPage, wholeBody } from '../response/page.ts';
import { hasPublicSample, planSample } from '../site/public-samples.ts';
import { priceOf } from '../site/site-file.ts';
import { today } from '../time/market-time.ts';
import { COLUMN_LIST, SENT_ENQUIRY } from './answers.ts';
import { PUBLIC_CATALOGUE, ROW_PAGE } from './data-answers.ts';
import {
  type Exchange,
  type PublicEndpoint,
  publicEndpoint,
  type Services,
  type SiteServices,
} from './endpoint.ts';
import { takeEnquiry } from './enquiry.ts';
import { type StaticAnswer, sendStatic, staticAnswer } from './http-headers.ts';
import { catalogueEntry, columnView, coverageOf } from './meta-endpoints.ts';

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
        price: priceOf(site, dataset),
      };
    }),
  );
}

async function showSample(exchange: Exchange<SiteServices>) {
  const { services, request, reply } = exchange;
  const dataset = publicDataset(exchange);
  if (!hasPublicSample(services.site, dataset)) throw notFound();
  return sendStatic(request, reply, await publicSample(services, dataset));
}

async function sendEnquiry(exchange: Exchange<Services>) {
  requirePublic(exchange);
  return await takeEnquiry(exchange);
}

export const PUBLIC_ENDPOINTS: readonly PublicEndpoint[] = [
  publicEndpoint({
    endpoint: 'GET /public/datasets',
    operationId: 'listPublicDatasets',
    summary: 'The datasets of the public catalogue, where the owner has one',
    answer: PUBLIC_CATALOGUE,
    errorStatuses: [404],
    isTagged: true,
    handle: listPublic,
  }),
  publicEndpoint({
    endpoint: 'GET /public/datasets/:dataset_id/columns',
    operationId: 'listPublicDatasetColumns',
    summary: 'Columns of a dataset of the public catalogue',
    answer: COLUMN_LIST,
    isTagged: true,
    handle: (exchange) => publicDataset(exchange).columns.map(columnView),
  }),
  publicEndpoint({
    endpoint: 'GET /public/datasets/:dataset_id/sample',
    operationId: 'showPublicSample',
    summary: 'The first rows of the first day of a dataset, where the owner shows them to anybody',
    answer: ROW_PAGE,
    errorStatuses: [503, 504],
    isTagged: true,
    isStatic: true,
    handle: showSample,
  }),
  publicEndpoint({
    endpoint: 'POST /public/enquiries',
    operationId: 'sendEnquiry',
    summary: 'Ask the owner for access, from the page of the public catalogue',
    answer: SENT_ENQUIRY,
    body: ENQUIRY_FIELDS,
    errorStatuses: [404, 429],
    handle: sendEnquiry,
  }),
];

/** The account of nobody, whose turns all readers of samples share. */
const NOBODY = 0;

async function readSample(services: SiteServices, plan: QueryPlan): Promise<StaticAnswer> {
  const { engine, gate, spool, config, metrics } = services;
  const signal = AbortSignal.timeout(config.queryTimeoutMs);
  try {
    const { body, rowCount } = await gate.run(NOBODY, signal, () =>
      renderPage({
        ...{ plan, source: rowSource(engine, plan, signal), spool },
        ...{ format: JSON_FORMAT, pathParameters: [] },
      }),
    );
    metrics.scannedBytes.inc(plan.scannedBytes);
    metrics.rows.inc(rowCount);
    return staticAnswer(await wholeBody(body), JSON_FORMAT.contentType);
  } catch (error) {
    if (signal.aborted) throw new ApiError('timed out', 'Gateway timeout');
    throw error;
  }
}

/**
 * By the rule of samples alone, whoever asks. Rejects with an ApiError where it cannot be read now.
 */
export async function publicSample(
  services: SiteServices,
  dataset: Dataset,
): Promise<StaticAnswer> {
  const { lake, clock, config, samples } = services;
  const snapshot = await lake.snapshot(dataset.datasetId);
  const day = today(dataset.timeZone, clock.now());
  const plan = await planSample(dataset, snapshot, day, config);
  const tag = pageTag(plan, JSON_FORMAT, []);
  return await samples.get(dataset.datasetId, tag, () => readSample(services, plan));
}
