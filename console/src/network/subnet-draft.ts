import { isAllowedFrom } from 'ticklake/access/ip-allow-list.ts';
import { networkAddressProblem, parseAddress, parseSubnet } from 'ticklake/access/subnet.ts';

const WORD_BITS = 32;
const PREFIX = /^(0|[1-9]\d{0,2})$/;

function written(text: string) {
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

export type Draft = ReturnType<typeof draftOf>;
export type DraftRow = Draft['rows'][number];

/** The ids tell rows apart while their texts change. */
export function draftOf(subnets: readonly string[]) {
  return { rows: subnets.map((text, id) => ({ id, text })), nextId: subnets.length };
}

export function addRow({ rows, nextId }: Draft): Draft {
  return { rows: [...rows, { id: nextId, text: '' }], nextId: nextId + 1 };
}

export function removeRow({ rows, nextId }: Draft, id: number): Draft {
  return { rows: rows.filter((row) => row.id !== id), nextId };
}

/** Several texts, as after pasting a list, become several rows. */
export function changeRow({ rows, nextId }: Draft, id: number, texts: readonly string[]): Draft {
  const [first = '', ...others] = texts;
  const added = others.map((text, at) => ({ id: nextId + at, text }));
  const changed = rows.flatMap((row) => (row.id === id ? [{ id, text: first }, ...added] : row));
  return { rows: changed, nextId: nextId + added.length };
}

/** The entries of a list however they are separated: by spaces, commas, semicolons or lines. */
export function listedTexts(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== '');
}

/** The subnets of a draft in their usual spelling, without what is empty or no subnet. */
export function draftSubnets({ rows }: Draft): string[] {
  return rows.flatMap(({ text }) => parseSubnet(text)?.text ?? []);
}

/** Problems by row. Empty rows are dropped when the list is saved. */
export function draftProblems({ rows }: Draft): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  const known = new Set<string>();
  for (const { id, text } of rows) {
    const subnet = parseSubnet(text)?.text;
    if (text === '') continue;
    if (subnet === undefined) problems.set(id, subnetProblem(text));
    else if (known.has(subnet)) problems.set(id, `${subnet} is already in the list`);
    else known.add(subnet);
  }
  return problems;
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((subnet, at) => subnet === b[at]);
}

/** By the rule of the server; an empty list lets in all. */
export function isAllowed(subnets: readonly string[], address: string): boolean {
  return isAllowedFrom(subnets, parseAddress(address));
}

/** Which entry lets an address in; null where none does or there is no entry. */
export function allowingSubnet(subnets: readonly string[], address: string): string | null {
  return subnets.find((subnet) => isAllowed([subnet], address)) ?? null;
}
