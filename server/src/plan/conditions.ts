/** Turns the names and texts of a request into typed predicates on the dataset's columns. */

import { ADJUSTMENT_COLUMNS, isAdjusted } from '@ticklake/market/adjustment.ts';
import type { Problem } from '../base/errors.ts';
import { contractColumn } from '../catalog/contract-column.ts';
import type { Column, Dataset, PathShape } from '../catalog/dataset.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { intervalsOf, sessionNamesOf } from '../catalog/interval.ts';
import {
  namingOperators,
  OPERATORS,
  type Operator,
  operatorsOf,
  takes,
} from '../engine/operators.ts';
import type { BoundValue } from '../engine/part.ts';
import type { Predicate } from '../engine/query-plan.ts';
import { samplePredicate } from '../engine/sample.ts';
import type { DataRequest, RequestFilter } from '../request/data-request.ts';
import { LATEST, LITERALS } from '../request/literals.ts';
import { alternatives, type ProblemPlace, problemAt } from '../request/request-problem.ts';
import {
  ADJUSTMENT_PARAMETERS,
  isRestated,
  type SegmentParameterName,
} from '../request/standard-parameters.ts';

/** A predicate and the place of the request that asked for it. */
export interface Condition {
  readonly place: ProblemPlace;
  readonly predicate: Predicate;
}

export interface BoundConditions {
  readonly conditions: readonly Condition[];
  /** Problems of the path and the filters, in the request's order, except unknown columns. */
  readonly problems: readonly Problem[];
}

/** A condition as the request writes it. */
interface WrittenCondition {
  readonly place: ProblemPlace;
  readonly column: Column;
  readonly operator: Operator;
  readonly texts: readonly string[];
}

/** The condition; none where a value cannot be read, and a problem for each of those. */
function readCondition(
  { place, column, operator, texts }: WrittenCondition,
  { filterTimeZone }: Dataset,
  problems: Problem[],
): Condition[] {
  const { parse, label, problemType, accepts } = LITERALS[column.dataType];
  const values = texts.flatMap((text) => {
    const value = parse(text, filterTimeZone, operator, column);
    if (value !== null) return [value];
    const msg = `Cannot parse the filter value '${text}' as ${label}`;
    problems.push(problemAt(place, problemType, msg, text, { accepts }));
    return [];
  });
  if (values.length < texts.length) return [];
  return [{ place, predicate: makePredicate(column, operator, values) }];
}

type AskedDates = Pick<DataRequest, 'pathParameters' | 'filters'>;

/** True if the request says `latest` of the dataset's own date. */
export function asksLatest(
  { pathParameters: [date], filters }: AskedDates,
  { dateColumn, pathShape }: Dataset,
): boolean {
  const isInPath = pathShape === 'tick' && date === LATEST;
  return (
    isInPath || filters.some(({ column, texts }) => column === dateColumn && texts.includes(LATEST))
  );
}

/** The request with a date wherever it says `latest` of the dataset's own date. */
export function withLatestDate<T extends AskedDates>(
  request: T,
  { dateColumn, pathShape }: Dataset,
  date: string,
): T {
  const { pathParameters: path, filters } = request;
  const dateOf = (text: string) => (text === LATEST ? date : text);
  return {
    ...request,
    pathParameters:
      pathShape === 'tick' ? [...path.slice(0, 1).map(dateOf), ...path.slice(1)] : path,
    filters: filters.map((each) =>
      each.column === dateColumn ? { ...each, texts: each.texts.map(dateOf) } : each,
    ),
  };
}

interface PathParameter {
  readonly name: string;
  readonly text: string;
  readonly column: Column;
}

function pathParametersOf({ pathParameters }: DataRequest, dataset: Dataset): PathParameter[] {
  const identifier = pathParameters.at(-1);
  if (identifier === undefined) return [];
  const columns = columnsOf(dataset, dataset.identifierColumns);
  const column = columnsOfIdentifier(columns, identifier)[0] as Column;
  const identified = { name: 'identifier', text: identifier, column };
  if (dataset.pathShape !== 'tick') return [identified];
  const tradeDate = pathParameters[0] as string;
  return [{ name: 'trade_date', text: tradeDate, column: dateColumnOf(dataset) }, identified];
}

function bindFilter(
  filter: RequestFilter,
  column: Column,
  dataset: Dataset,
  problems: Problem[],
): Condition[] {
  const place: ProblemPlace = ['query', filter.name];
  const operator = filter.operator ?? 'eq';
  if (!OPERATORS[operator].dataTypes.includes(column.dataType)) {
    const expected = alternatives(operatorsOf(column.dataType));
    const msg =
      `The filter operator '${operator}' does not fit the column '${column.name}' ` +
      `of type ${column.dataType}; it should be ${expected}`;
    problems.push(problemAt(place, 'unfit_operator', msg, operator, { expected }));
    return [];
  }
  return readCondition({ place, column, operator, texts: filter.texts }, dataset, problems);
}

