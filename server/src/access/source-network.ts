/** The network that a request comes from, as one source of tries: who has one address has all of it. */
import { type Address, formatAddress } from './subnet.ts';

/** Words of an IPv6 address that name a network: a single customer has all addresses in it. */
const NETWORK_WORDS = 2;

/** `192.0.2.7` or `2001:db8:0:1::/64`; null where nobody knows the address. */
export function sourceNetwork(address: Address | null): string | null {
  if (address === null || address.length === 1) return address && formatAddress(address);
  const network = address.map((word, at) => (at < NETWORK_WORDS ? word : 0));
  return `${formatAddress(network)}/64`;
}
