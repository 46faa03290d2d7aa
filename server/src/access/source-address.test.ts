import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peerAddress, sourceAddress } from './source-address.ts';
import { formatAddress, parseSubnet, type Subnet } from './subnet.ts';

const TRUSTED = ['10.0.0.0/8', 'fd00::/8'].map((text) => parseSubnet(text) as Subnet);

function sourceOf(peer: string | undefined, forwardedFor?: string): string | null {
  const source = sourceAddress(peerAddress(peer), forwardedFor, TRUSTED);
  return source && formatAddress(source);
}

describe('sourceAddress', () => {
  it.each([
    ['192.0.2.1', '198.51.100.7', '192.0.2.1', 'a peer that is no trusted proxy is the source'],
    ['10.0.0.1', undefined, '10.0.0.1', 'a proxy without the header speaks for itself'],
    ['10.0.0.1', '', '10.0.0.1', 'and so it does with an empty header'],
    ['10.0.0.1', '198.51.100.7', '198.51.100.7', 'one entry'],
    ['::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7', 'a peer in its IPv4-mapped form'],
    ['fd00::1', '2001:DB8::7', '2001:db8::7', 'a proxy and a source of IPv6'],
    ['10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7', 'never the left-most'],
    ['10.0.0.1', '203.0.113.9, 198.51.100.7, 10.0.0.2', '198.51.100.7', 'proxies are skipped'],
    ['10.0.0.1', '203.0.113.9,10.0.0.3,::ffff:10.0.0.2', '203.0.113.9', 'in either form'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'only proxies: the farthest one'],
    ['10.0.0.1', '198.51.100.7:4711', '198.51.100.7', 'an IPv4 entry with a port'],
    ['10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7', 'an IPv6 entry with a port'],
    ['10.0.0.1', '[2001:db8::7]', '2001:db8::7', 'an IPv6 entry in brackets'],
    ['10.0.0.1', '198.51.100.7, unknown', null, 'an entry that is no address'],
    ['10.0.0.1', '198.51.100.7,', null, 'an empty last entry'],
    ['10.0.0.1', '198.51.100.7, nonsense, 10.0.0.2', null, 'no address behind a proxy'],
    [
      '10.0.0.1',
      'nonsense, 198.51.100.7',
      '198.51.100.7',
      'what is left of the source is not read',
    ],
    ['10.0.0.1', '198.51.100.7 10.0.0.2', null, 'entries without a comma'],
    ['10.0.0.1', '10.0.0.0/8', null, 'a subnet'],
    ['10.0.0.1', '010.0.0.2', null, 'an address with a leading zero'],
    ['10.0.0.1', 'fe80::1%eth0', null, 'an address with a zone id'],
    ['fe80::1%eth0', '198.51.100.7', 'fe80::1', "a link-local peer, whose zone id is the socket's"],
    [undefined, '198.51.100.7', null, 'no peer'],
  ])('from %s saying %j it is %s: %s', (peer, forwardedFor, source, _reason) => {
    expect(sourceOf(peer, forwardedFor)).toBe(source);
  });

  it('is the last address that a trusted proxy saw, whatever the client wrote before it', () => {
    const proxy = fc.nat(255).map((last) => `10.0.1.${last}`);
    fc.assert(
      fc.property(fc.string(), fc.array(proxy), (forged, proxies) => {
        const header = [forged, '198.51.100.7', ...proxies].join(', ');
        expect(sourceOf('10.0.0.1', header)).toBe('198.51.100.7');
      }),
    );
  });
});
