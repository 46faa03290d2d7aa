/**
 * A few rows of a dataset as the account may read them, whatever else a request for rows would have
 * to name.
 */

import type { FastifyReply } from 'fastify';
import type { Dataset } from '../catalog/dataset.ts';
import type { Lake } from '../lake/lake.ts';
import { planChanges } from '../plan/plan-changes.ts';
import { PREVIEW_ROWS, planPreview } from '../plan/plan-preview.ts';
import { requireOwnRules } from '../query/coverage.ts';
import { latestOf, type PlannedRequest, snapshotOf } from '../query/plan-request.ts';
import { accountOf, type ReaderNow } from '../query/reader.ts';
import { canonicalChanges } from '../receipts/canonical-request.ts';
import { type ChangesRequest, parseChangesRequest } from '../request/changes-request.ts';
import { today } from '../time/market-time.ts';
import { servePage } from './data-endpoints.ts';
import type { DataEndpoint, PageExchange } from './endpoint.ts';
import { requestedDataset } from './request-fields.ts';

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
  const { accountId } = accountOf({ services, caller });
  const rules = requireOwnRules({ services, caller }, dataset);
  const snapshot = await lake.snapshot(dataset.datasetId);
  const day = today(dataset.timeZone, clock.now());
  const { request, plan } = await planPreview({ dataset, snapshot, rules, today: day }, config);
  return {
    ...{ accountId, request, rules },
    plan: { ...plan, holder: accountId },
    pins: { parameters: {} },
    isOnlyPage: true,
    // A preview takes no parameters, so no receipt can be asked for.
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

async function serveChanges(exchange: PageExchange): Promise<FastifyReply> {
  const { accept } = exchange.request.headers;
  const { config } = exchange.services;
  const request = parseChangesRequest(exchange.queryString, accept, config);
  accountOf(exchange);
  const dataset = requestedDataset(exchange);
  return await servePage(exchange, await planChangedRows(exchange, dataset, request));
}

async function planChangedRows(
  { services, caller }: ReaderNow,
  dataset: Dataset,
  asked: ChangesRequest,
): Promise<PlannedRequest> {
  const { lake, clock } = services;
  const { accountId } = accountOf({ services, caller });
  const rules = requireOwnRules({ services, caller }, dataset);
  const from = await snapshotOf(lake, dataset, asked.from);
  const to = await laterSnapshot(lake, dataset, asked);
  const day = today(dataset.timeZone, clock.now());
  const planned = await planChanges({ request: asked, dataset, from, to, rules, today: day });
  const plan = { ...planned, holder: accountId };
  // The versions go into the file name suggested for a download.
  const request = { ...asked, pathParameters: ['changes', `${from.version}`, `${to.version}`] };
  return {
    ...{ accountId, request, rules, plan },
    pins: { parameters: { to: to.version }, latest: latestOf(plan) },
    textOf: () => canonicalChanges(request, plan, from.version),
    planAgain: (reader) => planChangedRows(reader, dataset, asked),
  };
}

async function laterSnapshot(lake: Lake, dataset: Dataset, { from, to }: ChangesRequest) {
  if (to !== null) return await snapshotOf(lake, dataset, to);
  return (await lake.snapshot(dataset.datasetId)) ?? (await snapshotOf(lake, dataset, from));
}

export const CHANGES_ENDPOINT: DataEndpoint = {
  method: 'GET',
  path: '/meta/datasets/:dataset_id/changes',
  errorStatuses: [404, 406, 504],
  isPublic: false,
  takesQuery: true,
  servesRows: true,
  handle: serveChanges,
};
