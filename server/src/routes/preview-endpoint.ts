/** A few rows of a dataset as the account may read them, whatever else a request for rows would have to name. */
import type { FastifyReply } from 'fastify';
import type { Dataset } from '../catalog/dataset.ts';
import { PREVIEW_ROWS, planPreview } from '../plan/plan-preview.ts';
import type { PlannedRequest } from '../query/plan-request.ts';
import { accountOf, type ReaderNow } from '../query/reader.ts';
import { today } from '../time/market-time.ts';
import { servePage } from './data-endpoints.ts';
import type { DataEndpoint, PageExchange } from './endpoint.ts';
import { requestedDataset, requireRules } from './requested-dataset.ts';

export const PREVIEW_DESCRIPTION = {
  operationId: 'previewDataset',
  summary: `The first ${PREVIEW_ROWS} rows of the last week that the account may read`,
  description: 'Needs no identifier and no filter. Counts as a request for rows.',
};

async function planFirstRows(
  { services, caller }: ReaderNow,
  dataset: Dataset,
): Promise<PlannedRequest> {
  const { lake, clock, config } = services;
  const { identityId } = accountOf({ services, caller });
  const rules = requireRules({ services, caller }, dataset);
  const snapshot = await lake.snapshot(dataset.datasetId);
  const day = today(dataset.timeZone, clock.now());
  const { request, plan } = await planPreview({ dataset, snapshot, rules, today: day }, config);
  return {
    ...{ identityId, request, rules },
    plan: { ...plan, holder: identityId },
    pins: { parameters: {} },
    isOnlyPage: true,
    // It takes no parameters, so that nobody asks for a receipt.
    textOf: () => '',
    planAgain: (reader) => planFirstRows(reader, dataset),
  };
}

async function servePreview(exchange: PageExchange): Promise<FastifyReply> {
  const dataset = requestedDataset(exchange);
  return await servePage(exchange, await planFirstRows(exchange, dataset));
}

export const PREVIEW_ENDPOINT: DataEndpoint = {
  method: 'GET',
  path: '/meta/datasets/:dataset_id/preview',
  errorStatuses: [404, 504],
  isPublic: false,
  servesRows: true,
  handle: servePreview,
};
