/**
 * IP addresses and CIDR subnets as 32-bit words: one word for IPv4, four for IPv6. An IPv4-mapped
 * IPv6 address (`::ffff:192.0.2.1`) is the IPv4 address that it stands for.
 */
import { isIPv4, isIPv6 } from 'node:net';

/** Words in network order, each from 0 to 2^32 - 1. */
export type Address = readonly number[];

export interface Subnet {
  /** Canonical CIDR text, always with a prefix length: `192.0.2.0/24`, `2001:db8::/32`. */
  readonly text: string;
  readonly network: Address;
  readonly mask: Address;
}

/** A legal subnet in words, for errors and docs. */
export const SUBNET_LEGAL = 'an IPv4 or IPv6 subnet such as 203.0.113.0/24';

const WORD_BITS = 32;
const MAPPED_BITS = 96;
const MAPPED_WORD = 0xffff;

function ipv4Word(text: string): number {
  return text.split('.').reduce((word, part) => word * 256 + Number(part), 0);
}

/** Up to eight 16-bit groups of one side of `::`; a dotted tail counts as two. */
function groupsOf(side: string): number[] {
  if (side === '') return [];
  return side.split(':').flatMap((part) => {
    if (!part.includes('.')) return Number.parseInt(part, 16);
    const word = ipv4Word(part);
    return [word >>> 16, word & 0xffff];
  });
}

function ipv6Words(text: string): number[] {
  const [head = '', tail] = text.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const groups = [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
  return [0, 2, 4, 6].map((at) => groups[at] * 0x10000 + groups[at + 1]);
}

function isMapped(words: Address): boolean {
  return words.length === 4 && words[0] === 0 && words[1] === 0 && words[2] === MAPPED_WORD;
}

/** As written: an IPv4-mapped address still has four words. */
function parseWords(text: string): Address | null {
  if (isIPv4(text)) return [ipv4Word(text)];
  return isIPv6(text) && !text.includes('%') ? ipv6Words(text) : null;
}

/** An address without zone id, port or brackets; null for anything else. */
export function parseAddress(text: string): Address | null {
  const words = parseWords(text);
  return words && isMapped(words) ? words.slice(3) : words;
}

function formatIpv6(words: Address): string {
  const groups = words.flatMap((word) => [word >>> 16, word & 0xffff]);
  const text = groups.map((group) => group.toString(16)).join(':');
  const runs = text.match(/\b0(:0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  // The first run of that length: a longer one does not exist.
  const at = text.search(new RegExp(`\\b${longest}\\b`));
  const before = text.slice(0, at).replace(/:$/, '');
  const after = text.slice(at + longest.length).replace(/^:/, '');
  return `${before}::${after}`;
}

/** The one text of an address: dotted for IPv4, RFC 5952 for IPv6. */
export function formatAddress(address: Address): string {
  const [word = 0] = address;
  if (address.length > 1) return formatIpv6(address);
  return [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255].join('.');
}

function maskOf(wordCount: number, prefixLength: number): Address {
  return Array.from({ length: wordCount }, (_, at) => {
    const bits = Math.min(Math.max(prefixLength - at * WORD_BITS, 0), WORD_BITS);
    return bits === 0 ? 0 : (-1 << (WORD_BITS - bits)) >>> 0;
  });
}

interface Cidr {
  readonly address: Address;
  readonly prefixLength: number;
}

/** An address and its prefix length as written in CIDR, its host bits set or not. */
function parseCidr(text: string): Cidr | null {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  const words = parseWords(addressText);
  if (!words || rest.length > 0) return null;
  const bits = words.length * WORD_BITS;
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
  const prefixLength = prefixText === undefined ? bits : Number(prefixText);
  if (prefixLength > bits) return null;
  if (!isMapped(words) || prefixLength < MAPPED_BITS) return { address: words, prefixLength };
  return { address: words.slice(3), prefixLength: prefixLength - MAPPED_BITS };
}

function subnetOf({ address, prefixLength }: Cidr): Subnet {
  const mask = maskOf(address.length, prefixLength);
  const network = address.map((word, at) => (word & mask[at]!) >>> 0);
  return { text: `${formatAddress(network)}/${prefixLength}`, network, mask };
}

function isNetworkAddress(address: Address, { network }: Subnet): boolean {
  return address.every((word, at) => word === network[at]);
}

/**
 * A CIDR subnet; a bare address is the subnet of that address alone. Null for anything else: no
 * zone ids, no spaces, no leading zeros in decimals, no address bits set past the prefix length,
 * which would leave open whether the host or its network is meant. A subnet of IPv4-mapped
 * addresses is the IPv4 subnet that it stands for.
 */
export function parseSubnet(text: string): Subnet | null {
  const cidr = parseCidr(text);
  const subnet = cidr && subnetOf(cidr);
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
  const subnet = subnetOf(cidr);
  return isNetworkAddress(cidr.address, subnet) ? null : subnet.text;
}

/** Says why CIDR text with bits set past its prefix length is refused; null for all other text. */
export function networkAddressProblem(text: string): string | null {
  const network = intendedNetwork(text);
  return network && `${text} is not a network address; did you mean ${network}?`;
}

/** Whether an address lies in a subnet; never where one is IPv4 and the other IPv6. */
export function contains(
  { network, mask }: Pick<Subnet, 'network' | 'mask'>,
  address: Address,
): boolean {
  if (address.length !== network.length) return false;
  for (let at = 0; at < network.length; at += 1) {
    if ((address[at]! & mask[at]!) >>> 0 !== network[at]) return false;
  }
  return true;
}
