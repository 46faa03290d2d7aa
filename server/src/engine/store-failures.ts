/** Failures of stores that are reached over a network, in words for the operator. */
import { addFailureReader, type SystemFailure } from '../base/failure-text.ts';

export type StoreFailure = Required<Pick<SystemFailure, 'reason' | 'remedy'>>;

export const BUSY: StoreFailure = { reason: 'it cannot answer at present', remedy: 'try again' };

/** A store that cannot be used, or something in it, by its URL. */
export class StoreError extends Error {
  readonly url: string;
  readonly failure: StoreFailure;

  constructor(url: string, message: string, failure: StoreFailure, cause?: unknown) {
    super(`${url} ${message}`, { cause });
    this.url = url;
    this.failure = failure;
  }
}

addFailureReader((error) =>
  error instanceof StoreError
    ? { failure: { effect: 'cannot be used', ...error.failure }, subject: error.url }
    : null,
);

/** Failures by the codes that stand for them. */
export function failuresByCode(
  rows: readonly (readonly [failure: StoreFailure, ...codes: string[]])[],
): ReadonlyMap<string, StoreFailure> {
  return new Map(rows.flatMap(([failure, ...codes]) => codes.map((code) => [code, failure])));
}
