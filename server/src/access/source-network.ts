/** The network that a request comes from, as one source of tries: who has one address has all of it. */
import { type Address, formatAddress, networkOf } from './subnet.ts';

/** The network of a single customer, who has all addresses in it. */
const CUSTOMER_PREFIX_LENGTH = 64;

/** `192.0.2.7` or `2001:db8:0:1::/64`; null where nobody knows the address. */
export function sourceNetwork(address: Address | null): string | null {
  if (address === null) return null;
  return address.kind() === 'ipv4'
    ? formatAddress(address)
    : networkOf(address, CUSTOMER_PREFIX_LENGTH).text;
}
