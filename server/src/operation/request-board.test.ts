import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
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

/** Run in a thread, which has a heap of its own: to collect that of all files takes seconds. */
const LONG_REFUSALS = `
  require('node:v8').setFlagsFromString('--expose-gc');
  const collect = require('node:vm').runInNewContext('gc');
  const { parentPort, workerData } = require('node:worker_threads');
  const usedBytes = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  import(workerData).then(({ RequestBoard }) => {
    const board = new RequestBoard();
    const before = usedBytes();
    for (let at = 0; at < 200; at++) {
      const url = '/v1/' + 'a/'.repeat(4000) + at;
      board.refuse({ url, detail: 'a b '.repeat(50_000) + at });
    }
    const keptBytes = usedBytes() - before;
    parentPort.postMessage({ keptBytes, detail: board.refusals()[0].detail });
  });
`;

describe('a refusal', () => {
  it('keeps nothing of a long text but what is shown', async () => {
    const workerData = new URL('request-board.ts', import.meta.url).href;
    const worker = new Worker(LONG_REFUSALS, { eval: true, workerData });
    const [{ keptBytes, detail }] = await once(worker, 'message');
    expect(keptBytes).toBeLessThan(10_000_000);
    expect(detail).toHaveLength(2000);
  });
});
