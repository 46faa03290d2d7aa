/** Data requests: one visible line of stages from the URL to a page of rows. */
import type { FastifyReply } from 'fastify';
import { bytesAbout, coarsely, rowsAtMost } from '../delivery/estimates.ts';
import { allowanceFor } from '../delivery/manifest.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { planSource } from '../intervals/plan-source.ts';
import { canonicalRequest } from '../receipts/canonical-request.ts';
import { type DataRequestInput, parseDataRequest } from '../request/data-request.ts';
import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import type { Config } from '../settings/config.ts';
import { accountOf } from './account-of.ts';
import { answerPage } from './answer-page.ts';
import { DATA_SCAN } from './answers.ts';
import {
  type DataEndpoint,
  type KeyedEndpoint,
  type KeyedExchange,
  keyedEndpoint,
} from './endpoint.ts';
import { findHint } from './hint.ts';
import { planBySymbols } from './plan-by-symbols.ts';
import { PAGE, planRequest } from './plan-request.ts';
import { mayCountScan } from './readable-by.ts';
import { recheck } from './recheck.ts';
import { unadjustedHeader } from './unadjusted.ts';

async function serveData(exchange: KeyedExchange): Promise<FastifyReply> {
  const { services } = exchange;
  const { config, spool } = services;
  const { accept } = exchange.request.headers;
  const request = parseDataRequest({ ...requestText(exchange), accept }, config);
  const { planned, headers } = await planBySymbols(exchange, request, PAGE);
  const { responseFormat, pathParameters } = planned.request;
  return answerPage(exchange, planned, {
    headers: { ...headers, ...(await unadjustedHeader(exchange, planned)) },
    recheck: (asked) =>
      recheck(exchange, asked, (again) =>
        planRequest(again, planned.request, PAGE, asked.plan.rolls),
      ),
    produce: ({ plan }, signal, render) =>
      render(plan, planSource(services, plan, signal), responseFormat, pathParameters, spool),
    hint: (current) => findHint(exchange, current),
  });
}

/** The path below its first segment, `{group}/{segment}/…`, and the query, both still encoded. */
function requestText({ path, queryString }: KeyedExchange): DataRequestInput {
  const [, , group = '', segment = '', ...pathParameters] = path.split('/');
  return { group, segment, pathParameters, queryString };
}

/** What all pages from the request's offset on may come to, in each format. */
function walkEstimates(plan: QueryPlan, config: Config) {
  const rowCount = rowsAtMost(plan);
  return {
    row_count_max: rowCount,
    formats: FORMATS.map(({ name, rowLimits }) => ({
      response_format: name,
      page_count_max: Math.ceil(rowCount / rowLimits(config).max),
      byte_count_estimate: bytesAbout(plan, name, rowCount),
    })),
  };
}

/** Whether such a walk fits into what is left, in the request's own format. */
async function walkAllowance(
  { services, caller }: KeyedExchange,
  identityId: number,
  plan: QueryPlan,
  { name, rowLimits }: Format,
) {
  const rowCount = rowsAtMost(plan);
  const requestCount = Math.max(1, Math.ceil(rowCount / rowLimits(services.config).max));
  const claim = {
    requestCount,
    returnedBytes: bytesAbout(plan, name, rowCount),
    // Each page of a walk scans what the first one does.
    scannedBytes: plan.scannedBytes * requestCount,
  };
  const { limits } = accountOf({ services, caller });
  return allowanceFor(claim, limits, await services.usage.read(identityId));
}

/** Says what a page of rows would have to read, without reading it. */
async function showScan(exchange: KeyedExchange) {
  const { config } = exchange.services;
  const request = parseDataRequest(requestText(exchange), config);
  const { planned, headers } = await planBySymbols(exchange, request, PAGE);
  const { plan, identityId, rules } = planned;
  exchange.reply.headers(headers);
  const isExact = await mayCountScan(exchange, plan, rules);
  const told = isExact ? plan : coarsely(plan);
  return {
    dataset_id: plan.dataset.datasetId,
    dataset_version: plan.version,
    factors_version: plan.restatement?.factors.version ?? null,
    rolls_version: plan.rolls?.version ?? null,
    canonical_request: canonicalRequest(planned.request, plan, config),
    rows_scanned: told.scannedRows,
    bytes_scanned: told.scannedBytes,
    files_scanned: isExact ? plan.parts.length : null,
    is_exact: isExact,
    ...walkEstimates(told, config),
    allowance: await walkAllowance(exchange, identityId, told, request.responseFormat),
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
    errorStatuses: [404, 406, 504],
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
