import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Spool } from '../base/spool.ts';
import { StoredBytes } from '../base/stored-bytes.ts';
import { DeliveredFiles, KeptDigests, type MadeFile } from './delivered-files.ts';

const KIB = 1024;
const NEVER = new AbortController().signal;

let folder: string;
let spool: Spool;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-delivered-'));
  spool = new Spool({
    directory: join(folder, 'spool'),
    bytesMax: 1024 * KIB,
    memoryBytesMax: KIB,
  });
});
afterEach(() => {
  spool.close();
  rmSync(folder, { recursive: true });
});

const filesOf = (diskKib: number, digests = new KeptDigests(join(folder, 'links', 'digests'))) =>
  new DeliveredFiles({ bulkDiskBytesMax: diskKib * KIB, spool, digests });

/** A file of its own on disk, which its release removes. */
async function temporary(name: string, kib: number): Promise<MadeFile> {
  const file = join(folder, name);
  writeFileSync(file, Buffer.alloc(kib * KIB, name));
  const bytes = new StoredBytes([{ file, start: 0, end: kib * KIB }], () => rmSync(file));
  return { rowCount: 1, bytes };
}

const isThere = (name: string) => existsSync(join(folder, name));

describe('delivered files', () => {
  it('drop those not asked for the longest when there is no room, and make them again', async () => {
    const files = filesOf(100);
    let madeCount = 0;
    const get = (name: string) =>
      files.get(
        name,
        () => {
          madeCount++;
          return temporary(name, 40);
        },
        NEVER,
      );
    const first = await get('a');
    first.release();
    for (const name of ['b', 'c']) (await get(name)).release();
    expect(['a', 'b', 'c'].map(isThere)).toEqual([false, true, true]);
    expect(files.byteCount).toBe(80 * KIB);
    const again = await get('a');
    expect(again.sha256).toBe(first.sha256);
    expect(madeCount).toBe(4);
    again.release();
  });

  it('leave a file that is being read, until it has been', async () => {
    const files = filesOf(50);
    const held = await files.get('a', () => temporary('a', 40), NEVER);
    (await files.get('b', () => temporary('b', 40), NEVER)).release();
    expect(files.find('a')).toBeNull();
    expect((await buffer(held.bytes.stream())).length).toBe(40 * KIB);
    held.release();
    held.release();
    expect(isThere('a')).toBe(false);
  });

  it('count a file that is being read until it has been', async () => {
    const files = filesOf(50);
    const held = await files.get('a', () => temporary('a', 40), NEVER);
    (await files.get('b', () => temporary('b', 40), NEVER)).release();
    expect(files.byteCount).toBe(80 * KIB);
    held.release();
    expect(files.byteCount).toBe(40 * KIB);
  });

  it('keep no more files of many stretches than there is memory for', async () => {
    const known = { get: () => 'a digest' } as unknown as KeptDigests;
    const files = filesOf(100, known);
    const lake = join(folder, 'lake');
    const stretch = { file: lake, start: 0, end: 1 };
    const stretches = Array.from({ length: 100_000 }, () => stretch);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const make = async () => ({ rowCount: 1, bytes: new StoredBytes(stretches) });
    for (const name of names) (await files.get(name, make, NEVER)).release();
    expect(names.map((name) => files.find(name) !== null)).toEqual([
      ...[false, false],
      ...[true, true, true, true, true],
    ]);
  });

  it('serve a file that is larger than all the room there is, and keep it no longer', async () => {
    const files = filesOf(10);
    const held = await files.get('a', () => temporary('a', 400), NEVER);
    expect(isThere('a')).toBe(true);
    held.release();
    expect(isThere('a')).toBe(false);
  });

  it('make a file once for all who ask for it at the same time', async () => {
    const files = filesOf(100);
    let madeCount = 0;
    const make = () => {
      madeCount++;
      return temporary('a', 1);
    };
    const held = await Promise.all([1, 2, 3].map(() => files.get('a', make, NEVER)));
    expect(madeCount).toBe(1);
    for (const file of held) file.release();
  });

  const stalled = (signal: AbortSignal) =>
    new Promise<MadeFile>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  it.each(['AbortError', 'TimeoutError'])(
    'make a file for those who wait when the one who made it ended with %s',
    async (name) => {
      const files = filesOf(100);
      const gone = new AbortController();
      const first = files.get('a', stalled, gone.signal);
      const second = files.get('a', () => temporary('a', 1), NEVER);
      gone.abort(new DOMException('stopped', name));
      await expect(first).rejects.toThrow('stopped');
      expect((await second).rowCount).toBe(1);
    },
  );

  it('make no file for those who wait and have gone away themselves', async () => {
    const files = filesOf(100);
    const [first, second] = [new AbortController(), new AbortController()];
    let madeCount = 0;
    const make = () => {
      madeCount++;
      return temporary('a', 1);
    };
    const making = files.get('a', stalled, first.signal);
    const waiting = files.get('a', make, second.signal);
    second.abort(new Error('gone, too'));
    first.abort(new DOMException('stopped', 'AbortError'));
    await expect(making).rejects.toThrow('stopped');
    await expect(waiting).rejects.toThrow('gone, too');
    expect(madeCount).toBe(0);
  });

  it('tell everybody who waits when a file cannot be made', async () => {
    const files = filesOf(100);
    const fail = async () => {
      throw new Error('no such part');
    };
    const both = [files.get('a', fail, NEVER), files.get('a', fail, NEVER)];
    for (const one of both) await expect(one).rejects.toThrow('no such part');
  });

  it("know the digest of the lake's own bytes after a start without reading them", async () => {
    const lake = join(folder, 'lake');
    writeFileSync(lake, Buffer.alloc(5000, 'l'));
    const made = async () => ({
      rowCount: 1,
      bytes: new StoredBytes([{ file: lake, start: 0, end: 5000 }]),
    });
    const { sha256 } = await filesOf(100).get('a', made, NEVER);
    rmSync(lake);
    expect((await filesOf(100).get('a', made, NEVER)).sha256).toBe(sha256);
  });

  it('stop reading for a digest when nobody waits for it, and leave nothing', async () => {
    const files = filesOf(100);
    const gone = new AbortController();
    const make = async () => {
      gone.abort();
      return temporary('a', 40);
    };
    await expect(files.get('a', make, gone.signal)).rejects.toThrow('aborted');
    expect(isThere('a')).toBe(false);
  });

  it('leave the little that a file has in memory there', async () => {
    const bytes = new StoredBytes([{ bytes: Buffer.alloc(4096, 'x') }]);
    const held = await filesOf(100).get('a', async () => ({ rowCount: 1, bytes }), NEVER);
    expect(held.bytes).toBe(bytes);
    expect(spool.byteCount).toBe(0);
  });

  it('put what was made in memory on disk', async () => {
    const files = filesOf(100);
    const lake = join(folder, 'lake');
    writeFileSync(lake, Buffer.alloc(500, 'l'));
    const content = [Buffer.alloc(5000, 'x'), Buffer.alloc(500, 'l'), Buffer.alloc(6000, 'y')];
    const [before, , after] = content as [Buffer, Buffer, Buffer];
    const stretches = [{ bytes: before }, { file: lake, start: 0, end: 500 }, { bytes: after }];
    const made = { rowCount: 1, bytes: new StoredBytes(stretches) };
    const held = await files.get('a', async () => made, NEVER);
    expect(await buffer(held.bytes.stream())).toEqual(Buffer.concat(content));
    const inMemory = held.bytes.stretches.flatMap((each) => ('bytes' in each ? each.bytes : []));
    expect(Buffer.concat(inMemory)).toHaveLength(0);
    held.release();
    files.close();
    await expect.poll(() => spool.byteCount).toBe(0);
    expect(readdirSync(folder)).toContain('lake');
  });
});
