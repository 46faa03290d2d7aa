/**
 * Replaces the functions of `node:net` that the rules of subnets use, for the browser: the console is built with this
 * module in its place. Zone ids are left out, which no rule takes.
 */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6_GROUP = /^[\da-f]{1,4}$/i;
const IPV6_GROUPS = 8;

export function isIPv4(text: string): boolean {
  return IPV4.test(text);
}

/** An IPv4 address may stand for the last two groups. */
function ipv6Groups(part: string, isLast: boolean): number {
  if (IPV6_GROUP.test(part)) return 1;
  return isLast && isIPv4(part) ? 2 : Number.NaN;
}

export function isIPv6(text: string): boolean {
  const sides = text.split('::');
  if (sides.length > 2) return false;
  const parts = sides.flatMap((side) => (side === '' ? [] : side.split(':')));
  const lastAt = sides.at(-1) === '' ? -1 : parts.length - 1;
  const count = parts.reduce((sum, part, at) => sum + ipv6Groups(part, at === lastAt), 0);
  return sides.length === 2 ? count < IPV6_GROUPS : count === IPV6_GROUPS;
}
