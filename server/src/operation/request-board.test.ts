import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { generateKey } from '../access/api-key.ts';
import { boardUrl, RequestBoard } from './request-board.ts';

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

describe('a refusal', () => {
  function usedBytes(): number {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  it('keeps nothing of a long text but what is shown', () => {
    const board = new RequestBoard();
    const refuse = (at: number) =>
      board.refuse({
        requestId: `${at}`,
        atMs: 0,
        account: null,
        sourceAddress: null,
        method: 'POST',
        url: `/v1/${'a/'.repeat(4000)}${at}`,
        status: 422,
        detail: `${'a b '.repeat(50_000)}${at}`,
      });
    const before = usedBytes();
    for (let at = 0; at < 200; at++) refuse(at);
    expect(usedBytes() - before).toBeLessThan(10_000_000);
    expect(board.refusals()[0]?.detail).toHaveLength(2000);
  });
});
