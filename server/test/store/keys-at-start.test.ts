import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { openControlStore } from '../../src/open-home.ts';
import { openServices } from '../../src/open-services.ts';
import { readConfig } from '../../src/settings/config.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { writing } from '../writing.ts';

const HASH = 'ab'.repeat(32);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-services-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function createKey(): Promise<void> {
  const store = await openControlStore({ home: home });
  const account = { name: 'one', isAdmin: false, maxActiveApiKeys: 1, ipSubnets: [] };
  const accountId = await writing(store).accounts.create({
    ...account,
    limits: UNLIMITED,
    createdAtMs: 0,
  });
  const times = { createdAtMs: 0, expiresAtMs: 1 };
  await writing(store).keys.create({
    accountId,
    name: 'key',
    hash: HASH,
    reference: 'abcd',
    ...times,
  });
  await store.close();
}

/** Takes all keys out of the file without a word in the log of changes. */
function dropKeysUnnoticed(): void {
  const database = new DatabaseSync(join(home, 'control.db'));
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  database.exec('DELETE FROM api_key');
  database.close();
}

it('has read all keys before the first request', async () => {
  await createKey();
  const config = { ...readConfig({}), home };
  const services = await openServices(config, fixedClock('2025-06-20T16:00:00Z'));
  dropKeysUnnoticed();
  expect(services.store.replica.findCredential(HASH)?.key.name).toBe('key');
  await services.close();
});
