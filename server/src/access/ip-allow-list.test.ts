import { describe, expect, it } from 'vitest';
import { isAllowedFrom } from './ip-allow-list.ts';
import { parseAddress } from './subnet.ts';

describe('isAllowedFrom', () => {
  it.each([
    [[], '203.0.113.7', true],
    [[], 'unknown', true],
    [['203.0.113.0/24'], '203.0.113.7', true],
    [['203.0.113.0/24'], '203.0.114.7', false],
    [['203.0.113.0/24'], 'unknown', false],
    [['0.0.0.0/0', '::/0'], 'unknown', false],
    [['203.0.113.0/24'], '::ffff:203.0.113.7', true],
    [['192.0.2.0/24', '2001:db8::/32'], '2001:db8:1::7', true],
    [['192.0.2.0/24', '2001:db8::/32'], '2001:db9::7', false],
    [['not a subnet'], '203.0.113.7', false],
  ])('of %j to %s: %s', (subnets, address, isAllowed) => {
    expect(isAllowedFrom(subnets, parseAddress(address))).toBe(isAllowed);
    expect(isAllowedFrom(subnets, parseAddress(address)), 'from the compiled list').toBe(isAllowed);
  });

  it('takes no list for another whose texts join to the same', () => {
    const address = parseAddress('10.9.9.9');
    expect(isAllowedFrom(['0.0.0.0/1', '6'], address)).toBe(true);
    expect(isAllowedFrom(['0.0.0.0/16'], address)).toBe(false);
  });

  it('goes by the list as it is now, and by no other identity', () => {
    const address = parseAddress('203.0.113.7');
    for (let at = 0; at < 12_000; at += 1) {
      const other = `10.${at >> 8}.${at & 255}.0/24`;
      expect(isAllowedFrom([other], address)).toBe(false);
    }
    expect(isAllowedFrom(['203.0.113.7/32'], address)).toBe(true);
    expect(isAllowedFrom(['10.0.0.0/24'], parseAddress('10.0.0.9'))).toBe(true);
  });
});
