import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { compareBounds } from './prune.ts';

describe('compareBounds', () => {
  it('orders text by its UTF-8 bytes', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 4 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareBounds(a, b))).toBe(expected);
      }),
    );
  });

  it.each([
    ['\uFFFD', '😀', -1],
    ['A', 'AA', -1],
    ['', '', 0],
    [2n, 10n, -1],
    [2n ** 63n - 1n, 2n ** 63n - 2n, 1],
    [0.5, 0.25, 1],
    [5n, 5n, 0],
  ] as const)('of %s and %s is %i', (a, b, sign) => {
    expect(Math.sign(compareBounds(a, b))).toBe(sign);
  });
});
