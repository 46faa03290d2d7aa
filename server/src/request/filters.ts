import type { Problem } from '../base/errors.ts';
import { isOperator, type Operator, operatorNames, takes } from '../engine/operators.ts';
import type { QueryParameter } from './query-string.ts';
import { alternatives, problemAt } from './request-problem.ts';
import type { DataRequestLimits } from './settings.ts';
import { splitValueList } from './value-list.ts';

export interface RequestFilter {
  /** The parameter's name as given: `Column` or `Column.operator`. */
  readonly name: string;
  readonly column: string;
  /** Null when none is given, which means `eq`. */
  readonly operator: Operator | null;
  /** The members of the list, where the operator takes one; else the one value. */
  readonly texts: readonly string[];
}

function readList(
  { name, value }: QueryParameter,
  limits: DataRequestLimits,
  problems: Problem[],
): string[] {
  const texts = splitValueList(value);
  if (texts === null) {
    const msg =
      'A quoted value in the list should end with a quote, followed by a comma or the end';
    problems.push(problemAt(['query', name], 'list_parsing', msg, value));
    return [];
  }
  if (texts.length > limits.inValuesMax) {
    const ctx = { max_length: limits.inValuesMax, actual_length: texts.length };
    const msg = `The list should have at most ${limits.inValuesMax} values, not ${texts.length}`;
    problems.push(problemAt(['query', name], 'too_long', msg, value, ctx));
  }
  return texts;
}

function readFilter(
  parameter: QueryParameter,
  limits: DataRequestLimits,
  problems: Problem[],
): RequestFilter[] {
  const { name, value } = parameter;
  const dot = name.lastIndexOf('.');
  const column = dot === -1 ? name : name.slice(0, dot);
  const operator = dot === -1 ? null : name.slice(dot + 1);
  if (column === '') {
    const msg = 'A filter should name a column before its operator';
    problems.push(problemAt(['query', name], 'missing_name', msg, name));
    return [];
  }
  if (operator !== null && !isOperator(operator)) {
    const legal = alternatives(operatorNames());
    const msg = `The filter operator '${operator}' does not exist; it should be ${legal}`;
    const ctx = { expected: legal };
    problems.push(problemAt(['query', name], 'unknown_operator', msg, operator, ctx));
    return [];
  }
  const isList = operator !== null && takes(operator, 'list');
  const texts = isList ? readList(parameter, limits, problems) : [value];
  return [{ name, column, operator, texts }];
}

/** The filters in the order given; they may repeat. */
export function readFilters(
  parameters: readonly QueryParameter[],
  limits: DataRequestLimits,
  problems: Problem[],
): RequestFilter[] {
  const first = parameters[limits.filtersMax];
  if (first) {
    const ctx = { max_length: limits.filtersMax, actual_length: parameters.length };
    const msg = `A request should have at most ${limits.filtersMax} filters, not ${parameters.length}`;
    problems.push(problemAt(['query', first.name], 'too_long', msg, first.value, ctx));
  }
  return parameters.flatMap((parameter) => readFilter(parameter, limits, problems));
}
