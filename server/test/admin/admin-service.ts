/** A service with an administrator, and what administration has kept. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LightMyRequestResponse } from 'fastify';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

export interface AdminService extends TestService {
  /** Asks with the administrator's key; a POST when a body is given. */
  ask(path: string, body?: unknown): Promise<LightMyRequestResponse>;
  /** Like `ask`, but returns the body of the answer, which has to be a 200. */
  done<T>(path: string, body?: unknown): Promise<T>;
  admin: { readonly accountId: number; readonly key: string };
}

export async function openAdminService(
  settings?: Parameters<typeof openTestService>[0],
): Promise<AdminService> {
  const service = await openTestService(settings);
  const admin = await service.addAccount('owner');
  await writing(service.services.store).accounts.update(admin.accountId, { isAdmin: true });
  const ask = (path: string, body?: unknown) =>
    service.app.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: `/v1${path}`,
      headers: { 'x-api-key': admin.key },
      ...(body === undefined ? {} : { payload: body as object }),
    });
  return {
    ...service,
    admin,
    ask,
    done: async (path, body) => {
      const answer = await ask(path, body);
      if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`);
      return answer.json();
    },
  };
}

const KEPT = {
  identity: '*',
  api_key: 'key_id, identity_id, name, key_hash, reference, created_at, expires_at, is_active',
  access_rule: '*',
  person: '*',
  audit_log: '*',
};

/** All that administration keeps, as text; not what requests leave behind. */
export function dumpOf(home: string): string {
  const database = new DatabaseSync(join(home, 'control.db'), { readOnly: true });
  const tables = Object.entries(KEPT).map(([table, columns]) => [
    table,
    database.prepare(`SELECT ${columns} FROM ${table}`).all(),
  ]);
  database.close();
  return JSON.stringify(tables);
}
