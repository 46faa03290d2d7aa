import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planOfPath, TICKS } from '../../../../test/plan-of-path.ts';
import type { MadeTables } from './made-rows.ts';
import type { QueryConnections } from './query-connections.ts';
import { SortedPages } from './sorted-pages.ts';
import type { WalkSpills } from './walk-spills.ts';

it('leaves the page to the caller whose file somebody has removed, and no other failure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-sorted-'));
  const file = join(folder, '0.parquet');
  writeFileSync(file, '');
  let heldCount = 0;
  const held = () => {
    heldCount++;
    return { file, rowCount: 7, release: () => heldCount-- };
  };
  const spills = { hold: held, holdOrWrite: async () => held() } as unknown as WalkSpills;
  const pages = new SortedPages({
    ...{ connections: {} as QueryConnections, tables: {} as MadeTables, spills, rowsMax: 1 },
    naturalPages: { run: () => Iterator.from([]) as never },
  });
  const plan = { ...planOfPath(`${TICKS}/AAA?sort=-Price`), root: folder };
  const never = new AbortController().signal;
  const failing = (isRemoved: boolean) =>
    pages.withFile(
      plan,
      async () => {
        if (isRemoved) rmSync(file);
        throw new Error('cannot be read');
      },
      never,
    );
  const found = await pages.withFile(plan, async ({ parts }) => parts[0] ?? null, never);
  expect(found).toMatchObject({ location: '0.parquet', rowCount: 7 });
  await expect(failing(false)).rejects.toThrow('cannot be read');
  expect(await failing(true)).toBeNull();
  expect(heldCount).toBe(0);
  rmSync(folder, { recursive: true });
});
