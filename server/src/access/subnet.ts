/**
 * IP addresses and CIDR subnets, read more strictly than ipaddr.js reads them: decimals without
 * leading zeros, four parts of IPv4, no zone ids. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`)
 * is the IPv4 address that it stands for. The console is built with this file too.
 */
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface Subnet {
  /** Canonical CIDR text, always with a prefix length: `192.0.2.0/24`, `2001:db8::/32`. */
  readonly text: string;
  readonly network: Address;
  readonly prefixLength: number;
}

/** A legal subnet in words, for errors and docs. */
export const SUBNET_LEGAL = 'an IPv4 or IPv6 subnet such as 203.0.113.0/24';

const BITS = { ipv4: 32, ipv6: 128 } as const;
const MAPPED_BITS = BITS.ipv6 - BITS.ipv4;
const DOTTED_TAIL = /(?<=:)[\d.]+$/;
const GROUPS_ONLY = /^[\da-f:]+$/i;

/** The last two groups of an IPv6 address; other text stays as it is and is refused later. */
function withoutDots(tail: string): string {
  if (!ipaddr.IPv4.isValidFourPartDecimal(tail)) return tail;
  const [a, b, c, d] = ipaddr.IPv4.parse(tail).octets.map((octet) =>
    octet.toString(16).padStart(2, '0'),
  );
  return `${a}${b}:${c}${d}`;
}

/** As written: an IPv4-mapped address is still one of IPv6. */
function parseWritten(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // ipaddr.js takes `::192.0.2.1` for an IPv4-mapped address, and octal numbers in its place.
  const groups = text.replace(DOTTED_TAIL, withoutDots);
  return GROUPS_ONLY.test(groups) && ipaddr.IPv6.isValid(groups) ? ipaddr.IPv6.parse(groups) : null;
}

function isMapped(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress();
}

/** An address without zone id, port or brackets; null for anything else. */
export function parseAddress(text: string): Address | null {
  const address = parseWritten(text);
  return address && isMapped(address) ? address.toIPv4Address() : address;
}

/** The one text of an address: dotted for IPv4, RFC 5952 for IPv6. */
export function formatAddress(address: Address): string {
  return address.toString();
}

interface Cidr {
  readonly address: Address;
  readonly prefixLength: number;
}

/** An address and its prefix length as written in CIDR, its host bits set or not. */
function parseCidr(text: string): Cidr | null {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  const address = parseWritten(addressText);
  if (!address || rest.length > 0) return null;
  const bits = BITS[address.kind()];
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
  const prefixLength = prefixText === undefined ? bits : Number(prefixText);
  if (prefixLength > bits) return null;
  if (!isMapped(address) || prefixLength < MAPPED_BITS) return { address, prefixLength };
  return { address: address.toIPv4Address(), prefixLength: prefixLength - MAPPED_BITS };
}

/** The network of the given length that an address lies in. */
export function networkOf(address: Address, prefixLength: number): Subnet {
  const version = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = version.networkAddressFromCIDR(`${address}/${prefixLength}`);
  return { text: `${network}/${prefixLength}`, network, prefixLength };
}

function isNetworkAddress(address: Address, { network }: Subnet): boolean {
  return formatAddress(address) === formatAddress(network);
}

/**
 * A CIDR subnet; a bare address is the subnet of that address alone. Null for anything else: no
 * zone ids, no spaces, no leading zeros in decimals, no address bits set past the prefix length,
 * which would leave open whether the host or its network is meant. A subnet of IPv4-mapped
 * addresses is the IPv4 subnet that it stands for.
 */
export function parseSubnet(text: string): Subnet | null {
  const cidr = parseCidr(text);
  const subnet = cidr && networkOf(cidr.address, cidr.prefixLength);
  return subnet && isNetworkAddress(cidr.address, subnet) ? subnet : null;
}

/**
 * The network of an address with bits set past its prefix length, as the text of a legal subnet.
 * Null for a legal subnet, for text that is no CIDR, and for IPv4-mapped addresses in an IPv6
 * network, which would match no IPv4 caller.
 */
export function intendedNetwork(text: string): string | null {
  const cidr = parseCidr(text);
  if (!cidr || isMapped(cidr.address)) return null;
  const subnet = networkOf(cidr.address, cidr.prefixLength);
  return isNetworkAddress(cidr.address, subnet) ? null : subnet.text;
}

/** Says why CIDR text with bits set past its prefix length is refused; null for all other text. */
export function networkAddressProblem(text: string): string | null {
  const network = intendedNetwork(text);
  return network && `${text} is not a network address; did you mean ${network}?`;
}

/** True if an address lies in a subnet; never where one is IPv4 and the other IPv6. */
export function contains(
  { network, prefixLength }: Pick<Subnet, 'network' | 'prefixLength'>,
  address: Address,
): boolean {
  return address.kind() === network.kind() && address.match(network, prefixLength);
}
