/** Turns the names and texts of a request into typed predicates on the dataset's columns. */

import type { Problem } from '../base/errors.ts';
import { contractColumn } from '../catalog/contract-column.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { namingOperators, OPERATORS, type Operator, operatorsOf } from '../engine/operators.ts';
import type { BoundValue } from '../engine/part.ts';
import type { Predicate } from '../engine/query-plan.ts';
import type { DataRequest } from '../request/data-request.ts';
import type { RequestFilter } from '../request/filters.ts';
import { LITERALS } from '../request/literals.ts';
import { alternatives, type ProblemPlace, problemAt } from '../request/request-problem.ts';
import {
  ADJUSTMENT_PARAMETERS,
  type SegmentParameterName,
} from '../request/standard-parameters.ts';
import { columnsOf, columnsOfIdentifier, dateColumnOf } from './dataset-columns.ts';
import { makePredicate } from './predicate.ts';

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

/** The values of the texts, or null where one cannot be read; a problem for each of those. */
function readLiterals(
  column: Column,
  operator: Operator,
  texts: readonly string[],
  dataset: Dataset,
  place: ProblemPlace,
  problems: Problem[],
): BoundValue[] | null {
  const rule = LITERALS[column.dataType];
  const values: BoundValue[] = [];
  let isReadable = true;
  for (const text of texts) {
    const value = rule.parse(text, dataset.filterTimeZone, operator, column);
    if (value !== null) values.push(value);
    else {
      isReadable = false;
      const msg = `Cannot parse the filter value '${text}' as ${rule.label}`;
      problems.push(problemAt(place, rule.problemType, msg, text, { accepts: rule.accepts }));
    }
  }
  return isReadable ? values : null;
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
  const values = readLiterals(column, operator, filter.texts, dataset, place, problems);
  return values ? [{ place, predicate: makePredicate(column, operator, values) }] : [];
}

/** Binds the path and every filter whose column exists. */
export function bindConditions(request: DataRequest, dataset: Dataset): BoundConditions {
  const problems: Problem[] = [];
  const conditions: Condition[] = [];
  const fromPath = new Set<Column>();
  for (const { name, text, column } of pathParametersOf(request, dataset)) {
    const place: ProblemPlace = ['path', name];
    const values = readLiterals(column, 'eq', [text], dataset, place, problems);
    if (values) conditions.push({ place, predicate: makePredicate(column, 'eq', values) });
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

/** Null, or the one problem that lists all columns that the dataset does not have. */
export function findUnknownColumns(request: DataRequest, dataset: Dataset): Problem | null {
  const columnPlaces: [string, string][] = [
    ...request.filters.map(({ column, name }): [string, string] => [column, name]),
    ...request.sort.map(({ column }): [string, string] => [column, 'sort']),
    ...(request.columns ?? []).map((column): [string, string] => [column, 'columns']),
  ];
  const unknown = columnPlaces.filter(([column]) => !dataset.columnByName.has(column));
  const [first] = unknown;
  if (!first) return null;
  const columns = [...new Set(unknown.map(([column]) => column))];
  const msg = `The following columns do not exist in the dataset: ${columns.join(', ')}`;
  return problemAt(['query', first[1]], 'unknown_column', msg, first[0], { columns });
}

const APPLIES: Readonly<Record<SegmentParameterName, (dataset: Dataset) => boolean>> = {
  interval: ({ intervals }) => intervals !== null,
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
