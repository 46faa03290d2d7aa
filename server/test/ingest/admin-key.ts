/** A key of an administrator's account. */
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { TestService } from '../harness.ts';

export async function adminKey({ services, clock }: TestService): Promise<string> {
  return await services.store.transaction(async ({ accounts, keys }) => {
    const createdAtMs = clock.now();
    const accountId = await accounts.create({
      name: 'operations',
      isAdmin: true,
      maxActiveApiKeys: 3,
      ipSubnets: [],
      limits: UNLIMITED,
      createdAtMs,
    });
    const made = generateKey();
    const names = { name: 'first', hash: hashKey(made), reference: keyReference(made) };
    await keys.create({ accountId, ...names, createdAtMs, expiresAtMs: createdAtMs + 1e10 });
    return made;
  });
}
