import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { sourceOfRows } from '../../test/source-of-rows.ts';
import { batchOfRows } from '../engine/columns.ts';
import { BLOCK_BYTES, releaseBlock, takeBlock } from './byte-sink.ts';
import { GzipBody, gzipInBlocks } from './csv.ts';
import type { PageFrame } from './format.ts';

async function gzipOf(blocks: readonly Uint8Array[]): Promise<Buffer> {
  const written: Buffer[] = [];
  const body = new GzipBody((bytes) => written.push(bytes));
  for (const block of blocks) {
    body.add(Buffer.from(block));
    await body.room();
  }
  const end = await body.finish();
  return Buffer.concat([...written, end]);
}

describe('GzipBody', () => {
  it('is one member that unpacks to its blocks, however they are cut', async () => {
    const anyBlock = fc.uint8Array({ minLength: 1, maxLength: 2000 });
    await fc.assert(
      fc.asyncProperty(fc.array(anyBlock, { maxLength: 12 }), async (blocks) => {
        const gzip = await gzipOf(blocks);
        const whole = Buffer.concat(blocks);
        expect(gunzipSync(gzip).equals(whole)).toBe(true);
        // This reader refuses whatever follows the first member.
        const reader = new Blob([new Uint8Array(gzip)])
          .stream()
          .pipeThrough(new DecompressionStream('gzip'));
        expect(Buffer.from(await new Response(reader).arrayBuffer()).equals(whole)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same file for the same bytes, in whichever pieces they come', async () => {
    const text = Buffer.from(Array.from({ length: 70_000 }, (_, i) => `${i * 7},A\n`).join(''));
    expect(text.length).toBeGreaterThan(2 * BLOCK_BYTES);
    const whole = await gzipOf([text]);
    const anyCuts = fc.array(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyCuts, async (cuts) => {
        const ends = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = ends.slice(1).map((end, i) => text.subarray(ends[i], end));
        expect((await gzipOf(pieces)).equals(whole)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('comes out whole when many are compressed at once', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => Buffer.from(`${i},`.repeat(50_000)));
    const files = await Promise.all(texts.map((text) => gzipOf([text, text, text, text, text])));
    files.forEach((file, i) => {
      const text = texts[i] as Buffer;
      expect(gunzipSync(file).equals(Buffer.concat([text, text, text, text, text]))).toBe(true);
    });
  });

  it('is a small part of lines that resemble each other', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `2025-06-18,AAPL,TRADE,${i}\n`);
    const text = Buffer.from(lines.join(''));
    expect((await gzipOf([text])).length).toBeLessThan(text.length / 6);
  });

  it('fails at its end where a compression failed before, and not earlier', async () => {
    vi.resetModules();
    vi.doMock('node:zlib', async (importOriginal) => ({
      ...(await importOriginal<object>()),
      deflateRaw: (_block: unknown, _options: unknown, done: (error: Error) => void) =>
        done(new Error('no memory')),
    }));
    try {
      const { GzipBody: FailingBody } = await import('./csv.ts');
      const body = new FailingBody(() => undefined);
      body.add(Buffer.from('a'));
      // A failure that nobody waits for yet would end the process in this turn.
      await nextTurn();
      await expect(body.finish()).rejects.toThrow('no memory');
    } finally {
      vi.doUnmock('node:zlib');
    }
  });
});

describe('a gzip page in blocks', () => {
  const text = { dataType: 'string', fractionDigits: 0, description: '' } as const;
  const columns = [{ name: 'A', ...text }];
  const frame = { columns, offset: 0, limit: 100_000 } as unknown as PageFrame;
  const takeBlocks = () => Array.from({ length: 16 }, () => takeBlock(BLOCK_BYTES));

  it.each([
    ['before its first row', 0],
    ['while its blocks are compressed', 2000],
  ])('gives all of them back, each once, where its rows fail %s', async (_, rowCount) => {
    const blocks = takeBlocks();
    blocks.forEach(releaseBlock);
    async function* rows() {
      const row = ['x'.repeat(500)];
      if (rowCount > 0) yield batchOfRows(columns, Array<string[]>(rowCount).fill(row));
      throw new Error('the file is gone');
    }
    for (let page = 0; page < 20; page++) {
      await expect(gzipInBlocks(sourceOfRows(rows()), frame)).rejects.toThrow('the file is gone');
    }
    const known = new Set(blocks.map(({ buffer }) => buffer));
    const again = new Set(takeBlocks().map(({ buffer }) => buffer));
    expect(again.intersection(known).size).toBe(blocks.length);
  });
});
