/** The catalogue: what datasets there are, their columns, coverage and publication status. */

import { QUOTE_CONDITION_USES, TRADE_CONDITION_USES } from '@ticklake/market/condition-uses.ts';
import type { Dataset } from '../catalog/dataset.ts';
import {
  adjustedColumnsOf,
  conditionKindsOf,
  type DatasetRule,
  rulesOf,
} from '../derive/dataset-rules.ts';
import {
  COVERAGE_QUERY,
  requireOwnRules,
  rowsCountedFor,
  showCoverage,
} from '../query/coverage.ts';
import type { AccessRule } from '../store/access-rules.ts';
import {
  COLUMN_LIST,
  DATASET_COVERAGE,
  DATASET_INFO,
  DATASET_LIST,
  DATASET_RULES,
  DATASET_STATUS,
  QUERY_FORM,
} from './answers.ts';
import { CATALOGUE } from './data-answers.ts';
import {
  catalogueEntry,
  columnView,
  coverageOf,
  datasetPath,
  datasetRow,
  queryForm,
  statusView,
} from './dataset-views.ts';
import { type DataExchange, type KeyedEndpoint, keyedEndpoint } from './endpoint.ts';
import { requestOrigin } from './http-headers.ts';
import { readQuery, requestedDataset } from './request-fields.ts';

async function listRows({ services }: DataExchange, datasets: readonly Dataset[]) {
  return await Promise.all(
    datasets.map(async (dataset) =>
      datasetRow(dataset, await services.lake.snapshot(dataset.datasetId)),
    ),
  );
}

/** All rules of the caller's account; none without one. */
function ownRules({ services, caller }: DataExchange): readonly AccessRule[] {
  const { account } = caller;
  return account ? services.store.replica.rulesOf(account.accountId) : [];
}

/** Which dates and how many rows there are is for those who may read them. */
async function showCatalogue(exchange: DataExchange) {
  const { services } = exchange;
  const { catalog, lake } = services;
  const byDataset = Map.groupBy(ownRules(exchange), ({ datasetId }) => datasetId);
  return await Promise.all(
    catalog.datasets.map(async (dataset) => {
      const snapshot = await lake.snapshot(dataset.datasetId);
      const own = byDataset.get(dataset.datasetId) ?? [];
      const isEntitled = own.length > 0;
      return {
        ...catalogueEntry(dataset, snapshot),
        is_entitled: isEntitled,
        ...coverageOf(isEntitled ? snapshot : null),
        row_count: await rowsCountedFor(services, dataset, own),
      };
    }),
  );
}

function listAll(exchange: DataExchange) {
  return listRows(exchange, exchange.services.catalog.datasets);
}

function listMine(exchange: DataExchange) {
  const entitledIds = new Set(ownRules(exchange).map((rule) => rule.datasetId));
  const { datasets } = exchange.services.catalog;
  return listRows(
    exchange,
    datasets.filter(({ datasetId }) => entitledIds.has(datasetId)),
  );
}

/** Link to the dataset's parameters and answers in the OpenAPI document. */
function documentationLink(exchange: DataExchange, dataset: Dataset): string {
  const { config } = exchange.services;
  const pointer = encodeURI(datasetPath(dataset).replaceAll('~', '~0').replaceAll('/', '~1'));
  const origin = requestOrigin(exchange.request, config);
  return `${origin}${config.prefixes[0]}/openapi.json#/paths/${pointer}`;
}

async function showInfo(exchange: DataExchange) {
  const dataset = requestedDataset(exchange);
  const snapshot = await exchange.services.lake.snapshot(dataset.datasetId);
  return {
    ...datasetRow(dataset, snapshot),
    description: dataset.description,
    dataset_class: dataset.datasetClass,
    dataset_format: dataset.datasetFormat,
    time_granularity: dataset.timeGranularity,
    documentation_link: documentationLink(exchange, dataset),
    start_date: snapshot?.firstDate ?? dataset.startDate ?? dataset.creationDate,
    end_date: dataset.endDate,
    is_time_series: dataset.isTimeSeries,
    universe_identifier: dataset.universeIdentifier ?? '',
    creation_date: dataset.creationDate,
  };
}

function listColumns(exchange: DataExchange) {
  return requestedDataset(exchange).columns.map(columnView);
}

async function showStatus(exchange: DataExchange) {
  const dataset = requestedDataset(exchange);
  const rules = requireOwnRules(exchange, dataset);
  const status = await statusView(exchange.services, dataset);
  if (status.version === 0) return status;
  return { ...status, row_count: await rowsCountedFor(exchange.services, dataset, rules) };
}

