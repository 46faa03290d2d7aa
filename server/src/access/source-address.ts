/**
 * The address that a request comes from. Headers say so only when the socket's peer is a proxy that
 * the operator trusts; what anybody else writes into them is never read.
 */
import { type Address, contains, parseAddress, type Subnet } from './subnet.ts';

export function isIn(subnets: readonly Subnet[], address: Address | null): boolean {
  return address !== null && subnets.some((subnet) => contains(subnet, address));
}

/** The address of a socket's peer, without its zone id; null where the socket is gone. */
export function peerAddress(remoteAddress: string | undefined): Address | null {
  return parseAddress(remoteAddress?.split('%')[0] ?? '');
}

const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/;
const DOTTED_WITH_PORT = /^([\d.]+):\d{1,5}$/;

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function entryAddress(entry: string): Address | null {
  const text = entry.trim();
  const [, inner] = BRACKETED.exec(text) ?? DOTTED_WITH_PORT.exec(text) ?? [];
  return parseAddress(inner ?? text);
}

/**
 * The address that a request comes from: the peer's, unless the peer is a trusted proxy. Then the
 * entries of `X-Forwarded-For` are read from the right, each written by the proxy before it, up to
 * the first that is not a trusted proxy; where all are, it is the left-most. An entry that is no
 * address ends the reading with null: who sent the request is then unknown.
 */
export function sourceAddress(
  peer: Address | null,
  forwardedFor: string | undefined,
  trustedProxies: readonly Subnet[],
): Address | null {
  if (!isIn(trustedProxies, peer) || !forwardedFor?.trim()) return peer;
  let source: Address | null = peer;
  for (const entry of forwardedFor.split(',').reverse()) {
    source = entryAddress(entry);
    if (!isIn(trustedProxies, source)) return source;
  }
  return source;
}
