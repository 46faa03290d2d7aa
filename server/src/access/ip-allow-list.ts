/** True if an account's requests may come from an address. */
import { LRUCache } from 'lru-cache';
import { type Address, contains, parseSubnet, type Subnet } from './subnet.ts';

const COMPILED_LISTS_MAX = 10_000;

const compiledLists = new LRUCache<string, readonly Subnet[]>({ max: COMPILED_LISTS_MAX });

/** A text that is no subnet, which the store should not hold, lets nobody in. */
function compile(subnets: readonly string[]): readonly Subnet[] {
  const text = subnets.join();
  const known = compiledLists.get(text);
  if (known) return known;
  const list = subnets.map(parseSubnet).filter((subnet) => subnet !== null);
  compiledLists.set(text, list);
  return list;
}

/**
 * True if an address (null: unknown) lies in one of the CIDR subnets; an empty list lets every
 * address in, and any other list no unknown one.
 */
export function isAllowedFrom(subnets: readonly string[], address: Address | null): boolean {
  if (subnets.length === 0) return true;
  return address !== null && compile(subnets).some((subnet) => contains(subnet, address));
}