function showQueryForm(exchange: DataExchange) {
  const { catalog, config } = exchange.services;
  return queryForm(requestedDataset(exchange), catalog, ownRules(exchange), config);
}

/** As requests name it; null: the dataset has no variants to choose from. */
function aggregationLogicOf({ services }: DataExchange, { variant }: Dataset): string | null {
  const { aggregationLogic = null } = variant;
  return aggregationLogic === 'vendor_default'
    ? services.config.vendorAggregationLogic
    : aggregationLogic;
}

function showRule({ computation, meaning, ruleVersion, inputs, parameters }: DatasetRule) {
  return {
    ...{ computation, meaning, rule_version: ruleVersion },
    inputs: inputs.map(({ role, dataset: { datasetId, textId } }) => ({
      role,
      dataset_id: datasetId,
      dataset_text_id: textId,
    })),
    parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
  };
}

function derivedFrom(exchange: DataExchange, dataset: Dataset) {
  const rules = rulesOf(exchange.services.catalog, dataset);
  if (!rules) return null;
  return {
    ...showRule(rules),
    aggregation_logic: aggregationLogicOf(exchange, dataset),
    otherwise: rules.otherwise && showRule(rules.otherwise),
  };
}

function showRules(exchange: DataExchange) {
  const dataset = requestedDataset(exchange);
  const kinds = conditionKindsOf(exchange.services.catalog, dataset);
  return {
    dataset_id: dataset.datasetId,
    derived_from: derivedFrom(exchange, dataset),
    adjusted_columns: adjustedColumnsOf(dataset),
    interval_columns: [...(dataset.intervals?.columns ?? [])].map(([name, rule]) => ({
      ...{ name, rule: rule.kind },
      by: 'other' in rule ? rule.other : null,
    })),
    trade_conditions: kinds.has('trade') ? TRADE_CONDITION_USES : [],
    quote_conditions: kinds.has('quote') ? QUOTE_CONDITION_USES : [],
  };
}

export const RULES_ENDPOINT = keyedEndpoint({
  endpoint: 'GET /meta/datasets/:dataset_id/rules',
  operationId: 'showDatasetRules',
  summary: 'By which rules the rows of a dataset are computed, and what each condition does',
  answer: DATASET_RULES,
  isTagged: true,
  handle: showRules,
});

export const META_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    endpoint: 'GET /meta/datasets',
    operationId: 'listDatasets',
    summary: 'Every dataset of the catalogue',
    answer: DATASET_LIST,
    isTagged: true,
    handle: listAll,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/my',
    operationId: 'listMyDatasets',
    summary: 'The datasets that the account may read',
    answer: DATASET_LIST,
    isTagged: true,
    isMinuteExempt: true,
    handle: listMine,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/catalogue',
    operationId: 'showCatalogue',
    summary:
      'Every dataset with its description, columns and granularity, and the coverage of those that the account may read',
    answer: CATALOGUE,
    isTagged: true,
    handle: showCatalogue,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/info',
    operationId: 'showDatasetInfo',
    summary: 'Description and coverage of a dataset',
    answer: DATASET_INFO,
    isTagged: true,
    isMinuteExempt: true,
    handle: showInfo,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/columns',
    operationId: 'listDatasetColumns',
    summary: 'Columns of a dataset; each can be filtered, selected and sorted by',
    answer: COLUMN_LIST,
    isTagged: true,
    isMinuteExempt: true,
    handle: listColumns,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/query',
    operationId: 'showQueryForm',
    summary:
      'How to query a dataset: path, variants, filters, limits, and what the account may read',
    answer: QUERY_FORM,
    isTagged: true,
    isMinuteExempt: true,
    handle: showQueryForm,
  }),
  RULES_ENDPOINT,
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/status',
    operationId: 'showDatasetStatus',
    summary: 'When a dataset was last updated and when the next update is due',
    answer: DATASET_STATUS,
    errorStatuses: [403],
    isTagged: true,
    handle: showStatus,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/coverage',
    operationId: 'showDatasetCoverage',
    summary: 'The coverage of a dataset by day, within what the account may read',
    answer: DATASET_COVERAGE,
    errorStatuses: [403, 504],
    isTagged: true,
    query: COVERAGE_QUERY,
    handle: (exchange) =>
      showCoverage(exchange, requestedDataset(exchange), readQuery(exchange, COVERAGE_QUERY)),
  }),
];
