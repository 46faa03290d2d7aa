import { describe, expect, it } from 'vitest';
import { PageCache } from './page-cache.ts';
import type { Page } from './render-page.ts';

const KIB = 1024;

function pageOf(body: Buffer): Page {
  return { body, contentType: 'text/csv', headers: {}, rowCount: 1, nextOffset: null };
}

/** With what the cache counts beside the body, `kib` KiB in all. */
const pageOfSize = (kib: number) => pageOf(Buffer.alloc((kib - 1) * KIB, 'x'));

describe('PageCache', () => {
  it('gives back what was put under a tag', () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    const page = pageOfSize(2);
    cache.put('"a"', page);
    expect(cache.get('"a"')).toEqual(page);
    expect(cache.get('"b"')).toBeUndefined();
    expect([cache.hitCount, cache.missCount]).toEqual([1, 1]);
  });

  it('never keeps more bytes than it may, and drops what was not asked for the longest', () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    for (const tag of ['a', 'b', 'c', 'd', 'e']) cache.put(tag, pageOfSize(2));
    expect(cache.byteCount).toBe(10 * KIB);
    cache.get('a');
    cache.put('f', pageOfSize(4));
    expect(cache.byteCount).toBe(10 * KIB);
    const kept = ['a', 'b', 'c', 'd', 'e', 'f'].filter((tag) => cache.get(tag));
    expect(kept).toEqual(['a', 'd', 'e', 'f']);
  });

  it('drops nothing for a page that is too large for it', () => {
    const cache = new PageCache({ pageCacheBytes: 4 * KIB });
    cache.put('a', pageOfSize(4));
    cache.put('b', pageOfSize(5));
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBeDefined();
  });

  it('counts a page that is put again once', () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    cache.put('a', pageOfSize(2));
    cache.put('a', pageOfSize(3));
    expect(cache.byteCount).toBe(3 * KIB);
  });

  it('keeps nothing without bytes', () => {
    const cache = new PageCache({ pageCacheBytes: 0 });
    cache.put('a', pageOf(Buffer.alloc(0)));
    expect(cache.get('a')).toBeUndefined();
    expect(cache.byteCount).toBe(0);
  });

  it('holds no memory but what it counts, whatever its pages were cut from', () => {
    const cache = new PageCache({ pageCacheBytes: 10 * KIB });
    const shared = Buffer.alloc(100 * KIB, 'x');
    cache.put('a', pageOf(shared.subarray(KIB, 2 * KIB)));
    const kept = cache.get('a')?.body as Buffer;
    shared.fill('y');
    expect(kept.toString()).toBe('x'.repeat(KIB));
    expect(kept.buffer.byteLength).toBe(KIB);
  });
});
