import { isIP, isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import {
  type Address,
  contains,
  formatAddress,
  intendedNetwork,
  networkAddressProblem,
  parseAddress,
  parseSubnet,
} from './subnet.ts';

/** 32-bit words in network order: one for IPv4, four for IPv6. */
function addressOf(words: readonly number[]): Address {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [at, word] of words.entries()) bytes.writeUInt32BE(word, at * 4);
  return ipaddr.fromByteArray([...bytes]);
}

/** Address bits as text of 0 and 1: slow and plain. */
function bitText(words: readonly number[]): string {
  return words.map((word) => word.toString(2).padStart(32, '0')).join('');
}

const ipv4 = fc.nat(0xffffffff).map((word) => [word]);
const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 });

const ipv6Words = ipv6.map((groups) =>
  [0, 2, 4, 6].map((at) => groups[at]! * 0x10000 + groups[at + 1]!),
);

/** Texts that differ from an address by little, or not at all. */
const NEAR_ADDRESSES = [
  '',
  '1.2.3.4',
  '01.2.3.4',
  '1.2.3',
  '1.2.3.4.',
  '1.2.3.256',
  '1.2.3.4\n',
  '::',
  ':::',
  ':',
  '::1',
  '1::',
  '1::2::3',
  ':1::2',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7::',
  '::2:3:4:5:6:7:8',
  '1:2:3:4::5:6:7:8',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:1.2.3.4',
  '1:2:3:4:5:6:7:1.2.3.4',
  '::ffff:1.2.3.4',
  '1.2.3.4::',
  '::1.2.3.4:5',
  '::ffff:1.2.3.999',
  '12345::',
  'FE80::G',
  'fe80::A',
  '[::1]',
  '::1.2.3.4',
  '::ffff:01.2.3.4',
  '::ffff:0x1.2.3.4',
  '::ffff:1.2.3',
  '1.2.3.4:5',
  '0x1.2.3.4',
  '1:2:3:4:5:6:7:',
  '1:2:3:4:5:6:7:8:',
];

describe('an address', () => {
  function expectAgreement(text: string): void {
    expect([text, parseAddress(text) !== null]).toEqual([text, isIP(text) !== 0]);
  }

  it.each(NEAR_ADDRESSES)('is what Node.js takes for one: %j', expectAgreement);

  it('is what Node.js takes for one, for any text of their characters', () => {
    const part = fc.constantFrom(
      ...['0', '1', '9', '25', '255', '256', 'f', 'ABCD', '00', '::', ':', '.', 'x', ' ', '\n'],
    );
    const made = fc.array(part, { maxLength: 18 }).map((parts) => parts.join(''));
    const texts = fc.oneof(fc.ipV4(), fc.ipV6(), made);
    fc.assert(fc.property(texts, expectAgreement), { numRuns: 5000 });
  });
});

describe('parseSubnet', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['2001:DB8:0:0::/32', '2001:db8::/32'],
    ['2001:0db8::0001/128', '2001:db8::1/128'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3/128'],
    ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4/128'],
    ['10:0:0:20:0:0:0:3', '10:0:0:20::3/128'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['::ffff:c000:201', '192.0.2.1/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::1:0:ffff:c000:201', '::1:0:ffff:c000:201/128'],
    ['0:1::ffff:c000:201', '0:1::ffff:c000:201/128'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201/128'],
    ['::192.0.2.1', '::c000:201/128'],
  ])('reads %s as %s', (text, canonical) => {
    expect(parseSubnet(text)?.text).toBe(canonical);
  });

  it.each([
    '',
    '/',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/+8',
    '10.0.0.0/8.0',
    '10.0.0.0/1e1',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/255.0.0.0',
    '10.0.0.1/8',
    '10.0.0',
    '10.0.0.0.0',
    '010.0.0.0/8',
    '10.0.0.256',
    '0x0a.0.0.0/8',
    '167772160/8',
    ' 10.0.0.0/8',
    '10.0.0.0/8 ',
    '10.0.0.0 /8',
    '10.0.0.0/8,11.0.0.0/8',
    '2001:db8::/129',
    '2001:db8::1/64',
    '2001:db8:::/32',
    '2001::db8::/32',
    '12345::/16',
    '[::1]/128',
    'fe80::1%eth0/128',
    'fe80::%1/64',
    '::ffff:192.0.2.1/120',
    'localhost',
    '*',
  ])('refuses %j', (text) => {
    expect(parseSubnet(text)).toBeNull();
  });

  it('gives the same subnet again for its own text', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6Words), (words) => {
        const subnet = parseSubnet(formatAddress(addressOf(words)))!;
        expect(parseSubnet(subnet.text)).toEqual(subnet);
      }),
    );
  });

  it('writes an IPv6 address as a URL does', () => {
    fc.assert(
      fc.property(ipv6Words, (words) => {
        const text = formatAddress(addressOf(words));
        expect(isIPv6(text)).toBe(true);
        expect(new URL(`http://[${text}]/`).hostname).toBe(`[${text}]`);
        expect(
          new URL(
            `http://[${words
              .flatMap((word) => [word >>> 16, word & 0xffff].map((half) => half.toString(16)))
              .join(':')}]/`,
          ).hostname,
        ).toBe(`[${text}]`);
      }),
    );
  });
});

