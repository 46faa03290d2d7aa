/**
 * A request for the rows that changed between two versions of a dataset: the grammar of data
 * requests, and the two versions.
 */
import { type DataRequest, readDataRequest } from './data-request.ts';
import { readQueryString } from './query-string.ts';
import type { DataRequestLimits } from './settings.ts';
import { GivenParameters, separate } from './standard-parameters.ts';

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
/** Reads the query of a request, and its header `Accept`. Throws as `readDataRequest` does. */
export function parseChangesRequest(
  queryString: string,
  accept: string | undefined,
  limits: DataRequestLimits,
): ChangesRequest {
  const { parameters, problems } = readQueryString(queryString);
  const { own = [], others = [] } = Object.groupBy(parameters, ({ name }) =>
    Object.hasOwn(CHANGES_PARAMETERS, name) ? 'own' : 'others',
  );
  const given = new GivenParameters<keyof typeof CHANGES_PARAMETERS>(own, problems);
  const from = given.version('from');
  const to = given.version('to');
  if (given.text('from') === null) {
    const msg = "The parameter 'from' should be the version that is compared with";
    given.refuse('from', 'missing', msg);
  }
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
