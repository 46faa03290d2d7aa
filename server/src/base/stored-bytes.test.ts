import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { StoredBytes, type Stretch } from './stored-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'stored-bytes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'file');
const content = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 251));
writeFileSync(file, content);

const memory = fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ bytes: Buffer.from(bytes) }));
const ofFile = fc.tuple(fc.nat(5000), fc.nat(5000)).map(([one, other]) => ({
  file,
  start: Math.min(one, other),
  end: Math.max(one, other),
}));

function bytesOf(stretch: Stretch): Buffer {
  return 'bytes' in stretch ? stretch.bytes : content.subarray(stretch.start, stretch.end);
}

describe('StoredBytes', () => {
  it('read any range as the same range of the stretches put together', async () => {
    const range = fc.tuple(fc.nat(6000), fc.nat(6000));
    const stretches = fc.array(fc.oneof(memory, ofFile), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(stretches, range, async (some, [start, end]) => {
        const whole = Buffer.concat(some.map(bytesOf));
        const stored = new StoredBytes(some);
        expect(stored.byteCount).toBe(whole.length);
        expect(await buffer(stored.stream())).toEqual(whole);
        expect(await buffer(stored.chunks(start, end))).toEqual(
          whole.subarray(start, Math.max(start, end)),
        );
        const lent = await Array.fromAsync(stored.lentChunks(start, end), (chunk) =>
          Buffer.from(chunk),
        );
        expect(Buffer.concat(lent)).toEqual(whole.subarray(start, Math.max(start, end)));
      }),
      { numRuns: 60 },
    );
  });

  it('lend the steps of a large file from two buffers, one read while the other is used', async () => {
    const large = join(folder, 'large');
    const all = Buffer.from(Array.from({ length: 4_500_000 }, (_, i) => (i * 7919) >> 8));
    writeFileSync(large, all);
    const stored = new StoredBytes([{ file: large, start: 3, end: 4_499_999 }]);
    const memory = new Set<ArrayBufferLike>();
    const copies: Buffer[] = [];
    for await (const chunk of stored.lentChunks()) {
      memory.add(chunk.buffer);
      // The step after it is read before all of the file.
      await readFile(large);
      copies.push(Buffer.from(chunk));
    }
    expect(Buffer.concat(copies).equals(all.subarray(3, 4_499_999))).toBe(true);
    expect(copies.length).toBeGreaterThan(3);
    expect(memory.size).toBe(2);
  });

  it('are left in the middle of a step that is being read, and of one that fails', async () => {
    const left = join(folder, 'left');
    writeFileSync(left, Buffer.alloc(3_000_000));
    const stored = new StoredBytes([{ file: left, start: 0, end: 3_000_000 }]);
    for (const length of [3_000_000, 1_048_576]) {
      truncateSync(left, length);
      for await (const chunk of stored.lentChunks()) {
        expect(chunk.length).toBe(1_048_576);
        await readFile(left);
        break;
      }
    }
    await expect(Array.fromAsync(stored.lentChunks())).rejects.toThrow('ends before byte 3000000');
  });

  it('have the digest of what they read', async () => {
    const stored = new StoredBytes([{ bytes: Buffer.from('PAR1') }, { file, start: 0, end: 5000 }]);
    const expected = createHash('sha256').update('PAR1').update(content).digest();
    expect(await stored.digest('sha256')).toEqual(expected);
  });

  it('fail where a file has become shorter, and do not end as if whole', async () => {
    const short = join(folder, 'short');
    writeFileSync(short, content);
    const stored = new StoredBytes([{ file: short, start: 0, end: 5000 }]);
    truncateSync(short, 4999);
    await expect(buffer(stored.stream())).rejects.toThrow('ends before byte 5000');
  });

  it('fail before the first byte where any of their files is gone', async () => {
    const gone = { file: join(folder, 'gone'), start: 0, end: 1 };
    const stored = new StoredBytes([{ bytes: Buffer.from('first') }, gone]);
    const chunks: Buffer[] = [];
    const read = async () => {
      for await (const chunk of stored.stream()) chunks.push(chunk as Buffer);
    };
    await expect(read()).rejects.toThrow('ENOENT');
    expect(chunks).toEqual([]);
  });

  it('are released once', () => {
    let count = 0;
    const stored = new StoredBytes([], () => {
      count++;
    });
    stored.release();
    stored.release();
    expect(count).toBe(1);
  });
});
