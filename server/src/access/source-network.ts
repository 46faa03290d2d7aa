/**
 * The network that a request comes from. Tries count by network: who has one of its addresses has
 * all.
 */
import { type Address, formatAddress, networkOf } from './subnet.ts';

/** Prefix length of the IPv6 network that a provider gives to a single customer. */
const CUSTOMER_PREFIX_LENGTH = 64;
/** The longest that a provider gives to a site, however many networks that makes of it. */
export const SITE_PREFIX_LENGTH = 48;

/** `192.0.2.7` or `2001:db8:0:1::/64`; null where the address is unknown. */
export function sourceNetwork(
  address: Address | null,
  prefixLength = CUSTOMER_PREFIX_LENGTH,
): string | null {
  if (address === null) return null;
  return address.kind() === 'ipv4' ? formatAddress(address) : networkOf(address, prefixLength).text;
}
