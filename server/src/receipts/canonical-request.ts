/**
 * The one text of a request as it was understood: its path and query below the version prefix, with
 * every default and every limit on dates that is not the client's own. However a request is
 * written, its text is the same, and the text is itself a request, which is answered with the same
 * page as long as the dataset and the caller's rules are the same.
 */
import type { Column } from '../catalog/dataset.ts';
import type { Predicate, QueryPlan } from '../engine/query-plan.ts';
import { shareOf } from '../engine/sample.ts';
import {
  columnsOf,
  columnsOfIdentifier,
  dateColumnOf,
  isNaming,
  valuesOf,
} from '../plan/conditions.ts';
import { askedPredicates } from '../plan/continuous-plan.ts';
import { findDateRange, narrow } from '../plan/date-range.ts';
import type { DataRequest } from '../request/data-request.ts';
import { formatPeriod, LITERALS } from '../request/literals.ts';
import { joinValueList } from '../request/query-string.ts';
import { variantParameters } from '../request/segment-parameters.ts';
import type { DataRequestLimits } from '../request/settings.ts';

/** Commas and colons are legal in a query, and easier to read as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** The columns whose values the path gives, in the order of the path. */
function pathColumns({ pathParameters }: DataRequest, { dataset }: QueryPlan): Column[] {
  const identifier = pathParameters.at(-1);
  if (identifier === undefined) return [];
  const columns = columnsOf(dataset, dataset.identifierColumns);
  const [named] = columnsOfIdentifier(columns, identifier);
  return [...(dataset.pathShape === 'tick' ? [dateColumnOf(dataset)] : []), named as Column];
}

function textsOf(predicate: Predicate): string[] {
  const { textOf } = LITERALS[predicate.column.dataType];
  return valuesOf(predicate).map((value) => textOf(value, predicate.column));
}

/** The value that the path gives the column, which no other condition names. */
function pathValue(column: Column, { predicates }: QueryPlan): string {
  const given = predicates.find((each) => each.column === column && each.operator === 'eq');
  if (!given) throw new Error(`the path gives no value of ${column.name}`);
  return textsOf(given)[0] as string;
}

/**
 * The bounds of the date come to the tightest two: a wider one may lie outside of what the caller
 * may ask.
 */
function withTightDates({ dataset, predicates }: QueryPlan): readonly Predicate[] {
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column) return predicates;
  const isBound = (each: Predicate) => each.column === column && !isNaming(each);
  const range = findDateRange(column, predicates.filter(isBound));
  const open = { lower: null, upper: null };
  return [...predicates.filter((each) => !isBound(each)), ...narrow(column, open, range)];
}

function filterText(predicate: Predicate): string {
  const { column, operator } = predicate;
  if (column.madeOf) return `${column.name}=${shareOf(predicate)}`;
  const texts = textsOf(predicate);
  const value = 'values' in predicate ? joinValueList(texts.toSorted()) : (texts[0] as string);
  return `${column.name}.${operator}=${encode(value)}`;
}

function filtersOf(plan: QueryPlan, inPath: readonly Column[]): string[] {
  const filters = withTightDates(plan).filter(({ column }) => !inPath.includes(column));
  return [...new Set(filters.map(filterText))].toSorted();
}

function periodOf({ period }: DataRequest, { dataset }: QueryPlan): string | null {
  return dataset.periodDefault === null
    ? null
    : period
      ? formatPeriod(period)
      : dataset.periodDefault;
}

/** Names of the columns asked for, or left by rules that hide others; null: all of the dataset. */
function columnNames(
  { columns: asked }: Pick<DataRequest, 'columns'>,
  { dataset, columns, groups }: QueryPlan,
): string | null {
  if (asked || groups || !dataset.hidesColumns) return asked?.join(',') ?? null;
  const names = columns.map(({ name }) => name);
  return names.filter((name) => dataset.columnByName.has(name)).join(',');
}

/** Parameters of a page, omitted ones included; null: not given. */
function pageParameters(request: DataRequest, plan: QueryPlan) {
  const { responseFormat } = request;
  const { sort, offset, limit } = plan;
  const fields = sort.map(({ column, descending }) => `${descending ? '-' : ''}${column.name}`);
  return {
    sort: fields.length > 0 ? fields.join(',') : null,
    columns: columnNames(request, plan),
    offset,
    limit,
    response_format: responseFormat.name,
    numbers: responseFormat.numbers ?? null,
  };
}

function requestText(
  path: readonly string[],
  filters: readonly string[],
  parameters: Readonly<Record<string, string | number | boolean | null>>,
): string {
  const texts = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encode(`${value}`)}`],
  );
  return `/${path.map(encodeURIComponent).join('/')}?${[...filters, ...texts].join('&')}`;
}

/** Parameters that choose the variant of a dataset and how its rows are made. */
function rowParameters(
  { dataset, restatement, rolls, bars, session }: QueryPlan,
  limits: DataRequestLimits,
) {
  return {
    ...variantParameters(dataset, limits),
    adjusted_as_of: restatement?.asOf ?? null,
    adjustments: restatement?.adjustments ?? null,
    rolls_version: rolls?.version ?? null,
    interval: bars?.interval ?? null,
    session: session ?? null,
  };
}

/** Parameters that say how rows are grouped; none: they are not. */
function groupParameters({ groups, columns }: QueryPlan): Readonly<Record<string, string | null>> {
  if (!groups) return {};
  const by = groups.keys.filter(({ interval }) => interval === undefined);
  return {
    by: by.map(({ column }) => column.name).join(',') || null,
    interval: groups.keys.find(({ interval }) => interval !== undefined)?.interval ?? null,
    select: columns
      .slice(groups.keys.length)
      .map(({ name }) => name)
      .join(','),
  };
}

/** `planned` is what the request was planned as. */
export function canonicalRequest(
  request: DataRequest,
  planned: QueryPlan,
  limits: DataRequestLimits,
): string {
  const { dataset } = planned;
  const plan = { ...planned, predicates: askedPredicates(planned) };
  const inPath = pathColumns(request, plan);
  const values = inPath.map((column) => pathValue(column, plan));
  const path = ['data', dataset.group, dataset.segment, ...values];
  const door = plan.groups ? ['aggregate'] : [];
  return requestText([...path, ...door], filtersOf(plan, inPath), {
    ...rowParameters(plan, limits),
    period: periodOf(request, plan),
    ...groupParameters(plan),
    ...pageParameters(request, plan),
  });
}

/**
 * Canonical text of a request for all rows, as files of a format; it looks back no further than it
 * says.
 */
export function canonicalBulk(
  request: DataRequest,
  planned: QueryPlan,
  fileFormat: string,
  limits: DataRequestLimits,
): string {
  const { dataset } = planned;
  const { period } = request;
  const plan = { ...planned, predicates: askedPredicates(planned) };
  return requestText(['bulk', dataset.group, dataset.segment], filtersOf(plan, []), {
    ...rowParameters(plan, limits),
    period: period && formatPeriod(period),
    columns: columnNames(request, plan),
    response_format: fileFormat,
  });
}

/** Canonical text of a request for the rows that changed from a version to that of the plan. */
export function canonicalChanges(request: DataRequest, plan: QueryPlan, from: number): string {
  const path = ['meta', 'datasets', plan.dataset.datasetId, 'changes'];
  const versions = { from, to: plan.version };
  return requestText(path, filtersOf(plan, []), { ...versions, ...pageParameters(request, plan) });
}
