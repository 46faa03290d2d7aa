/** A few rows of a dataset as the account may read them, whatever else a request for rows would have to name. */
import type { FastifyReply } from 'fastify';
import { rowSource } from '../engine/row-source.ts';
import { PREVIEW_ROWS, planPreview } from '../plan/plan-preview.ts';
import { today } from '../time/market-time.ts';
import { accountOf } from './account-of.ts';
import { answerPage, type PlannedRequest } from './answer-page.ts';
import type { DataEndpoint, KeyedExchange } from './endpoint.ts';
import { recheck } from './recheck.ts';
import { requestedDataset, requireRules } from './requested-dataset.ts';

export const PREVIEW_DESCRIPTION = {
  operationId: 'previewDataset',
  summary: `The first ${PREVIEW_ROWS} rows of the last week that the account may read`,
  description: 'Needs no identifier and no filter. Counts as a request for rows.',
};

async function planForCaller({
  services,
  caller,
  ...rest
}: KeyedExchange): Promise<PlannedRequest> {
  const { lake, clock, config } = services;
  const { identityId } = accountOf({ services, caller });
  const dataset = requestedDataset({ services, caller, ...rest });
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
  };
}

async function servePreview(exchange: KeyedExchange): Promise<FastifyReply> {
  const { engine, spool } = exchange.services;
  return answerPage(exchange, await planForCaller(exchange), {
    recheck: (asked) => recheck(exchange, asked, planForCaller),
    produce: ({ plan, request }, signal, render) =>
      render(plan, rowSource(engine, plan, signal), request.responseFormat, [], spool),
    hint: async () => null,
  });
}

export const PREVIEW_ENDPOINT: DataEndpoint = {
  method: 'GET',
  path: '/meta/datasets/:dataset_id/preview',
  errorStatuses: [404, 504],
  isPublic: false,
  servesRows: true,
  handle: servePreview,
};
