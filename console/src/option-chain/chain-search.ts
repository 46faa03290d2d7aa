import { dayOf, readEach, type Search, textOf } from '../layout/known-search';

/** Without a date: the latest. */
export type ChainSearch = ReturnType<typeof readChainSearch>;

export function readChainSearch(search: Search) {
  return {
    ...readEach(['underlying'], search, textOf),
    ...readEach(['date', 'expiration'], search, dayOf),
  };
}