/** Binds the path and every filter whose column exists. */
export function bindConditions(request: DataRequest, dataset: Dataset): BoundConditions {
  const problems: Problem[] = [];
  const conditions: Condition[] = [];
  const fromPath = new Set<Column>();
  for (const { name, text, column } of pathParametersOf(request, dataset)) {
    const written = { place: ['path', name], column, operator: 'eq', texts: [text] } as const;
    conditions.push(...readCondition(written, dataset, problems));
    fromPath.add(column);
  }
  for (const filter of request.filters) {
    const column = dataset.columnByName.get(filter.column);
    if (!column) continue;
    if (fromPath.has(column)) {
      const msg = `The column '${column.name}' is set by the path and cannot be filtered as well`;
      const ctx = { column: column.name };
      problems.push(
        problemAt(['query', filter.name], 'path_column', msg, filter.texts.join(','), ctx),
      );
    } else conditions.push(...bindFilter(filter, column, dataset, problems));
  }
  return { conditions, problems };
}

export type NamedColumn = readonly [name: string, parameter: string];

/** The columns that a request names, each with the parameter that does. */
export function namedColumns({ filters, sort, columns }: DataRequest): NamedColumn[] {
  return [
    ...filters.map(({ column, name }): NamedColumn => [column, name]),
    ...sort.map(({ column }): NamedColumn => [column, 'sort']),
    ...(columns ?? []).map((column): NamedColumn => [column, 'columns']),
  ];
}

/** Null, or the one problem that lists all columns that the dataset does not have. */
export function findUnknownColumns(request: DataRequest, dataset: Dataset): Problem | null {
  const unknown = namedColumns(request).filter(([column]) => !dataset.columnByName.has(column));
  const [first] = unknown;
  if (!first) return null;
  const columns = [...new Set(unknown.map(([column]) => column))];
  const msg = `The following columns do not exist in the dataset: ${columns.join(', ')}`;
  return problemAt(['query', first[1]], 'unknown_column', msg, first[0], { columns });
}

const APPLIES: Readonly<Record<SegmentParameterName, (dataset: Dataset) => boolean>> = {
  interval: ({ intervals }) => intervals !== null,
  session: (dataset) => sessionNamesOf(dataset).length > 0,
  adjusted_as_of: isRestatable,
  adjustments: isRestatable,
  adjustment_factors: isRestatable,
  factors_version: isRestatable,
  rolls_version: (dataset) => contractColumn(dataset) !== null,
  adjusted: ({ variant }) => variant.adjusted !== undefined,
  aggregation_logic: ({ variant }) => variant.aggregationLogic !== undefined,
  period: ({ periodDefault }) => periodDefault !== null,
};

/** Adjusted rows are another variant of the same path. */
function adviceFor(name: string, { variant }: Dataset): string {
  const isOfAdjusted = (ADJUSTMENT_PARAMETERS as readonly string[]).includes(name);
  return isOfAdjusted && variant.adjusted === false ? '; ask with adjusted=true' : '';
}

/** A problem for each parameter given that only other datasets have. */
export function findInapplicable({ parameterTexts }: DataRequest, dataset: Dataset): Problem[] {
  return Object.entries(APPLIES).flatMap(([name, applies]) => {
    const text = parameterTexts.get(name);
    if (text === undefined || applies(dataset)) return [];
    const msg = `${name} does not apply to this dataset${adviceFor(name, dataset)}`;
    return [problemAt(['query', name], 'inapplicable_parameter', msg, text)];
  });
}

/** A problem for each of the parameters that is given, though requests for `what` have none. */
export function refuseParameters(
  { parameterTexts }: DataRequest,
  names: readonly string[],
  what: string,
): Problem[] {
  return names.flatMap((name) => {
    const text = parameterTexts.get(name);
    if (text === undefined) return [];
    const msg = `${name} does not apply to ${what}`;
    return [problemAt(['query', name], 'inapplicable_parameter', msg, text)];
  });
}

