import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writing } from '../../../test/writing.ts';
import { UNLIMITED } from '../accounts.ts';
import { SqliteControlStore } from './control-store.ts';
import { openDatabase } from './database.ts';
import { CONTROL_SCRIPTS } from './schema.ts';

it('has one row for each subject, however often it changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-change-log-'));
  const path = join(folder, 'control.db');
  const store = new SqliteControlStore(path);
  const { accounts, people } = writing(store);
  const account = { name: 'one', isAdmin: false, maxActiveApiKeys: 3, ipSubnets: [] };
  const accountId = await accounts.create({ ...account, limits: UNLIMITED, createdAtMs: 0 });
  const person = { email: 'a@example.com', role: 'member' as const, passwordHash: 'none' };
  const personId = await people.create({ ...person, accountId, createdAtMs: 0 });
  for (let count = 0; count < 20; count++) {
    await accounts.update(accountId, { maxActiveApiKeys: count });
    await people.update(personId, { lastSignInAtMs: count });
  }
  await store.close();
  const database = openDatabase(path, CONTROL_SCRIPTS);
  const rows = database.prepare('SELECT subject, subject_id AS id FROM change_log').all();
  database.close();
  rmSync(folder, { recursive: true });
  expect(rows.toSorted((a, b) => String(a.subject).localeCompare(String(b.subject)))).toEqual([
    { subject: 'identity', id: accountId },
    { subject: 'person', id: personId },
  ]);
});
