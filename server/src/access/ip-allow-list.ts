/** True if an account's requests may come from an address. */
import { LRUCache } from 'lru-cache';
import { type Address, contains, parseSubnet, type Subnet } from './subnet.ts';

const COMPILED_LISTS_MAX = 10_000;

/** A text that is no subnet, which the store should not hold, lets nobody in. */
const compiledLists = new LRUCache<string, readonly Subnet[]>({
  max: COMPILED_LISTS_MAX,
  memoMethod: (list) =>
    list
      .split(',')
      .map(parseSubnet)
      .filter((subnet) => subnet !== null),
});

/**
 * True if an address (null: unknown) lies in one of the CIDR subnets; an empty list lets every
 * address in, and any other list no unknown one.
 */
export function isAllowedFrom(subnets: readonly string[], address: Address | null): boolean {
  if (subnets.length === 0) return true;
  if (address === null) return false;
  return compiledLists.memo(subnets.join()).some((subnet) => contains(subnet, address));
}
