/** Cost of a data request, and the rules that decide about it, without reading rows. */
import {
  allowanceFor,
  bytesAbout,
  coarsely,
  quotasLeft,
  rowsAtLeast,
  rowsAtMost,
} from '../delivery/manifest.ts';
import { isMade, type QueryPlan } from '../engine/query-plan.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { planQuery } from '../plan/plan-query.ts';
import { mayCountScan } from '../query/coverage.ts';
import { explainRequest } from '../query/explain.ts';
import { planBySymbols } from '../query/plan-by-symbols.ts';
import { accountOf } from '../query/reader.ts';
import { chooseDataset, PATH_PARAMETERS, parseDataRequest } from '../request/data-request.ts';
import { shownTerms } from './account-endpoints.ts';
import { DATA_SCAN, EXPLANATION } from './answers.ts';
import { dataPath, doorText, requestText } from './data-endpoints.ts';
import { type KeyedEndpoint, keyedEndpoint, type PageExchange } from './endpoint.ts';
import { STATUS_OF } from './error-status.ts';

/** Upper bounds for all pages from the request's offset on, in each format. */
function walkEstimates(plan: QueryPlan, { config, pageRates }: PageExchange['services']) {
  const rowCount = rowsAtMost(plan);
  return {
    row_count_max: rowCount,
    formats: FORMATS.map(({ name, rowLimits }) => ({
      response_format: name,
      page_count_max: Math.ceil(rowCount / rowLimits(config).max),
      byte_count_estimate: bytesAbout(plan, name, rowCount),
      // Rows that are made take longer.
      seconds_estimate: isMade(plan) ? null : pageRates.secondsFor(name, rowCount),
    })),
  };
}

/** Tells what is left of the quotas, and if the walk fits in the request's own format. */
async function quotasFor(
  { services, caller }: PageExchange,
  accountId: number,
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
  const used = await services.usage.counters.read(accountId);
  return {
    allowance: allowanceFor(claim, limits, used),
    minute: quotasLeft('minute', limits, used),
  };
}

/** Says what a page of rows would have to read, without reading it. */
async function showScan(exchange: PageExchange, textOf = requestText) {
  const { config } = exchange.services;
  const request = parseDataRequest({ ...textOf(exchange), accept: undefined }, config);
  const dataset = chooseDataset(request, exchange.services.catalog);
  const asked = { dataset, request, planAsked: planQuery };
  const { planned, headers } = await planBySymbols(exchange, asked);
  const { plan, accountId, rules } = planned;
  exchange.reply.headers(headers);
  const isExact = await mayCountScan(exchange.services, plan, rules);
  const told = isExact ? plan : coarsely(plan);
  return {
    dataset_id: plan.dataset.datasetId,
    dataset_version: plan.version,
    factors_version: plan.restatement?.factors.version ?? null,
    rolls_version: plan.rolls?.version ?? null,
    canonical_request: planned.textOf(),
    rows_scanned: told.scannedRows,
    bytes_scanned: told.scannedBytes,
    files_scanned: isExact ? plan.parts.length : null,
    is_exact: isExact,
    row_count_min: isExact ? rowsAtLeast(plan) : 0,
    ...walkEstimates(told, exchange.services),
    ...(await quotasFor(exchange, accountId, told, request.responseFormat)),
  };
}

/** Explains which rules decide about the request, without reading rows. */
async function showExplanation(exchange: PageExchange) {
  const { catalog, config } = exchange.services;
  const request = parseDataRequest({ ...doorText(exchange), accept: undefined }, config);
  const dataset = chooseDataset(request, catalog);
  const { rules, refusal, canonicalRequest, decisions } = await explainRequest(exchange, {
    ...{ dataset, request, planAsked: planQuery },
  });
  return {
    dataset_id: dataset.datasetId,
    status: refusal === null ? 200 : STATUS_OF[refusal],
    canonical_request: canonicalRequest,
    rules: rules.map((rule) => ({
      dataset_id: rule.datasetId,
      ...shownTerms(rule),
      is_of_plan: rule.offerId !== null,
    })),
    decisions: decisions.map((each) => ({
      ...each,
      rules: each.rules.map((rule) => rules.indexOf(rule)),
    })),
  };
}

/** Three for each path shape, as of data endpoints; a scan is the same answer as an estimate. */
export const SCAN_ENDPOINTS: readonly KeyedEndpoint[] = Object.entries(PATH_PARAMETERS).flatMap(
  ([shape, names]) => [
    keyedEndpoint({
      endpoint: `GET ${dataPath('data-scan', names)}`,
      operationId: `show_${shape}_scan`,
      summary: 'The cost of the same request under /data; takes the same query string',
      answer: DATA_SCAN,
      takesQuery: true,
      handle: (exchange) => showScan(exchange),
    }),
    keyedEndpoint({
      endpoint: `GET ${dataPath('data', names)}/estimate`,
      operationId: `estimate_${shape}_rows`,
      summary: 'The cost of the same request without its last segment; takes its query string',
      answer: DATA_SCAN,
      takesQuery: true,
      handle: (exchange) => showScan(exchange, doorText),
    }),
    keyedEndpoint({
      endpoint: `GET ${dataPath('data', names)}/explain`,
      operationId: `explain_${shape}_rows`,
      summary: 'Which rules decide about the same request without its last segment, and how',
      answer: EXPLANATION,
      takesQuery: true,
      handle: showExplanation,
    }),
  ],
);
