import { describe, expect, it } from 'vitest';
import { addressProblem, subnetProblem } from './subnet-problem';

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
    ['10.1.0.0/8', /^10\.1\.0\.0\/8 is not a network address; did you mean 10\.0\.0\.0\/8\?$/],
    ['2001:db8::1/64', /is not a network address; did you mean 2001:db8::\/64\?$/],
    ['::ffff:10.1.2.3/64', /^Must be a subnet/],
  ])('is told what is wrong: %s', (text, problem) => {
    expect(subnetProblem(text)).toMatch(problem);
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
