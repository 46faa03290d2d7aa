/** The files that sorted walks are read from: shared, bounded, and never needed. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SortedWalkOptions } from '../../src/engine/duckdb/reader.ts';
import type { EngineReader } from '../../src/engine/engine.ts';
import type { QueryPlan } from '../../src/engine/query-plan.ts';
import { columnNamed, planOver, readRows, type WalkLake, writeWalkLake } from './walk-data.ts';

const ROW_COUNT = 40_000;
/** Less than a 32nd of them. */
const LIMIT = 1000;

let lake: WalkLake;
let whole: string[];
const opened: EngineReader[] = [];

async function open(walks: Partial<SortedWalkOptions> = {}): Promise<EngineReader> {
  const engine = await lake.openEngine(walks);
  opened.push(engine);
  return engine;
}

function sorted(column: string, changes: Partial<QueryPlan> = {}): QueryPlan {
  const sort = [{ column: columnNamed(column), descending: true }];
  return planOver(lake, { sort, offset: 2 * LIMIT, limit: LIMIT, ...changes });
}

/** Paths of the files that walks are kept in now. */
function keptFiles(): string[] {
  const names = readdirSync(lake.spillDirectory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /^walks-.*parquet$/.test(name));
}

const pageOf = (rows: readonly string[], offset: number) => rows.slice(offset, offset + LIMIT + 1);

beforeAll(async () => {
  lake = await writeWalkLake([ROW_COUNT]);
  const plain = await open({ diskBytesMax: 0 });
  whole = await readRows(plain, sorted('price', { offset: 0, limit: ROW_COUNT }));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const engine of opened.splice(0)) await engine.close();
});
afterAll(() => lake.close());

