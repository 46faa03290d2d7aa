import { expect, it } from 'vitest';
import { parseSubnet, type Subnet } from '../access/subnet.ts';
import { clientOf } from './open-connections.ts';

const TRUSTED = ['10.0.0.0/8', 'fd00::/8'].map((text) => parseSubnet(text) as Subnet);

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
  ['2001:db8:0:1:ffff::8', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::7', '2001:db8:0:2::/64'],
  ['10.0.0.1', null],
  ['fd00::1', null],
  [undefined, 'unknown'],
])('the connections of %s are limited as those of %s', (remoteAddress, client) => {
  expect(clientOf(remoteAddress, TRUSTED)).toBe(client);
});
