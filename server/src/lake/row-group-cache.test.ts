import { describe, expect, it } from 'vitest';
import type { RowGroup } from '../engine/partition.ts';
import { RowGroupCache } from './row-group-cache.ts';

/** A cache for ten row groups over files with as many row groups as their names say. */
function openCache() {
  const read: string[] = [];
  const rowGroup: RowGroup = { rowCount: 1, byteCount: 1, bounds: {} };
  const cache = new RowGroupCache(async (files) => {
    read.push(...files);
    return files.map((file) => Array.from({ length: Number(file.slice(1)) }, () => rowGroup));
  }, 10);
  const askTogether = async (...files: string[]) => {
    read.length = 0;
    const counts = (await cache.get(files)).map(({ length }) => length);
    expect(counts).toEqual(files.map((file) => Number(file.slice(1))));
    return [...read];
  };
  const ask = async (...files: string[]) => {
    const asked: string[] = [];
    for (const file of files) asked.push(...(await askTogether(file)));
    return asked;
  };
  return { ask, askTogether };
}

describe('RowGroupCache', () => {
  it('reads a file once while there is room', async () => {
    const { ask } = openCache();
    expect(await ask('a4', 'b6', 'a4', 'b6')).toEqual(['a4', 'b6']);
  });

  it('drops what was asked for longest ago when there is no more room, and no more than that', async () => {
    const { ask } = openCache();
    await ask('a4', 'b3', 'c3', 'a4');
    expect(await ask('d1')).toEqual(['d1']);
    expect(await ask('a4', 'c3', 'd1')).toEqual([]);
    expect(await ask('b3')).toEqual(['b3']);
  });

  it('goes on counting what it holds after it has dropped files', async () => {
    const { ask } = openCache();
    for (let i = 0; i < 20; i++) await ask('a4', 'b4', 'c4');
    expect(await ask('b4', 'c4')).toEqual([]);
    expect(await ask('d2')).toEqual(['d2']);
    expect(await ask('b4', 'c4', 'd2')).toEqual([]);
  });

  it('holds the file that was asked for last, however many row groups it has', async () => {
    const { ask } = openCache();
    await ask('a4', 'x50');
    expect(await ask('x50')).toEqual([]);
    expect(await ask('a4')).toEqual(['a4']);
    expect(await ask('a4')).toEqual([]);
  });

  it('reads together what is asked for together and not kept, even if there is no room for it', async () => {
    const { ask, askTogether } = openCache();
    await ask('a4', 'b4');
    expect(await askTogether('c9', 'a4', 'd9', 'b4')).toEqual(['c9', 'd9']);
    expect(await askTogether('b4')).toEqual([]);
  });
});
