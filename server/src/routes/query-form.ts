/** Everything that a form needs to query a dataset, from the rules that requests are checked by. */
import type { Catalog, Column, Dataset } from '../catalog/dataset.ts';
import { namingOperators, operatorsOf } from '../engine/operators.ts';
import { FORMATS } from '../formats/formats.ts';
import { barColumns, pathColumnsOf, pathFormsOf } from '../plan/conditions.ts';
import { PATH_PARAMETERS } from '../request/data-request.ts';
import { segmentParameters, variantParameters } from '../request/segment-parameters.ts';
import type { DataRequestLimits } from '../request/settings.ts';
import type { AccessRule } from '../store/access-rules.ts';

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

function columnView(column: Column) {
  const { name, dataType } = column;
  return { name, ...typeView(column), operators: operatorsOf(dataType), ...valuesView(column) };
}

/** The columns that the path gives, which cannot be filtered: always, and by each form of the path. */
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
    columns: dataset.columns.map(columnView),
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
