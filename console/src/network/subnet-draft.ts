/** The allow-list while it is edited. */
import { isAllowedFrom } from 'ticklake/access/ip-allow-list.ts';
import { parseAddress, parseSubnet } from 'ticklake/access/subnet.ts';
import { subnetProblem } from './subnet-problem';

export interface DraftRow {
  /** Tells rows apart while their texts change. */
  readonly id: number;
  readonly text: string;
}

export interface Draft {
  readonly rows: readonly DraftRow[];
  readonly nextId: number;
}

export function draftOf(subnets: readonly string[]): Draft {
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

/** Whether a list lets an address in, by the rule of the server; an empty one lets in all. */
export function isAllowed(subnets: readonly string[], address: string): boolean {
  return isAllowedFrom(subnets, parseAddress(address));
}

/** Which entry lets an address in; null where none does or there is no entry. */
export function allowingSubnet(subnets: readonly string[], address: string): string | null {
  return subnets.find((subnet) => isAllowed([subnet], address)) ?? null;
}
