import { describe, expect, it } from 'vitest';
import type { RowGroup } from '../engine/part.ts';
import { RowGroupCache } from './snapshots.ts';

/**
 * A cache for ten row groups. The last two digits of a part's id say how many row groups it has.
 */
function openCache() {
  const read: number[] = [];
  const rowGroup: RowGroup = { rowCount: 1, byteCount: 1, bounds: {} };
  const cache = new RowGroupCache(async (parts) => {
    read.push(...parts);
    return parts.map((part) => Array.from({ length: part % 100 }, () => rowGroup));
  }, 10);
  const askTogether = async (...parts: number[]) => {
    read.length = 0;
    const counts = (await cache.get(parts)).map(({ length }) => length);
    expect(counts).toEqual(parts.map((part) => part % 100));
    return [...read];
  };
  const ask = async (...parts: number[]) => {
    const asked: number[] = [];
    for (const part of parts) asked.push(...(await askTogether(part)));
    return asked;
  };
  return { ask, askTogether };
}

describe('RowGroupCache', () => {
  it('reads a part once while there is room', async () => {
    const { ask } = openCache();
    expect(await ask(104, 206, 104, 206)).toEqual([104, 206]);
  });

  it('drops what was asked for longest ago when there is no more room, and no more than that', async () => {
    const { ask } = openCache();
    await ask(104, 203, 303, 104);
    expect(await ask(401)).toEqual([401]);
    expect(await ask(104, 303, 401)).toEqual([]);
    expect(await ask(203)).toEqual([203]);
  });

  it('goes on counting what it holds after it has dropped parts', async () => {
    const { ask } = openCache();
    for (let i = 0; i < 20; i++) await ask(104, 204, 304);
    expect(await ask(204, 304)).toEqual([]);
    expect(await ask(402)).toEqual([402]);
    expect(await ask(204, 304, 402)).toEqual([]);
  });

  it('holds the part that was asked for last, however many row groups it has', async () => {
    const { ask } = openCache();
    await ask(104, 550);
    expect(await ask(550)).toEqual([]);
    expect(await ask(104)).toEqual([104]);
    expect(await ask(104)).toEqual([]);
  });

  it('reads together what is asked for together and not kept, even if there is no room for it', async () => {
    const { ask, askTogether } = openCache();
    await ask(104, 204);
    expect(await askTogether(309, 104, 409, 204)).toEqual([309, 409]);
    expect(await askTogether(204)).toEqual([]);
  });
});
