/** The catalogue: what datasets there are, their columns, coverage and publication status. */

import {
  halfDaysBetween,
  irregularDaysBetween,
  productDaysBetween,
} from '@ticklake/market/calendars.ts';
import { QUOTE_CONDITION_USES, TRADE_CONDITION_USES } from '@ticklake/market/condition-uses.ts';
import { viewOf } from '../admin/views.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import {
  adjustedColumnsOf,
  conditionKindsOf,
  type DatasetRule,
  rulesOf,
} from '../derive/dataset-rules.ts';
import { namingOperators, operatorsOf } from '../engine/operators.ts';
import { FORMATS } from '../formats/formats.ts';
import { datasetStatus } from '../lake/dataset-status.ts';
import type { PublicationStatus } from '../lake/lake.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { visibleDataset } from '../plan/column-rights.ts';
import { barColumns, pathColumnsOf, pathFormsOf } from '../plan/conditions.ts';
import {
  COVERAGE_QUERY,
  requireOwnRules,
  rowsCountedFor,
  showCoverage,
} from '../query/coverage.ts';
import type { DataServices } from '../query/reader.ts';
import { PATH_PARAMETERS } from '../request/data-request.ts';
import { segmentParameters, variantParameters } from '../request/segment-parameters.ts';
import type { DataRequestLimits } from '../request/settings.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { today } from '../time/market-time.ts';
import {
  COLUMN_LIST,
  DATASET_COVERAGE,
  DATASET_INFO,
  DATASET_LIST,
  DATASET_ROW,
  DATASET_RULES,
  DATASET_STATUS,
  QUERY_FORM,
} from './answers.ts';
import { CATALOGUE } from './data-answers.ts';
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
        ...catalogueEntry(visibleDataset(dataset, own), snapshot),
        is_entitled: isEntitled,
        ...coverageOf(isEntitled ? snapshot : null),
        row_count: await rowsCountedFor(services, dataset, own),
      };
    }),
  );
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
  return viewOf(DATASET_INFO, {
    ...dataset,
    ...namesOf(dataset, snapshot),
    documentationLink: documentationLink(exchange, dataset),
    startDate: snapshot?.firstDate ?? dataset.startDate ?? dataset.creationDate,
    universeIdentifier: dataset.universeIdentifier ?? '',
  });
}

/** The dataset with the columns that exist for the account. */
function visibleTo(exchange: DataExchange, dataset: Dataset): Dataset {
  const rules = ownRules(exchange).filter(({ datasetId }) => datasetId === dataset.datasetId);
  return visibleDataset(dataset, rules);
}

async function showStatus(exchange: DataExchange) {
  const dataset = requestedDataset(exchange);
  const rules = requireOwnRules(exchange, dataset);
  const status = await statusView(exchange.services, dataset);
  if (status.version === 0) return status;
  return { ...status, row_count: await rowsCountedFor(exchange.services, dataset, rules) };
}

