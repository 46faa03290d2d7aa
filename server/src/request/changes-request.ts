/**
 * A request for the rows that changed between two versions of a dataset: the grammar of data
 * requests, and the two versions.
 */
import { type DataRequest, readDataRequest } from './data-request.ts';
import type { DataRequestLimits } from './settings.ts';
import { readParameters } from './standard-parameters.ts';

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
  const { own, ...parameters } = readParameters(queryString, CHANGES_PARAMETERS);
  const from = own.version('from');
  const to = own.version('to');
  if (own.text('from') === null) {
    const msg = "The parameter 'from' should be the version that is compared with";
    own.refuse('from', 'missing', msg);
  }
  const input = { group: '', segment: '', pathParameters: [], queryString, accept };
  return { ...readDataRequest(input, parameters, limits), from: from ?? 0, to };
}
