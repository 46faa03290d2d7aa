import { describe, expect, it } from 'vitest';
import { StoredBytes } from '../base/stored-bytes.ts';
import type { Column } from '../catalog/dataset.ts';
import { ListedIdentifiers } from '../plan/identifiers.ts';
import type { Page } from './page.ts';
import { PageCache } from './page.ts';

const KIB = 1024;

function pageOf(body: Buffer): Page {
  return { body, contentType: 'text/csv', headers: {}, rowCount: 1, nextOffset: null };
}

/** With what the cache counts beside the body, `kib` KiB in all. */
const pageOfSize = (kib: number) => pageOf(Buffer.alloc((kib - 1) * KIB, 'x'));

describe('PageCache', () => {
  it('gives back what was put under a tag', async () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    const page = pageOfSize(2);
    await cache.put('"a"', page);
    expect(cache.get('"a"')).toEqual(page);
    expect(cache.get('"b"')).toBeUndefined();
    expect([cache.hitCount, cache.missCount]).toEqual([1, 1]);
  });

  it('never keeps more bytes than it may, and drops what was not asked for the longest', async () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    for (const tag of ['a', 'b', 'c', 'd', 'e']) await cache.put(tag, pageOfSize(2));
    expect(cache.byteCount).toBe(10 * KIB);
    cache.get('a');
    await cache.put('f', pageOfSize(4));
    expect(cache.byteCount).toBe(10 * KIB);
    const kept = ['a', 'b', 'c', 'd', 'e', 'f'].filter((tag) => cache.get(tag));
    expect(kept).toEqual(['a', 'd', 'e', 'f']);
  });

  it('drops nothing for a page that is too large for it', async () => {
    const cache = new PageCache({ pageCacheBytes: 4 * KIB });
    await cache.put('a', pageOfSize(4));
    await cache.put('b', pageOfSize(5));
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBeDefined();
  });

  it('counts a page that is put again once', async () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    await cache.put('a', pageOfSize(2));
    await cache.put('a', pageOfSize(3));
    expect(cache.byteCount).toBe(3 * KIB);
  });

  it('keeps nothing without bytes', async () => {
    const cache = new PageCache({ pageCacheBytes: 0 });
    await cache.put('a', pageOf(Buffer.alloc(0)));
    expect(cache.get('a')).toBeUndefined();
    expect(cache.byteCount).toBe(0);
  });

  it('holds no memory but what it counts, whatever its pages were cut from', async () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    const shared = Buffer.alloc(100 * KIB, 'x');
    await cache.put('a', pageOf(shared.subarray(KIB, 2 * KIB)));
    const kept = cache.get('a')?.body as Buffer;
    shared.fill('y');
    expect(kept.toString()).toBe('x'.repeat(KIB));
    expect(kept.buffer.byteLength).toBe(KIB);
  });

  it('counts the identifiers that a page lists', async () => {
    const cache = new PageCache({ pageCacheBytes: 4 * KIB });
    const values = Array.from({ length: 1000 }, (_, at) => `NAME${at}`);
    const column = { name: 'Ticker' } as Column;
    const list = { column, operator: 'in' as const, values };
    const listed = new ListedIdentifiers([{ list, unseen: new Set(values) }]);
    await cache.put('a', { ...pageOf(Buffer.alloc(2)), listed });
    expect([cache.get('a'), cache.byteCount]).toEqual([undefined, 0]);
  });

  it('keeps a body that lies in files, but not a long one', async () => {
    const cache = new PageCache({ pageCacheBytes: 100 * 1024 * KIB });
    const stored = (size: number) => new StoredBytes([{ bytes: Buffer.alloc(size, 'z') }]);
    const page = (body: StoredBytes) => ({ ...pageOf(Buffer.alloc(0)), body });
    await cache.put('small', page(stored(3000)));
    expect(cache.get('small')?.body).toEqual(Buffer.alloc(3000, 'z'));
    const long = page(stored(9 * 1024 * KIB));
    expect(await cache.put('long', long)).toBe(long);
    expect(cache.get('long')).toBeUndefined();
  });
});
