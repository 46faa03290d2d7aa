/**
 * A request for the rows that changed between two versions of a dataset: the grammar of data
 * requests, and the two versions.
 */
import type { Problem } from '../base/errors.ts';
import { type DataRequest, readDataRequest } from './data-request.ts';
import { type QueryParameter, readQueryString } from './query-string.ts';
import { problemAt } from './request-problem.ts';
import type { DataRequestLimits } from './settings.ts';
import { readInteger, separate, versionSchema } from './standard-parameters.ts';

export interface ChangesRequest extends DataRequest {
  readonly from: number;
  /** Null: the current one. */
  readonly to: number | null;
}

/** Parameters of requests for changes, in the order of the documents. */
export const CHANGES_PARAMETERS = {
  from: 'The earlier version',
  to: 'The later version; default: the current one',
} as const;
type ChangesParameter = keyof typeof CHANGES_PARAMETERS;

const isOwn = ({ name }: QueryParameter): boolean => Object.hasOwn(CHANGES_PARAMETERS, name);

/** Null where it is not given. */
function readVersion(
  name: ChangesParameter,
  parameters: readonly QueryParameter[],
  problems: Problem[],
): number | null {
  const [text, again] = parameters.filter((each) => each.name === name).map(({ value }) => value);
  if (again !== undefined) {
    const msg = `The parameter '${name}' should be given only once`;
    problems.push(problemAt(['query', name], 'duplicate_parameter', msg, again));
  }
  return text === undefined ? null : readInteger(name, text, versionSchema, problems);
}

/** Reads the query of a request, and its header `Accept`. Throws as `readDataRequest` does. */
export function parseChangesRequest(
  queryString: string,
  accept: string | undefined,
  limits: DataRequestLimits,
): ChangesRequest {
  const { parameters, problems: faults } = readQueryString(queryString);
  const problems = [...faults];
  const from = readVersion('from', parameters, problems);
  const to = readVersion('to', parameters, problems);
  const isGiven = parameters.some(({ name }) => name === 'from');
  if (!isGiven) {
    const msg = "The parameter 'from' should be the version that is compared with";
    problems.push(problemAt(['query', 'from'], 'missing', msg, null));
  }
  const others = parameters.filter((parameter) => !isOwn(parameter));
  const parts = {
    group: '',
    segment: '',
    pathParameters: [],
    parameters: separate(others, problems),
    accept,
    problems,
  };
  return { ...readDataRequest(parts, limits), from: from ?? 0, to };
}
