/** Whether an account's requests may come from an address. */
import { type Address, contains, parseSubnet, type Subnet } from './subnet.ts';

/** Compiled lists that are kept; the one compiled first makes room. */
const COMPILED_LISTS_MAX = 10_000;

const compiledLists = new Map<string, readonly Subnet[]>();

/** A text that is no subnet, which the store should not hold, lets nobody in. */
function compile(subnets: readonly string[]): readonly Subnet[] {
  const text = subnets.join();
  const known = compiledLists.get(text);
  if (known) return known;
  const list = subnets.map(parseSubnet).filter((subnet) => subnet !== null);
  if (compiledLists.size >= COMPILED_LISTS_MAX) {
    for (const oldest of compiledLists.keys()) {
      compiledLists.delete(oldest);
      break;
    }
  }
  compiledLists.set(text, list);
  return list;
}

/**
 * Whether an address (null: unknown) lies in one of the CIDR subnets; an empty list lets every
 * address in, and any other list no unknown one.
 */
export function isAllowedFrom(subnets: readonly string[], address: Address | null): boolean {
  if (subnets.length === 0) return true;
  return address !== null && compile(subnets).some((subnet) => contains(subnet, address));
}
