/** What is wrong with the text of a subnet, for the person who types it. */
import { formatAddress, parseAddress, parseSubnet } from '../../../src/access/subnet.ts';

const WORD_BITS = 32;
const MAPPED_BITS = 96;
const PREFIX = /^(0|[1-9]\d{0,2})$/;

interface Written {
  readonly addressText: string;
  readonly prefixText: string | undefined;
  readonly bits: number;
}

function written(text: string): Written {
  const at = text.indexOf('/');
  const addressText = at < 0 ? text : text.slice(0, at);
  const prefixText = at < 0 ? undefined : text.slice(at + 1);
  return { addressText, prefixText, bits: addressText.includes(':') ? 128 : WORD_BITS };
}

function isPrefix(text: string, bits: number): boolean {
  return PREFIX.test(text) && Number(text) <= bits;
}

/** The subnet that an address with bits past its prefix length lies in; null where that is not it. */
export function networkOf(text: string): string | null {
  const { addressText, prefixText, bits } = written(text);
  const address = parseAddress(addressText);
  if (address === null || prefixText === undefined || !isPrefix(prefixText, bits)) return null;
  const isMapped = bits > WORD_BITS && address.length === 1;
  const prefix = Number(prefixText) - (isMapped ? MAPPED_BITS : 0);
  if (prefix < 0) return null;
  const network = address.map((word, at) => {
    const kept = Math.min(Math.max(prefix - at * WORD_BITS, 0), WORD_BITS);
    return kept === 0 ? 0 : (word & (-1 << (WORD_BITS - kept))) >>> 0;
  });
  return parseSubnet(`${formatAddress(network)}/${prefix}`)?.text ?? null;
}

/** '' where the service takes it. */
export function subnetProblem(text: string): string {
  if (parseSubnet(text)) return '';
  const { addressText, prefixText, bits } = written(text);
  if (parseAddress(addressText) === null) {
    return 'Should be an IPv4 or IPv6 address, with a prefix length for a subnet: 10.0.0.0/8';
  }
  if (prefixText !== undefined && !isPrefix(prefixText, bits)) {
    return `The prefix length should be a whole number from 0 to ${bits}`;
  }
  return 'Has address bits set past its prefix length';
}

/** '' where it is an address. */
export function addressProblem(text: string): string {
  return parseAddress(text) ? '' : 'Should be an IPv4 or IPv6 address such as 10.1.2.3';
}