/** Null, or the problem that no required filter is given; equality and lists satisfy it. */
export function findMissingFilter(request: DataRequest, dataset: Dataset): Problem | null {
  const [first] = dataset.requiredFilters;
  const isGiven = request.filters.some(
    ({ column, operator }) =>
      dataset.requiredFilters.includes(column) && OPERATORS[operator ?? 'eq'].isNaming,
  );
  if (first === undefined || isGiven) return null;
  const msg = `The filter expression for the field '${first}' should be specified`;
  const ctx = { columns: dataset.requiredFilters, operators: namingOperators() };
  return problemAt(['query', first], 'missing', msg, null, ctx);
}

/** `values` are as many as the operator takes. */
export function makePredicate(
  column: Column,
  operator: Operator,
  values: readonly BoundValue[],
): Predicate {
  if (takes(operator, 'list')) return { column, operator, values: [...new Set(values)] };
  const value = values[0] as BoundValue;
  if (takes(operator, 'pattern')) return { column, operator, pattern: String(value) };
  return { column, operator, value };
}

/** The values that a predicate compares with: those of its list, or its only one. */
export function valuesOf(predicate: Predicate): readonly BoundValue[] {
  if ('values' in predicate) return predicate.values;
  return ['pattern' in predicate ? predicate.pattern : predicate.value];
}

/** True if only rows with one of the values pass. */
export function isNaming({ operator }: Predicate): boolean {
  return OPERATORS[operator].isNaming;
}

/** A column that the catalogue or an earlier check guarantees. */
export function columnOf(dataset: Dataset, name: string): Column {
  const column = dataset.columnByName.get(name);
  if (!column) throw new Error(`dataset ${dataset.datasetId} has no column ${name}`);
  return column;
}

export function columnsOf(dataset: Dataset, names: readonly string[]): Column[] {
  return names.map((name) => columnOf(dataset, name));
}

/**
 * The date of tick paths and of the look-back period; the catalogue sees to it that they have one.
 */
export function dateColumnOf(dataset: Dataset): Column {
  return columnOf(dataset, dataset.dateColumn ?? '');
}

/** The columns that the parameters of the dataset's path are matched with, each or one of each. */
export function pathColumnsOf(dataset: Dataset): Column[] {
  const columns: Readonly<Record<PathShape, () => Column[]>> = {
    tick: () => [dateColumnOf(dataset), ...columnsOf(dataset, dataset.identifierColumns)],
    identifier: () => columnsOf(dataset, dataset.identifierColumns),
    query: () => [],
  };
  return columns[dataset.pathShape]();
}

/** One way to write a dataset's path. */
export interface PathForm {
  /** The column that the identifier is matched with; null where the path takes none. */
  readonly identifierColumn: Column | null;
  /** All columns that the path gives. */
  readonly columns: readonly Column[];
}

/** One for each column that an identifier of the path may be matched with, else a single one. */
export function pathFormsOf(dataset: Dataset): PathForm[] {
  const identifiers = columnsOf(dataset, dataset.identifierColumns);
  const columns = pathColumnsOf(dataset);
  if (columns.length === 0) return [{ identifierColumn: null, columns }];
  return identifiers.map((identifierColumn) => ({
    identifierColumn,
    columns: columns.filter(
      (column) => column === identifierColumn || !identifiers.includes(column),
    ),
  }));
}

/** The columns that an identifier is compared with: the integer ids if it is all digits. */
export function columnsOfIdentifier(columns: readonly Column[], identifier: string): Column[] {
  const isInteger = (column: Column) => column.dataType === 'integer';
  const isNumber = /^\d+$/.test(identifier) && columns.some(isInteger);
  return columns.filter((column) => isInteger(column) === isNumber);
}

/** Names of the columns that say what a bar is about, and when. */
function keysOf({ dateColumn, intervals }: Dataset): Set<string> {
  const { time = null, by = [] } = intervals ?? {};
  return new Set([dateColumn, time, ...by].filter((name) => name !== null));
}

/** The columns that longer bars have, in the order of the dataset. */
export function barColumns(dataset: Dataset): readonly Column[] {
  const keys = keysOf(dataset);
  return dataset.columns.filter(
    ({ name }) => keys.has(name) || dataset.intervals?.columns.has(name),
  );
}

/** Columns and filters that the dataset has, but not its longer bars. */
function unfitNames(
  names: readonly string[],
  dataset: Dataset,
  fit: ReadonlySet<string>,
): string[] {
  return [...new Set(names)].filter((name) => dataset.columnByName.has(name) && !fit.has(name));
}

/** `names` are those that the parameter gives. */
function findUnfitColumns(
  parameter: 'adjustment_factors' | 'columns' | 'sort',
  names: readonly string[],
  dataset: Dataset,
): Problem | null {
  const fit = new Set(barColumns(dataset).map(({ name }) => name));
  const unfit = unfitNames(names, dataset, fit);
  if (unfit.length === 0) return null;
  const msg =
    `Bars of an interval do not have the following columns: ${unfit.join(', ')}; ` +
    `they have ${[...fit].join(', ')}`;
  return problemAt(['query', parameter], 'unfit_column', msg, unfit[0], { columns: [...fit] });
}

