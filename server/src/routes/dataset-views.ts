/** Views of published datasets. */
import type { Catalog, Column, Dataset } from '../catalog/dataset.ts';
import { namingOperators, operatorsOf } from '../engine/operators.ts';
import { FORMATS } from '../formats/formats.ts';
import { datasetStatus } from '../lake/dataset-status.ts';
import type { PublicationStatus } from '../lake/lake.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { barColumns, pathColumnsOf, pathFormsOf } from '../plan/conditions.ts';
import type { DataServices } from '../query/reader.ts';
import { PATH_PARAMETERS } from '../request/data-request.ts';
import { segmentParameters, variantParameters } from '../request/segment-parameters.ts';
import type { DataRequestLimits } from '../request/settings.ts';
import type { AccessRule } from '../store/access-rules.ts';

type PublishedServices = Pick<DataServices, 'lake' | 'clock'>;

/** To whoever may see the catalogue. */
export function columnView(column: Column) {
  const { name, description } = column;
  return { name, ...typeView(column), description, ...valuesView(column) };
}

/** To those who may read it. */
export async function statusView({ lake, clock }: PublishedServices, dataset: Dataset) {
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
export function datasetRow(dataset: Dataset, snapshot: DatasetSnapshot | null) {
  return {
    dataset_id: dataset.datasetId,
    dataset_name: dataset.name,
    data_group: dataset.dataGroup,
    vendor: snapshot?.vendor ?? '',
    dataset_text_id: dataset.textId,
  };
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
export function typeView({ dataType, precision, scale }: Column) {
  const digits = precision === undefined || scale === undefined ? {} : { precision, scale };
  return { data_type: dataType, ...digits };
}

/** Nothing of a column whose definition tells no values. */
export function valuesView({ values }: Column) {
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
    unfilterable_columns: pathColumnsOf(dataset).filter(isAlwaysGiven).map(nameOf),
    path_forms: forms.map(({ identifierColumn, columns }) => ({
      identifier_column: identifierColumn?.name ?? null,
      unfilterable_columns: columns.map(nameOf),
    })),
  };
}

function nameOf({ name }: Column): string {
  return name;
}

/** `rules` are all rules of the account. */
export function queryForm(
  dataset: Dataset,
  catalog: Catalog,
  rules: readonly AccessRule[],
  limits: DataRequestLimits,
) {
  const { datasetId, group, segment, shortSegment, requiredFilters } = dataset;
  const rulesFor = (id: string) => rules.filter((rule) => rule.datasetId === id);
  return {
    dataset_id: datasetId,
    group,
    segment,
    path_parameters: PATH_PARAMETERS[dataset.pathShape],
    aliases: shortSegment === segment ? [] : [shortSegment],
    parameters: segmentParameters(dataset, limits),
    variants: catalog.bySegment(group, segment).map((variant) => ({
      dataset_id: variant.datasetId,
      dataset_name: variant.name,
      parameters: variantParameters(variant, limits),
      is_entitled: rulesFor(variant.datasetId).length > 0,
    })),
    required_filters: requiredFilters.length > 0 ? [requiredFilters] : [],
    required_filter_operators: namingOperators(),
    ...pathView(dataset),
    default_period: dataset.periodDefault,
    date_column: dataset.dateColumn,
    identifier_columns: dataset.identifierColumns,
    root_column: dataset.rootColumn,
    time_zone: dataset.timeZone,
    filter_time_zone: dataset.filterTimeZone,
    sort_columns: dataset.naturalOrder,
    columns: dataset.columns.map(formColumnView),
    interval_columns: dataset.intervals === null ? [] : barColumns(dataset).map(nameOf),
    limits: limitsView(limits),
    is_entitled: rulesFor(datasetId).length > 0,
    rules: rulesFor(datasetId).map(({ startDate, endDate, universe }) => ({
      start_date: startDate,
      end_date: endDate,
      universe_identifiers: universe,
    })),
  };
}
