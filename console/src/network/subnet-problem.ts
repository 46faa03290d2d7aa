/** Explains to the person who types a subnet what is wrong with it. */
import { networkAddressProblem, parseAddress, parseSubnet } from 'ticklake/access/subnet.ts';

const WORD_BITS = 32;
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

/** '' where the service takes it. */
export function subnetProblem(text: string): string {
  if (parseSubnet(text)) return '';
  const { addressText, prefixText, bits } = written(text);
  if (parseAddress(addressText) === null) {
    return 'Must be an IPv4 or IPv6 address, with a prefix length for a subnet: 10.0.0.0/8';
  }
  if (prefixText !== undefined && !isPrefix(prefixText, bits)) {
    return `The prefix length must be a whole number from 0 to ${bits}`;
  }
  return networkAddressProblem(text) ?? 'Must be a subnet such as 10.0.0.0/8';
}

/** '' where it is an address. */
export function addressProblem(text: string): string {
  return parseAddress(text) ? '' : 'Must be an IPv4 or IPv6 address such as 10.1.2.3';
}
