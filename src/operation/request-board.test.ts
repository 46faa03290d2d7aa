import { describe, expect, it } from 'vitest';
import { generateKey } from '../access/api-key.ts';
import { boardUrl } from './request-board.ts';

describe('boardUrl', () => {
  it('shows no part of a key, wherever it stands in a long URL', () => {
    const key = generateKey();
    const encoded = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    const long = 'w'.repeat(100);
    for (const written of [key, encoded]) {
      for (let before = 5800; before <= 6100; before += 1) {
        // Words that are left out make room for what stands far behind.
        const filler = `${long},`.repeat(before / 101) + ','.repeat(before % 101);
        const shown = boardUrl(`/v1/x?a=${filler}${written}${','.repeat(5000)}`);
        expect(shown).not.toContain(key.slice(0, 5));
        expect(shown).not.toContain(encoded.slice(0, 9));
      }
    }
  });

  it('is never longer than can be read', () => {
    expect(boardUrl(`/v1/x?${'a,'.repeat(8000)}`)).toHaveLength(2000);
    expect(boardUrl(`/v1/x?${'%2B,'.repeat(8000)}`)).toHaveLength(2000);
  });
});
