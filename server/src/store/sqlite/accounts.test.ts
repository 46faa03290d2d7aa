import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writing } from '../../../test/writing.ts';
import { type QuotaLimits, UNLIMITED } from '../accounts.ts';
import { SqliteControlStore } from './control-store.ts';

it('leaves a quantity unlimited that was not counted yet when the limits were set', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-identities-'));
  const store = new SqliteControlStore(join(folder, 'control.db'));
  try {
    const limits = { month: { requests: 5 } } as unknown as QuotaLimits;
    const name = 'an early account';
    const rest = { isAdmin: false, maxActiveApiKeys: 1, ipSubnets: [], createdAtMs: 0 };
    const accountId = await writing(store).accounts.create({ name, limits, ...rest });
    expect((await store.accounts.find(accountId))?.limits).toEqual({
      ...UNLIMITED,
      month: { ...UNLIMITED.month, requests: 5 },
    });
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});
