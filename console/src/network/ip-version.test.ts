// The types are those of `ip-version`; what runs here is Node's.
import * as node from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIPv4, isIPv6 } from './ip-version';

const TEXTS = [
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
];

function expectAgreement(text: string): void {
  expect([text, isIPv4(text), isIPv6(text)]).toEqual([text, node.isIPv4(text), node.isIPv6(text)]);
}

describe('what is an address in the browser', () => {
  it.each(TEXTS)('is what is one on the server: %j', (text) => {
    expectAgreement(text);
  });

  it('is what is one on the server, for any text of their characters', () => {
    const part = fc.constantFrom(
      '0',
      '1',
      '9',
      '25',
      '255',
      '256',
      'f',
      'ABCD',
      '00',
      '::',
      ':',
      '.',
    );
    const made = fc.array(part, { maxLength: 18 }).map((parts) => parts.join(''));
    const texts = fc.oneof(fc.ipV4(), fc.ipV6(), made);
    fc.assert(fc.property(texts, expectAgreement), { numRuns: 5000 });
  });
});
