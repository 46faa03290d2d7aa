/** Requests for the rows that changed between two versions: pages like those of data requests. */
import type { FastifyReply } from 'fastify';
import { rowSource } from '../engine/row-source.ts';
import { planChanges } from '../plan/plan-changes.ts';
import { canonicalChanges } from '../receipts/canonical-request.ts';
import { type ChangesRequest, parseChangesRequest } from '../request/changes-request.ts';
import { today } from '../time/market-time.ts';
import { accountOf } from './account-of.ts';
import { answerPage, type PlannedRequest } from './answer-page.ts';
import { snapshotOf } from './asked-version.ts';
import type { DataEndpoint, KeyedExchange } from './endpoint.ts';
import { recheck } from './recheck.ts';
import { requestedDataset, requireRules } from './requested-dataset.ts';

async function serveChanges(exchange: KeyedExchange): Promise<FastifyReply> {
  const { engine, config, spool } = exchange.services;
  const request = parseChangesRequest(
    exchange.queryString,
    exchange.request.headers.accept,
    config,
  );
  const planned = await planRequest(exchange, request);
  return answerPage(exchange, planned, {
    recheck: (asked) => recheck(exchange, asked, (again) => planRequest(again, request)),
    produce: ({ plan, request: { pathParameters } }, signal, render) =>
      render(plan, rowSource(engine, plan, signal), request.responseFormat, pathParameters, spool),
    hint: async () => null,
  });
}

async function planRequest(
  exchange: KeyedExchange,
  asked: ChangesRequest,
): Promise<PlannedRequest> {
  const { services, caller } = exchange;
  const { lake, clock } = services;
  const { identityId } = accountOf({ services, caller });
  const dataset = requestedDataset(exchange);
  const rules = requireRules(exchange, dataset);
  const from = await snapshotOf(lake, dataset, asked.from);
  const to = await laterSnapshot(exchange, asked);
  const day = today(dataset.timeZone, clock.now());
  const planned = await planChanges({ request: asked, dataset, from, to, rules, today: day });
  const plan = { ...planned, holder: identityId };
  // They go into the name that is suggested for a download.
  const request = { ...asked, pathParameters: ['changes', `${from.version}`, `${to.version}`] };
  const pins = { parameters: { to: to.version } };
  const textOf = () => canonicalChanges(request, plan, from.version);
  return { identityId, request, rules, plan, pins, textOf };
}

async function laterSnapshot(exchange: KeyedExchange, { from, to }: ChangesRequest) {
  const { lake } = exchange.services;
  const dataset = requestedDataset(exchange);
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
