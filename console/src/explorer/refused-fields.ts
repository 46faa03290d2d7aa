/** Maps the problems of a refusal to the fields of the form. */
import type { Problem } from '@ticklake/client';
import { ApiFailure } from '../api/api-failure';
import type { ExplorerRequest, FieldName } from './explorer-request';
import type { FieldProblems } from './query-problems';

const PATH_FIELDS: Readonly<Record<string, FieldName>> = {
  trade_date: 'date',
  identifier: 'identifier',
};

function columnOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? name : name.slice(0, dot);
}

function fieldOf(
  problem: Problem,
  request: ExplorerRequest,
  hasIdentifier: boolean,
): FieldName | '' {
  const [place, name = ''] = problem.loc;
  if (place === 'path') return PATH_FIELDS[name] ?? '';
  const named = request.parameters.filter((parameter) => parameter.name === name);
  // Two filters may have the same column and operator; the value tells which one is meant.
  const meant = named.find(({ value }) => value === problem.input) ?? named[0];
  if (meant) return meant.field ?? '';
  const ofColumn = request.parameters.find((parameter) => columnOf(parameter.name) === name);
  if (ofColumn) return ofColumn.field ?? '';
  return problem.type === 'missing' && hasIdentifier ? 'identifier' : '';
}

/**
 * Messages by field, '' for what is of none. `hasIdentifier`: the form has a field whose column the
 * dataset wants filtered.
 */
export function refusedFields(
  error: unknown,
  request: ExplorerRequest,
  hasIdentifier: boolean,
): FieldProblems {
  if (error === null || error === undefined) return {};
  if (!(error instanceof ApiFailure) || error.problems.length === 0) {
    return { '': error instanceof Error ? error.message : String(error) };
  }
  const messages: Partial<Record<FieldName | '', string>> = {};
  for (const problem of error.problems) {
    const field = fieldOf(problem, request, hasIdentifier);
    messages[field] = messages[field] ? `${messages[field]}; ${problem.msg}` : problem.msg;
  }
  return messages;
}
