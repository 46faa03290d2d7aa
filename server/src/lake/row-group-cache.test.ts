import { describe, expect, it } from 'vitest';
import type { RowGroup } from '../engine/partition.ts';
import { RowGroupCache } from './row-group-cache.ts';

/** A cache for ten row groups over files with as many row groups as their names say. */
function openCache() {
  const read: string[] = [];
  const cache = new RowGroupCache((file) => {
    read.push(file);
    const rowGroup: RowGroup = { rowCount: 1, byteCount: 1, bounds: {} };
    return Array.from({ length: Number(file.slice(1)) }, () => rowGroup);
  }, 10);
  const ask = (...files: string[]) => {
    read.length = 0;
    for (const file of files) expect(cache.get(file)).toHaveLength(Number(file.slice(1)));
    return [...read];
  };
  return ask;
}

describe('RowGroupCache', () => {
  it('reads a file once while there is room', () => {
    const ask = openCache();
    expect(ask('a4', 'b6', 'a4', 'b6')).toEqual(['a4', 'b6']);
  });

  it('drops what was asked for longest ago when there is no more room, and no more than that', () => {
    const ask = openCache();
    ask('a4', 'b3', 'c3', 'a4');
    expect(ask('d1')).toEqual(['d1']);
    expect(ask('a4', 'c3', 'd1')).toEqual([]);
    expect(ask('b3')).toEqual(['b3']);
  });

  it('goes on counting what it holds after it has dropped files', () => {
    const ask = openCache();
    for (let i = 0; i < 20; i++) ask('a4', 'b4', 'c4');
    expect(ask('b4', 'c4')).toEqual([]);
    expect(ask('d2')).toEqual(['d2']);
    expect(ask('b4', 'c4', 'd2')).toEqual([]);
  });

  it('holds the file that was asked for last, however many row groups it has', () => {
    const ask = openCache();
    ask('a4', 'x50');
    expect(ask('x50')).toEqual([]);
    expect(ask('a4')).toEqual(['a4']);
    expect(ask('a4')).toEqual([]);
  });
});
