import { dayOf, readEach, type Search, textOf } from '../layout/known-search';

export interface ChainSearch {
  readonly underlying?: string;
  /** Absent: the latest. */
  readonly date?: string;
  readonly expiration?: string;
}

export function readChainSearch(search: Search): ChainSearch {
  return {
    ...readEach(['underlying'], search, textOf),
    ...readEach(['date', 'expiration'], search, dayOf),
  };
}
