/** Pages against the answer of one query that has no page before it and keeps nothing for one. */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineReader } from '../../src/engine/engine.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { anyPages, anyWalkPlan } from './random-plan.ts';
import {
  COLUMNS,
  columnNamed,
  planOver,
  readRows,
  type WalkLake,
  writeWalkLake,
} from './walk-data.ts';

const PLANS = repetitions('TICKLAKE_WALK_PLANS', 6);
const ALL = 1_000_000;

let lake: WalkLake;
let walking: EngineReader;
let plain: EngineReader;

beforeAll(async () => {
  lake = await writeWalkLake();
  // Few bytes, so that walks push one another out.
  walking = await lake.openEngine({ diskBytesMax: 2_000_000 });
  plain = await lake.openEngine({ diskBytesMax: 0 });
});
afterAll(async () => {
  await walking.close();
  await plain.close();
  await lake.close();
});

describe('pages of any plan in any order', () => {
  it.each(['one after the other', 'at the same time'])(
    'are the slices of the whole answer, asked %s',
    async (how) => {
      let pageCount = 0;
      await fc.assert(
        fc.asyncProperty(anyWalkPlan, anyPages, async (changes, pages) => {
          const plan = planOver(lake, changes);
          const whole = await readRows(plain, { ...plan, limit: ALL });
          const read = (page: (typeof pages)[number]) => readRows(walking, { ...plan, ...page });
          const atOnce = how === 'at the same time' ? pages.map(read) : [];
          for (const [p, page] of pages.entries()) {
            const rows = await (atOnce[p] ?? read(page));
            expect(rows).toEqual(whole.slice(page.offset, page.offset + page.limit + 1));
            pageCount += rows.length > 0 ? 1 : 0;
          }
        }),
        { numRuns: PLANS },
      );
      expectCameAcross({ pages: pageCount });
    },
  );

  it('are the slices of the whole answer where they come from a file of the sorted rows', async () => {
    const price = columnNamed('price');
    const sorted = planOver(lake, {
      columns: [price],
      sort: [{ column: price, descending: true }],
    });
    const whole = await readRows(plain, { ...sorted, limit: ALL });
    for (const offset of [1000, 0, 2500]) {
      const rows = await readRows(walking, { ...sorted, offset });
      expect(rows).toEqual(whole.slice(offset, offset + sorted.limit + 1));
    }
    const files = readdirSync(lake.spillDirectory, { recursive: true, encoding: 'utf8' });
    expect(files.some((file) => file.endsWith('.parquet'))).toBe(true);
  });

  it('give every row once in a walk across row groups and files', async () => {
    const wide = Array.from({ length: 5 }, () => COLUMNS).flat();
    for (const columns of [COLUMNS, wide]) {
      const whole = await readRows(plain, planOver(lake, { columns, limit: ALL }));
      for (const limit of [2047, 2048, 7000]) {
        const walked: string[] = [];
        for (let offset = 0; ; offset += limit) {
          const rows = await readRows(walking, planOver(lake, { columns, offset, limit }));
          walked.push(...rows.slice(0, limit));
          if (rows.length <= limit) break;
        }
        expect(walked).toEqual(whole);
      }
    }
  });

  it('keep the order of rows under a long list, and find what each of its values finds', async () => {
    const asids = Array.from({ length: 400 }, (_, i) => BigInt(1000 + i));
    const predicates = [{ column: columnNamed('asid'), operator: 'in' as const, values: asids }];
    const rows = await readRows(walking, planOver(lake, { predicates, limit: ALL }));
    expect(rows).toEqual(await readRows(plain, planOver(lake, { limit: ALL })));
  });
});
