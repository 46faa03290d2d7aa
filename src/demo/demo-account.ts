/**
 * The demo identity: entitled to every dataset, its key kept in a file that only its owner reads, and
 * the first owner, whose password is kept nowhere.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey, keyStatus } from '../access/api-key.ts';
import { createIdentity } from '../admin/identity-operations.ts';
import type { InitialPassword } from '../admin/initial-password.ts';
import { createKey } from '../admin/key-operations.ts';
import { type Operation, perform } from '../admin/operation.ts';
import { createPerson } from '../admin/person-operations.ts';
import { addRule } from '../admin/rule-operations.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { ControlStore } from '../store/control-store.ts';

export const DEMO_NAME = 'demo';
const OWNER_EMAIL = 'owner@demo.localhost';
const KEY_LIFETIME = '3650d';

export function demoKeyFile(home: string): string {
  return join(home, 'demo-key');
}

/** The key in `<home>/demo-key`; null when there is none or it no longer opens anything. */
export function liveDemoKey(store: ControlStore, nowMs: number, home: string): string | null {
  const file = demoKeyFile(home);
  if (!existsSync(file)) return null;
  const key = readFileSync(file, 'utf8').trim();
  const record = store.keys.findByHash(hashKey(key));
  if (record === null || keyStatus(record, nowMs) !== 'active') return null;
  return store.identities.find(record.identityId)?.isActive ? key : null;
}

/** With what a person signs in. */
export interface SignIn {
  readonly email: string;
  readonly password: string;
}

export interface DemoAccount {
  readonly key: string;
  /** Of an owner; null where none was made. */
  readonly signIn: SignIn | null;
}

/**
 * Creates the demo identity with a rule for every dataset of the catalogue and a key, which it
 * writes to `<home>/demo-key` (mode 0600) and returns; and, with a password where nobody can sign
 * in yet, an owner who belongs to it. Throws `BadInput`, and changes nothing, when there is an identity of that name.
 */
export function createDemoAccount(
  store: ControlStore,
  catalog: Catalog,
  nowMs: number,
  home: string,
  initialPassword: InitialPassword | null = null,
): DemoAccount {
  const context = {
    store,
    catalog,
    nowMs,
    actor: `local:${DEMO_NAME}`,
    source: 'first start',
    ...(initialPassword ? { initialPassword } : {}),
  };
  const act = <T>(operation: Operation, input: Record<string, unknown>) =>
    perform(operation, context, input) as T;
  return store.transaction(() => {
    const { identity_id } = act<{ identity_id: number }>(createIdentity, { name: DEMO_NAME });
    for (const { datasetId } of catalog.datasets) {
      act(addRule, { identity_id, dataset_id: datasetId });
    }
    const keyInput = { identity_id, name: 'demo key', expires_in: KEY_LIFETIME };
    const { api_key: key } = act<{ api_key: string }>(createKey, keyInput);
    const isFirst = initialPassword !== null && store.people.list(null, 0, 1).length === 0;
    const owner = { email: OWNER_EMAIL, role: 'owner', identity_id };
    const signIn = isFirst ? act<SignIn>(createPerson, owner) : null;
    writeFileSync(demoKeyFile(home), `${key}\n`, { mode: 0o600 });
    return { key, signIn };
  });
}