describe('the network of an address with host bits', () => {
  it.each([
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['255.255.255.255/25', '255.255.255.128/25'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ])('is offered for %s: %s', (text, network) => {
    expect(intendedNetwork(text)).toBe(network);
    expect(networkAddressProblem(text)).toBe(
      `${text} is not a network address; did you mean ${network}?`,
    );
  });

  it.each(['192.0.2.0/24', '10.1.2.3', '10.1.2.3/40', '::ffff:10.1.2.3/64', 'localhost'])(
    'is not offered for %s',
    (text) => {
      expect(intendedNetwork(text)).toBeNull();
      expect(networkAddressProblem(text)).toBeNull();
    },
  );

  it('is a legal subnet that contains the address, for any prefix length', () => {
    const cidr = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 96, max: 128 })),
    );
    fc.assert(
      fc.property(cidr, ([address, prefix]) => {
        const text = `${address}/${prefix}`;
        const subnet = parseSubnet(intendedNetwork(text) ?? text);
        expect(subnet && contains(subnet, parseAddress(address)!)).toBe(true);
      }),
    );
  });
});

describe('contains', () => {
  it('agrees with comparing the leading bits one by one', () => {
    const nearby = fc
      .oneof(ipv4, ipv6Words)
      .chain((words) =>
        fc.tuple(
          fc.constant(words),
          fc.nat(words.length * 32),
          fc.oneof(fc.constant(-1), fc.nat(words.length * 32 - 1)),
        ),
      );
    fc.assert(
      fc.property(nearby, ([words, prefixLength, flippedBit]) => {
        const bits = bitText(words);
        const networkBits = bits.slice(0, prefixLength).padEnd(bits.length, '0');
        const network = words.map((_, at) =>
          Number.parseInt(networkBits.slice(at * 32, at * 32 + 32), 2),
        );
        const subnet = parseSubnet(`${formatAddress(addressOf(network))}/${prefixLength}`)!;
        const address = words.map((word, at) =>
          Math.floor(flippedBit / 32) === at
            ? (word ^ (1 << (31 - (flippedBit % 32)))) >>> 0
            : word,
        );
        const same = bitText(address).slice(0, prefixLength) === bits.slice(0, prefixLength);
        const read = parseAddress(formatAddress(addressOf(address)))!;
        // A mapped address is IPv4 itself and so is outside every IPv6 subnet.
        expect(contains(subnet, read)).toBe(read.kind() === subnet.network.kind() && same);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['127.0.0.0/8', '::ffff:127.0.0.2', true],
    ['127.0.0.0/8', '::ffff:7f00:2', true],
    ['::ffff:127.0.0.0/104', '127.0.0.2', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['::1', '127.0.0.1', false],
    ['::/0', '127.0.0.1', false],
    ['0.0.0.0/0', '::1', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['::/0', 'ffff::1', true],
  ])('%s holds %s: %s', (subnet, address, holds) => {
    expect(contains(parseSubnet(subnet)!, parseAddress(address)!)).toBe(holds);
  });
});
