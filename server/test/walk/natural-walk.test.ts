/** Pages in natural order read nothing that comes before them. */
import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineReader } from '../../src/engine/engine.ts';
import type { QueryPlan } from '../../src/engine/query-plan.ts';
import { columnNamed, planOver, readRows, type WalkLake, writeWalkLake } from './walk-data.ts';

let lake: WalkLake;
let engine: EngineReader;

beforeEach(async () => {
  lake = await writeWalkLake();
  engine = await lake.openEngine();
});
afterEach(async () => {
  await engine.close();
  await lake.close();
});

/** Makes a file of the lake unreadable until the returned function is called. */
function hideFile(number: number): () => void {
  const file = lake.fileOf(number);
  renameSync(file, `${file}.hidden`);
  return () => renameSync(`${file}.hidden`, file);
}

const FOUND: Partial<QueryPlan> = {
  predicates: [{ column: columnNamed('size'), operator: 'ge', value: 1n }],
};

describe('a page in natural order', () => {
  it('does not touch the files before the one that the page before it has ended in', async () => {
    const limit = 6000;
    const whole = await readRows(engine, planOver(lake, { ...FOUND, limit: 1e6 }));
    await engine.close();
    engine = await lake.openEngine();
    await readRows(engine, planOver(lake, { ...FOUND, limit }));
    hideFile(0);
    const second = await readRows(engine, planOver(lake, { ...FOUND, offset: limit, limit }));
    expect(second).toEqual(whole.slice(limit, 2 * limit + 1));
  });

  it('seeks its first row when it comes out of order, and only the first time', async () => {
    const page = planOver(lake, { ...FOUND, offset: 9000, limit: 3000 });
    const whole = await readRows(engine, planOver(lake, { ...FOUND, limit: 1e6 }));
    await engine.close();
    engine = await lake.openEngine();
    const show = hideFile(0);
    await expect(readRows(engine, page)).rejects.toThrow();
    show();
    expect(await readRows(engine, page)).toEqual(whole.slice(9000, 12_001));
    hideFile(0);
    expect(await readRows(engine, page)).toEqual(whole.slice(9000, 12_001));
  });

  it('is found without a look at any row where all rows are', async () => {
    hideFile(0);
    hideFile(1);
    const rows = await readRows(engine, planOver(lake, { offset: 12_000, limit: 5 }));
    expect(rows.map((row) => Number(row.split('|')[0]))).toEqual([
      12_000, 12_001, 12_002, 12_003, 12_004, 12_005,
    ]);
  });

  it('past the end is empty, and is not looked for again', async () => {
    const beyond = planOver(lake, { ...FOUND, offset: 1e6, limit: 5 });
    expect(await readRows(engine, beyond)).toEqual([]);
    for (const number of lake.parts.keys()) hideFile(number);
    expect(await readRows(engine, beyond)).toEqual([]);
  });

  it('tells where the next one begins, or that there is none, before its rows are taken', async () => {
    const limit = 6000;
    const plan = planOver(lake, { ...FOUND, limit });
    const whole = await readRows(engine, { ...plan, limit: 1e6 });
    await engine.close();
    engine = await lake.openEngine();
    const begin = async (offset: number) => {
      const page = engine.scan({ ...plan, offset }, new AbortController().signal);
      const iterator = page[Symbol.asyncIterator]();
      await iterator.next();
      return iterator;
    };
    const first = await begin(0);
    const show = hideFile(0);
    expect(await readRows(engine, { ...plan, offset: limit })).toEqual(
      whole.slice(limit, 2 * limit + 1),
    );
    show();
    const last = await begin(whole.length - 3000);
    for (const number of lake.parts.keys()) hideFile(number);
    expect(await readRows(engine, { ...plan, offset: whole.length })).toEqual([]);
    await first.return?.();
    await last.return?.();
  });
});
