/** Data requests: one visible line of stages from the URL to a page of rows. */
import type { FastifyReply } from 'fastify';
import { requireAccount } from '../access/authenticate.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';
import { planQuery } from '../plan/plan-query.ts';
import { canonicalRequest } from '../receipts/canonical-request.ts';
import {
  chooseDataset,
  type DataRequest,
  type DataRequestInput,
  parseDataRequest,
} from '../request/data-request.ts';
import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import { renderPage } from '../response/render-page.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Replica } from '../store/replica.ts';
import { today } from '../time/market-time.ts';
import { answerPage, type PlannedRequest } from './answer-page.ts';
import { DATA_SCAN } from './answers.ts';
import { askedSnapshot } from './asked-version.ts';
import {
  type DataEndpoint,
  type KeyedEndpoint,
  type KeyedExchange,
  keyedEndpoint,
} from './endpoint.ts';
import { findHint } from './hint.ts';
import type { NextPage } from './next-link.ts';
import { recheck } from './recheck.ts';

async function serveData(exchange: KeyedExchange): Promise<FastifyReply> {
  const { engine, config } = exchange.services;
  const request = parseDataRequest(requestText(exchange), config);
  const planned = await planRequest(exchange, request);
  return answerPage(exchange, planned, {
    recheck: (asked) => recheck(exchange, asked, (again) => planRequest(again, request)),
    produce: ({ plan }, signal) =>
      renderPage(plan, engine.scan(plan, signal), request.responseFormat, request.pathParameters),
    hint: (current) => findHint(exchange, current),
  });
}

/** The path below its first segment, `{group}/{segment}/…`, and the query, both still encoded. */
function requestText({ path, queryString }: KeyedExchange): DataRequestInput {
  const [, , group = '', segment = '', ...pathParameters] = path.split('/');
  return { group, segment, pathParameters, queryString };
}

/** Plans the request for its caller. Rejects with an ApiError where there is nothing to plan. */
async function planRequest(
  { services, caller }: KeyedExchange,
  request: DataRequest,
): Promise<PlannedRequest> {
  const { catalog, store, lake, clock } = services;
  const { identityId } = requireAccount(caller);
  const dataset = chooseDataset(request, catalog);
  const rules = requireRules(store.replica, identityId, dataset);
  const snapshot = await askedSnapshot(lake, dataset, request.version);
  const day = today(dataset.timeZone, clock.now());
  const planned = await planQuery({ request, dataset, snapshot, rules, today: day });
  const plan = { ...planned, holder: identityId };
  return { identityId, request, rules, plan, pins: pinsOf(snapshot) };
}

/** A walk stays with the version of its first page, whatever is published meanwhile. */
function pinsOf(snapshot: DatasetSnapshot | null): NextPage {
  const parameters = snapshot ? { dataset_version: snapshot.version } : {};
  return { parameters, replaced: ['as_of'] };
}

/** The rules by which an account reads a dataset's rows, oldest window first; 'forbidden' without any. */
function requireRules(
  replica: Replica,
  identityId: number,
  dataset: Dataset,
): readonly AccessRule[] {
  const rules = replica.rulesOfDataset(identityId, dataset.datasetId);
  if (rules.length > 0) return rules;
  throw new ApiError(
    'forbidden',
    `The account is not authorized to access the dataset ${dataset.name}`,
  );
}

/** Says what a page of rows would have to read, without reading it. */
async function showScan(exchange: KeyedExchange) {
  const { config } = exchange.services;
  const request = parseDataRequest(requestText(exchange), config);
  const { plan } = await planRequest(exchange, request);
  return {
    dataset_id: plan.dataset.datasetId,
    dataset_version: plan.version,
    canonical_request: canonicalRequest(request, plan, config),
    rows_scanned: plan.scannedRows,
    bytes_scanned: plan.scannedBytes,
    files_scanned: plan.parts.length,
  };
}

function pathOf(first: string, parameters: readonly string[]): string {
  return [`/${first}/:group/:segment`, ...parameters.map((name) => `:${name}`)].join('/');
}

/** One for each path shape; each stands for many documented paths, one for each dataset. */
export const DATA_ENDPOINTS: readonly DataEndpoint[] = Object.values(PATH_PARAMETERS).map(
  (names) => ({
    method: 'GET',
    path: pathOf('data', names),
    errorStatuses: [404, 504],
    isPublic: false,
    takesQuery: true,
    servesRows: true,
    handle: serveData,
  }),
);

/** One for each path shape, as of data endpoints. */
export const SCAN_ENDPOINTS: readonly KeyedEndpoint[] = Object.entries(PATH_PARAMETERS).map(
  ([shape, names]) =>
    keyedEndpoint({
      method: 'GET',
      path: pathOf('data-scan', names),
      operationId: `show_${shape}_scan`,
      summary: 'What the same request under /data would read; takes the same query string',
      answer: DATA_SCAN,
      errorStatuses: [404],
      isPublic: false,
      takesQuery: true,
      handle: showScan,
    }),
);