async function showQueryForm(exchange: DataExchange) {
  const { catalog, config: limits, clock, lake } = exchange.services;
  const dataset = visibleTo(exchange, requestedDataset(exchange));
  const snapshot = await lake.snapshot(dataset.datasetId);
  const rules = ownRules(exchange);
  const { datasetId, group, segment, shortSegment, requiredFilters } = dataset;
  const rulesFor = (id: string) => rules.filter((rule) => rule.datasetId === id);
  return viewOf(QUERY_FORM, {
    ...dataset,
    pathParameters: PATH_PARAMETERS[dataset.pathShape],
    aliases: shortSegment === segment ? [] : [shortSegment],
    parameters: segmentParameters(dataset, limits),
    variants: catalog.bySegment(group, segment).map((variant) => ({
      dataset_id: variant.datasetId,
      dataset_name: variant.name,
      parameters: variantParameters(variant, limits),
      is_entitled: rulesFor(variant.datasetId).length > 0,
    })),
    requiredFilters: requiredFilters.length > 0 ? [requiredFilters] : [],
    requiredFilterOperators: namingOperators(),
    ...pathView(dataset),
    ...hoursView(dataset, snapshot, today(dataset.timeZone, clock.now()).market),
    defaultPeriod: dataset.periodDefault,
    sortColumns: dataset.naturalOrder,
    columns: dataset.columns.map(formColumnView),
    intervalColumns: dataset.intervals === null ? [] : barColumns(dataset).map(nameOf),
    limits: limitsView(limits),
    isEntitled: rulesFor(datasetId).length > 0,
    rules: rulesFor(datasetId).map(({ startDate, endDate, universe, columns }) => ({
      start_date: startDate,
      end_date: endDate,
      universe_identifiers: universe,
      ...(columns && { columns }),
    })),
  });
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
  const dataset = visibleTo(exchange, requestedDataset(exchange));
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

export const META_ENDPOINTS: readonly KeyedEndpoint[] = [
  keyedEndpoint({
    endpoint: 'GET /meta/datasets',
    operationId: 'listDatasets',
    summary: 'Every dataset of the catalogue',
    answer: DATASET_LIST,
    handle: (exchange) => listRows(exchange, exchange.services.catalog.datasets),
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/my',
    operationId: 'listMyDatasets',
    summary: 'The datasets that the account may read',
    answer: DATASET_LIST,
    isMinuteExempt: true,
    handle: listMine,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/catalogue',
    operationId: 'showCatalogue',
    summary:
      'Every dataset with its description, columns and granularity, and the coverage of those that the account may read',
    answer: CATALOGUE,
    handle: showCatalogue,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/info',
    operationId: 'showDatasetInfo',
    summary: 'Description and coverage of a dataset',
    answer: DATASET_INFO,
    isMinuteExempt: true,
    handle: showInfo,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/columns',
    operationId: 'listDatasetColumns',
    summary: 'Columns of a dataset; each can be filtered, selected and sorted by',
    answer: COLUMN_LIST,
    isMinuteExempt: true,
    handle: (exchange) => visibleTo(exchange, requestedDataset(exchange)).columns.map(columnView),
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/query',
    operationId: 'showQueryForm',
    summary:
      'How to query a dataset: path, variants, filters, limits, and what the account may read',
    answer: QUERY_FORM,
    isMinuteExempt: true,
    handle: showQueryForm,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/rules',
    operationId: 'showDatasetRules',
    summary: 'By which rules the rows of a dataset are computed, and what each condition does',
    answer: DATASET_RULES,
    handle: showRules,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/status',
    operationId: 'showDatasetStatus',
    summary: 'When a dataset was last updated and when the next update is due',
    answer: DATASET_STATUS,
    errorStatuses: [403],
    handle: showStatus,
  }),
  keyedEndpoint({
    endpoint: 'GET /meta/datasets/:dataset_id/coverage',
    operationId: 'showDatasetCoverage',
    summary: 'The coverage of a dataset by day, within what the account may read',
    answer: DATASET_COVERAGE,
    errorStatuses: [403, 504],
    query: COVERAGE_QUERY,
    handle: (exchange) =>
      showCoverage(exchange, requestedDataset(exchange), readQuery(exchange, COVERAGE_QUERY)),
  }),
].map((endpoint) => ({ ...endpoint, isTagged: true }));

type PublishedServices = Pick<DataServices, 'lake' | 'clock'>;

/** To whoever may see the catalogue. */
export function columnView(column: Column) {
  const { name, description } = column;
  return { name, ...typeView(column), description, ...valuesView(column) };
}

/** To those who may read it. */
async function statusView({ lake, clock }: PublishedServices, dataset: Dataset) {
  const snapshot = await lake.snapshot(dataset.datasetId);
  const publication = await lake.publicationStatus(dataset.datasetId);
  const status = datasetStatus(dataset, snapshot, publication, clock.now());
  return {
    dataset_id: dataset.datasetId,
    status_code: status.code,
    last_update: status.lastUpdate,
    next_expected_update: status.nextExpectedUpdate,
    last_trade_date: snapshot?.lastDate ?? null,
    version: snapshot?.version ?? 0,
    row_count: snapshot?.rowCount ?? 0,
  };
}

/** Null before the first one. */
function ingestView({ state, startedAt, finishedAt, message }: PublicationStatus) {
  if (state === 'none' || startedAt === null) return null;
  return { state, started_at: startedAt, finished_at: finishedAt, message };
}

/** To those who see to it that it is published. */
export async function publicationView(services: PublishedServices, dataset: Dataset) {
  const { datasetId } = dataset;
  const snapshot = await services.lake.snapshot(datasetId);
  return {
    ...(await statusView(services, dataset)),
    dataset_name: dataset.name,
    data_group: dataset.dataGroup,
    first_trade_date: snapshot?.firstDate ?? null,
    stored_bytes: snapshot?.byteCount ?? 0,
    file_count: snapshot?.parts.length ?? 0,
    ingest: ingestView(await services.lake.publicationStatus(datasetId)),
  };
}

/** The names of a dataset, and who its rows come from. */
function datasetRow(dataset: Dataset, snapshot: DatasetSnapshot | null) {
  return viewOf(DATASET_ROW, { ...dataset, ...namesOf(dataset, snapshot) });
}

function namesOf({ name, textId }: Dataset, snapshot: DatasetSnapshot | null) {
  return { datasetName: name, datasetTextId: textId, vendor: snapshot?.vendor ?? '' };
}

/** Public facts about a dataset, for anyone who may see the catalogue. */
export function catalogueEntry(dataset: Dataset, snapshot: DatasetSnapshot | null) {
  return {
    ...datasetRow(dataset, snapshot),
    description: dataset.description,
    time_granularity: dataset.timeGranularity,
    column_names: dataset.columns.map(({ name }) => name),
  };
}

/** Which trade dates the published rows are of. */
export function coverageOf(snapshot: DatasetSnapshot | null) {
  return {
    first_trade_date: snapshot?.firstDate ?? null,
    last_trade_date: snapshot?.lastDate ?? null,
  };
}

/** Path template of a dataset below the version prefix. */
export function datasetPath(dataset: Dataset): string {
  const parameters = PATH_PARAMETERS[dataset.pathShape].map((name) => `/{${name}}`).join('');
  return `/data/${dataset.group}/${dataset.segment}${parameters}`;
}

function limitsView(limits: DataRequestLimits) {
  const views = FORMATS.map(({ name, rowLimits }) => {
    const { default: fallback, max } = rowLimits(limits);
    return [name, { default: fallback, maximum: max }];
  });
  return Object.fromEntries(views);
}

/** The type of a column as answers tell it. */
function typeView({ dataType, precision, scale }: Column) {
  const digits = precision === undefined || scale === undefined ? {} : { precision, scale };
  return { data_type: dataType, ...digits };
}

/** Nothing of a column whose definition tells no values. */
function valuesView({ values }: Column) {
  return values === undefined ? {} : { values: [...values] };
}

function formColumnView(column: Column) {
  const { name, dataType } = column;
  return { name, ...typeView(column), operators: operatorsOf(dataType), ...valuesView(column) };
}

/**
 * The columns that the path gives, which cannot be filtered: always, and by each form of the path.
 */
function pathView(dataset: Dataset) {
  const forms = pathFormsOf(dataset);
  const isAlwaysGiven = (column: Column) => forms.every(({ columns }) => columns.includes(column));
  return {
    unfilterableColumns: pathColumnsOf(dataset).filter(isAlwaysGiven).map(nameOf),
    pathForms: forms.map(({ identifierColumn, columns }) => ({
      identifier_column: identifierColumn?.name ?? null,
      unfilterable_columns: columns.map(nameOf),
    })),
  };
}

function nameOf({ name }: Column): string {
  return name;
}

/** The hours of a trading day, and the calendar from the first rows to the end of the year. */
function hoursView(
  { sessions, calendar, startDate }: Dataset,
  snapshot: DatasetSnapshot | null,
  date: string,
) {
  const views = sessions.map(({ name, start, end, halfDayStart, halfDayEnd }) => ({
    ...{ name, start, end },
    half_day_start: halfDayStart ?? start,
    half_day_end: halfDayEnd ?? end,
  }));
  const differ = views.some(
    ({ start, end, ...half }) => start !== half.half_day_start || end !== half.half_day_end,
  );
  const yearEnd = `${date.slice(0, 4)}-12-31`;
  const first = startDate ?? snapshot?.firstDate ?? date;
  const halfDays = differ ? halfDaysBetween(calendar, first, yearEnd) : [];
  const irregular_days = irregularDaysBetween(calendar, first, yearEnd);
  return {
    ...{ sessions: views, halfDays },
    tradingCalendar: {
      ...{ start: first, end: yearEnd, irregular_days },
      product_groups: productDaysBetween(calendar, first, yearEnd),
    },
  };
}
