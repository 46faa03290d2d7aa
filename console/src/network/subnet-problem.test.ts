import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contains, parseAddress, parseSubnet } from '../../../src/access/subnet.ts';
import { addressProblem, networkOf, subnetProblem } from './subnet-problem';

describe('a subnet as typed', () => {
  it.each(['10.0.0.0/8', '192.0.2.1', '::/0', '2001:db8::/32', '::ffff:192.0.2.0/120'])(
    'is right: %s',
    (text) => {
      expect(subnetProblem(text)).toBe('');
    },
  );

  it.each([
    ['10', /IPv4 or IPv6/],
    ['10.0.0', /IPv4 or IPv6/],
    ['010.0.0.0/8', /IPv4 or IPv6/],
    [' 10.0.0.0/8', /IPv4 or IPv6/],
    ['fe80::1%eth0', /IPv4 or IPv6/],
    ['10.0.0.0/', /from 0 to 32/],
    ['10.0.0.0/33', /from 0 to 32/],
    ['10.0.0.0/08', /from 0 to 32/],
    ['10.0.0.0/8/8', /from 0 to 32/],
    ['2001:db8::/129', /from 0 to 128/],
    ['10.1.0.0/8', /past its prefix/],
    ['2001:db8::1/64', /past its prefix/],
  ])('is told what is wrong: %s', (text, problem) => {
    expect(subnetProblem(text)).toMatch(problem);
  });

  it('is offered as the network that it lies in', () => {
    expect(networkOf('10.1.2.3/8')).toBe('10.0.0.0/8');
    expect(networkOf('255.255.255.255/25')).toBe('255.255.255.128/25');
    expect(networkOf('2001:db8::1/32')).toBe('2001:db8::/32');
    expect(networkOf('::ffff:10.1.2.3/104')).toBe('10.0.0.0/8');
    expect(networkOf('::ffff:10.1.2.3/64')).toBeNull();
    expect(networkOf('10.1.2.3/40')).toBeNull();
    expect(networkOf('10.1.2.3')).toBeNull();
  });

  it('lies in the network that is offered, of any address and prefix length', () => {
    const subnet = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 96, max: 128 })),
    );
    const check = ([address, prefix]: [string, number]) => {
      const network = parseSubnet(networkOf(`${address}/${prefix}`) ?? '');
      return network !== null && contains(network, parseAddress(address) ?? []);
    };
    fc.assert(fc.property(subnet, check));
  });
});

describe('an address as typed', () => {
  it('is one without a prefix length', () => {
    expect(addressProblem('10.1.2.3')).toBe('');
    expect(addressProblem('2001:db8::1')).toBe('');
    expect(addressProblem('10.1.2.3/32')).not.toBe('');
    expect(addressProblem('')).not.toBe('');
  });
});
