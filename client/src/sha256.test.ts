import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { base64Of, hexOf, PlainSha256, sha256 } from './sha256.ts';

it('both ways to the digest lead to that of the standard, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (pieces) => {
      const bytes = Buffer.concat(pieces);
      for (const hash of [new PlainSha256(), sha256()]) {
        for (const piece of pieces) hash.update(piece);
        const digest = new Uint8Array(hash.digest());
        expect(hexOf(digest)).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(base64Of(digest)).toBe(createHash('sha256').update(bytes).digest('base64'));
      }
    }),
  );
});