describe('the file of a sorted walk', () => {
  it('is written once for pages asked at the same time, and read by later ones', async () => {
    const engine = await open();
    const offsets = [LIMIT, 7 * LIMIT, 3 * LIMIT];
    const pages = await Promise.all(
      offsets.map((offset) => readRows(engine, sorted('price', { offset }))),
    );
    expect(pages).toEqual(offsets.map((offset) => pageOf(whole, offset)));
    expect(keptFiles()).toHaveLength(1);
    const [file = ''] = keptFiles();
    const writtenMs = statSync(join(lake.spillDirectory, file)).mtimeMs;
    expect(await readRows(engine, sorted('price', { offset: 0 }))).toEqual(pageOf(whole, 0));
    expect(await readRows(engine, sorted('price'))).toEqual(pageOf(whole, 2 * LIMIT));
    expect(keptFiles()).toEqual([file]);
    expect(statSync(join(lake.spillDirectory, file)).mtimeMs).toBe(writtenMs);
  });

  it('is not written by a first page that is a small part of the walk', async () => {
    const engine = await open();
    const page = await readRows(engine, sorted('price', { offset: 0 }));
    expect(page).toEqual(pageOf(whole, 0));
    expect(keptFiles()).toHaveLength(0);
    await readRows(engine, sorted('price', { offset: 0, limit: ROW_COUNT / 10 }));
    expect(keptFiles()).toHaveLength(1);
  });

  it('is another one for other columns, conditions or sorts', async () => {
    const engine = await open();
    await readRows(engine, sorted('price'));
    await readRows(engine, sorted('price', { columns: [columnNamed('n')] }));
    await readRows(engine, sorted('size'));
    const predicates = [{ column: columnNamed('size'), operator: 'eq', value: 1n }] as const;
    const found = await readRows(engine, sorted('price', { predicates }));
    expect(found.every((row) => row.split('|')[5] === '1')).toBe(true);
    expect(keptFiles()).toHaveLength(4);
  });

  it('is done without when somebody has removed it', async () => {
    const engine = await open();
    await readRows(engine, sorted('price'));
    for (const file of keptFiles())
      rmSync(join(lake.spillDirectory, file, '..'), { recursive: true });
    expect(await readRows(engine, sorted('price'))).toEqual(pageOf(whole, 2 * LIMIT));
    expect(keptFiles()).toHaveLength(1);
  });

  /** Bytes of the file that one walk takes. */
  async function bytesOfWalk(): Promise<number> {
    const engine = await open();
    await readRows(engine, sorted('price'));
    const [file = ''] = keptFiles();
    const { size } = statSync(join(lake.spillDirectory, file));
    await engine.close();
    opened.pop();
    return size;
  }

  it('gives way to newer ones within the disk space, and pages stay right', async () => {
    const size = await bytesOfWalk();
    const engine = await open({ diskBytesMax: Math.round(size * 1.5) });
    for (const column of ['price', 'size', 'price', 'time']) {
      await readRows(engine, sorted(column));
      expect(keptFiles()).toHaveLength(1);
    }
    expect(await readRows(engine, sorted('price'))).toEqual(pageOf(whole, 2 * LIMIT));
  });

  it('gives way to newer ones of its own holder, not of another one', async () => {
    const size = await bytesOfWalk();
    const engine = await open({ diskBytesPerHolderMax: Math.round(size * 1.5) });
    await readRows(engine, sorted('price', { holder: 1 }));
    const [ofFirst = ''] = keptFiles();
    for (const column of ['size', 'time', 'size']) {
      await readRows(engine, sorted(column, { holder: 2 }));
      expect(keptFiles()).toHaveLength(2);
      expect(keptFiles()).toContain(ofFirst);
    }
    expect(await readRows(engine, sorted('price', { holder: 2 }))).toEqual(
      pageOf(whole, 2 * LIMIT),
    );
    expect(keptFiles()).toHaveLength(2);
  });

  it('stays for those who read it until they are done', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const engine = await open({ idleMs: 60_000 });
    const rows = engine.scan(sorted('price'), new AbortController().signal);
    let rowCount = 0;
    for await (const batch of rows) {
      vi.advanceTimersByTime(120_000);
      expect(keptFiles()).toHaveLength(1);
      rowCount += batch.rowCount;
    }
    expect(rowCount).toBe(LIMIT + 1);
    expect(keptFiles()).toHaveLength(0);
  });

  it('goes when no page has read from it for its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const engine = await open({ idleMs: 60_000 });
    await readRows(engine, sorted('price'));
    vi.advanceTimersByTime(40_000);
    await readRows(engine, sorted('price'));
    vi.advanceTimersByTime(40_000);
    expect(keptFiles(), 'a page was read').toHaveLength(1);
    vi.advanceTimersByTime(20_000);
    expect(keptFiles()).toHaveLength(0);
    expect(await readRows(engine, sorted('price'))).toEqual(pageOf(whole, 2 * LIMIT));
  });

  it.each([
    ['more rows than one may have', { rowsMax: ROW_COUNT - 1 }],
    ['more bytes than all may have', { diskBytesMax: 100_000 }],
    ['more bytes than its holder may have', { diskBytesPerHolderMax: 100_000 }],
    ['no space at all', { diskBytesMax: 0 }],
  ])('does not exist for %s, and pages stay right', async (_, walks) => {
    const engine = await open(walks);
    for (const offset of [LIMIT, 7 * LIMIT]) {
      expect(await readRows(engine, sorted('price', { offset }))).toEqual(pageOf(whole, offset));
    }
    expect(keptFiles()).toHaveLength(0);
  });

  it('is written for those who still wait for it, and anew once nobody did', async () => {
    const engine = await open();
    const gone = new AbortController();
    const read = (column: string, { signal } = new AbortController()) =>
      readRows(engine, sorted(column), signal);
    const pages = [read('time', gone), read('time'), read('size', gone)];
    const outcomes = Promise.allSettled(pages);
    gone.abort(new Error('gone'));
    const [first, second, third] = await outcomes;
    expect([first?.status, third?.status]).toEqual(['rejected', 'rejected']);
    expect(second).toMatchObject({ value: await read('time') });
    expect(await read('size')).toHaveLength(LIMIT + 1);
    await expect.poll(() => keptFiles().length).toBe(2);
  });

  it('is written for as many rows as one may have, and for no row more', async () => {
    const engine = await open({ rowsMax: ROW_COUNT });
    await readRows(engine, sorted('price'));
    expect(keptFiles()).toHaveLength(1);
    const predicates = [{ column: columnNamed('size'), operator: 'eq', value: 1n }] as const;
    const foundCount = whole.filter((row) => row.split('|')[5] === '1').length;
    expect(foundCount).toBeGreaterThan(LIMIT);
    const filtered = { predicates, offset: 1, limit: 10 };
    for (const [rowsMax, fileCount] of [
      [foundCount, 2],
      [foundCount - 1, 2],
    ] as const) {
      await readRows(await open({ rowsMax }), sorted('price', filtered));
      expect(keptFiles(), `${rowsMax}`).toHaveLength(fileCount);
    }
  });

  it.each([
    ['a 32nd of the walk', ROW_COUNT / 32, 1],
    ['less than a 32nd of it', ROW_COUNT / 32 - 1, 0],
    ['all but one row', ROW_COUNT - 1, 1],
    ['the whole walk', ROW_COUNT, 0],
  ])('is written by a first page of %s or not, as it pays', async (_, limit, fileCount) => {
    await readRows(await open(), sorted('price', { offset: 0, limit }));
    expect(keptFiles()).toHaveLength(fileCount);
  });

  it('is removed when the engine closes, and leftovers when it opens', async () => {
    const other = await open();
    await readRows(other, sorted('size'));
    const leftover = join(lake.spillDirectory, `walks-${process.pid}-2-x`, '3.parquet');
    mkdirSync(join(leftover, '..'), { recursive: true });
    writeFileSync(leftover, 'left');
    const engine = await open();
    expect(existsSync(leftover)).toBe(false);
    expect(keptFiles()).toHaveLength(1);
    await other.close();
    await readRows(engine, sorted('price'));
    expect(keptFiles()).toHaveLength(1);
    await engine.close();
    opened.length = 0;
    expect(keptFiles()).toHaveLength(0);
  });
});