/** A filter on anything else could mean the stored bars as well as the longer ones. */
function findUnfitFilters({ filters }: DataRequest, dataset: Dataset): Problem[] {
  const keys = keysOf(dataset);
  const unfit = filters.filter(({ column }) => unfitNames([column], dataset, keys).length > 0);
  return unfit.map(({ name, texts }) => {
    const fit = columnsOf(dataset, [...keys]).map((column) => column.name);
    const msg = `With interval, filters should be on ${alternatives(fit)}`;
    return problemAt(['query', name], 'unfit_filter', msg, texts.join(','), { columns: fit });
  });
}

/** A problem if other datasets have the value of a parameter; none: this one has no such. */
function findUnfitWord<Word extends string>(
  parameter: 'interval' | 'session',
  asked: Word | null,
  legal: readonly Word[],
): Problem | null {
  if (asked === null || legal.length === 0 || legal.includes(asked)) return null;
  const expected = alternatives(legal);
  const msg = `Input should be ${expected} for this dataset`;
  return problemAt(['query', parameter], 'enum', msg, asked, { expected });
}

export function findUnfitSession({ session }: DataRequest, dataset: Dataset): Problem | null {
  return findUnfitWord('session', session, sessionNamesOf(dataset));
}

/** Null, or the problem that rows cannot be told apart, or are made of others. */
export function findUnfitSample(request: DataRequest, dataset: Dataset): Problem | null {
  const { interval, sample, parameterTexts } = request;
  if (sample === null || (interval === null && samplePredicate(dataset, sample))) return null;
  const msg = `sample does not apply to ${interval ? 'bars of an interval' : 'this dataset'}`;
  const text = parameterTexts.get('sample') ?? null;
  return problemAt(['query', 'sample'], 'inapplicable_parameter', msg, text);
}

/** The columns of a request by the parameter that each comes from. */
function columnsAsked({ columns, adjustment }: DataRequest) {
  const factors = new Set<string>(adjustment.withFactors ? ADJUSTMENT_COLUMNS : []);
  const { ofFactors = [], listed = [] } = Object.groupBy(columns ?? [], (name) =>
    factors.has(name) ? 'ofFactors' : 'listed',
  );
  return { ofFactors, listed };
}

/** Problems of a request for longer bars. None without `interval`, or if rows are not bars. */
export function findUnfitForBars(request: DataRequest, dataset: Dataset): (Problem | null)[] {
  if (request.interval === null || dataset.intervals === null) return [];
  const { ofFactors, listed } = columnsAsked(request);
  const sorted = request.sort.map(({ column }) => column);
  return [
    findUnfitWord('interval', request.interval, intervalsOf(dataset)),
    findUnfitColumns('columns', listed, dataset),
    findUnfitColumns('adjustment_factors', ofFactors, dataset),
    findUnfitColumns('sort', sorted, dataset),
    ...findUnfitFilters(request, dataset),
  ];
}

const RESTATED = "with adjusted_as_of and with adjustments other than 'all'";

function isComputed(column: string): boolean {
  return isAdjusted(column) || (ADJUSTMENT_COLUMNS as readonly string[]).includes(column);
}

/** Stored rows were adjusted by the factors of their own time. */
function findUnusedVersion({ parameterTexts }: DataRequest): Problem[] {
  const text = parameterTexts.get('factors_version');
  if (text === undefined) return [];
  const msg = `factors_version applies only ${RESTATED}`;
  return [problemAt(['query', 'factors_version'], 'inapplicable_parameter', msg, text)];
}

/** Problems of a request for adjusted rows. With `interval`, the rules for bars refuse as much. */
export function findUnfitForAdjusting(request: DataRequest, dataset: Dataset): Problem[] {
  const { adjustment, interval } = request;
  if (!isRestatable(dataset)) return [];
  if (!isRestated(adjustment)) return findUnusedVersion(request);
  if (interval !== null) return [];
  const unfit = request.filters.filter(
    ({ column }) => dataset.columnByName.has(column) && isComputed(column),
  );
  const fit = dataset.columns.map(({ name }) => name).filter((name) => !isComputed(name));
  return unfit.map(({ name, texts }) => {
    const msg = `Filters should be on ${alternatives(fit)} ${RESTATED}`;
    return problemAt(['query', name], 'unfit_filter', msg, texts.join(','), { columns: fit });
  });
}
