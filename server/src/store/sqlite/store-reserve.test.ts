import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SqliteControlStore } from './control-store.ts';

const RESERVE_BYTES = 4 * 1024 * 1024;

it('is made beside transactions that wait in their middle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-reserve-'));
  const store = new SqliteControlStore(join(folder, 'control.db'), { reserveBytes: RESERVE_BYTES });
  let isMade = false;
  const others = async () => {
    while (!isMade) {
      await store.transaction(async ({ usage }) => {
        await wait(3);
        await usage.deleteLedger(0, 1);
      });
    }
  };
  const making = store.prepare().finally(() => {
    isMade = true;
  });
  await Promise.all([making, others()]);
  expect(store.reservedBytes()).toBeGreaterThanOrEqual(RESERVE_BYTES);
  await store.close();
  rmSync(folder, { recursive: true });
});
