/** Operations on API keys. A key itself is shown by its creation and never again. */

import { generateKey, hashKey, keyReference, keyStatus } from '../access/api-key.ts';
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { legalText } from '../schema/schema.ts';
import type { Account } from '../store/accounts.ts';
import type { StoreReader } from '../store/control-store.ts';
import {
  ADMINISTERED_API_KEY,
  ADMINISTERED_API_KEY_LIST,
  DELETED_API_KEY,
  NEW_API_KEY,
} from './answers.ts';
import { optional, refuse, required } from './field.ts';
import { FUTURE_TIME, LIFETIME_MS, NAME } from './field-kinds.ts';
import { found, type Operation, operation } from './operation.ts';
import { ACCOUNT_ID, ACCOUNTS, KEY_ID, KEYS } from './records.ts';
import { keyView } from './views.ts';

const SECOND_MS = 1000;

/** Most keys of one account, in any state. */
const KEYS_MAX = 1000;

const NAME_FIELD = required(NAME, 'What the key is for', '--name N');

/** Keys past their expiry do not count, nor does a ceiling end keys that are there already. */
async function requireRoom(store: StoreReader, account: Account, nowMs: number): Promise<void> {
  const { accountId, maxActiveApiKeys } = account;
  if ((await store.keys.countActive(accountId, nowMs)) < maxActiveApiKeys) return;
  const text = `An account cannot have more than ${maxActiveApiKeys} active API keys`;
  throw new ApiError('conflict', text);
}

/** Every operation on keys reads all keys of the account, so their number is limited. */
async function requireFewKeys({ keys }: StoreReader, { accountId }: Account): Promise<void> {
  if ((await keys.countOf(accountId)) < KEYS_MAX) return;
  const text = `An account cannot keep more than ${KEYS_MAX} API keys; delete some that are expired or deactivated`;
  throw new ApiError('conflict', text);
}

/** `field` is the one that was given. */
function requireWithinContract(
  { contractEndsAtMs }: Account,
  expiresAtMs: number,
  field: 'expires_at' | 'expires_in',
): void {
  if (contractEndsAtMs === null || expiresAtMs <= contractEndsAtMs) return;
  const end = isoSeconds(contractEndsAtMs);
  const complaint = `should not be after the end of the account's contract, ${end}`;
  refuse(field, 'after_contract', complaint, isoSeconds(expiresAtMs));
}

/** In whole seconds, as it is shown. */
function expiryOf(
  expiresAtMs: number | undefined,
  lifetimeMs: number | undefined,
  nowMs: number,
): number {
  if (expiresAtMs !== undefined && lifetimeMs !== undefined) {
    refuse('expires_in', 'given_twice', "should not be given together with 'expires_at'", null);
  }
  if (expiresAtMs !== undefined) return expiresAtMs;
  return Math.ceil((nowMs + (lifetimeMs ?? 0)) / SECOND_MS) * SECOND_MS;
}

export const createKey = operation({
  name: 'createApiKey',
  summary: 'create an API key for an account; it is shown only in this answer',
  endpoint: 'POST /identities/:identity_id/api-keys',
  command: 'key create',
  fields: {
    identity_id: ACCOUNT_ID,
    name: NAME_FIELD,
    expires_at: optional(
      FUTURE_TIME,
      `When it expires: ${legalText(FUTURE_TIME)}`,
      '--expires TIME',
    ),
    expires_in: optional(
      LIFETIME_MS,
      `Or how long it lasts: ${legalText(LIFETIME_MS)}`,
      '--expires-in TIME',
    ),
  },
  needsOne: true,
  answer: NEW_API_KEY,
  refusals: ['conflict'],
  secret: 'api_key',
  note: 'Keep the api_key: it is shown only once and cannot be read again.',
  run: async (context, values) => {
    const { store, nowMs } = context;
    const expiresAtMs = expiryOf(values.expires_at, values.expires_in, nowMs);
    const account = await ACCOUNTS.existing(store, values.identity_id);
    const field = values.expires_at === undefined ? 'expires_in' : 'expires_at';
    requireWithinContract(account, expiresAtMs, field);
    await requireRoom(store, account, nowMs);
    await requireFewKeys(store, account);
    const key = generateKey();
    const keyId = await store.keys.create({
      accountId: account.accountId,
      name: values.name,
      hash: hashKey(key),
      reference: keyReference(key),
      createdAtMs: nowMs,
      expiresAtMs,
    });
    return KEYS.made(context, keyId, { api_key: key });
  },
});

const listKeys = operation({
  name: 'listApiKeys',
  summary: 'list the API keys of an account',
  endpoint: 'GET /identities/:identity_id/api-keys',
  command: 'key list',
  fields: { identity_id: ACCOUNT_ID },
  answer: ADMINISTERED_API_KEY_LIST,
  run: async ({ store, nowMs }, values) => {
    const { accountId } = await ACCOUNTS.existing(store, values.identity_id);
    return found((await store.keys.listOf(accountId)).map((key) => keyView(key, nowMs)));
  },
});

export const renameKey = operation({
  name: 'renameApiKey',
  summary: 'rename an API key',
  endpoint: 'POST /api-keys/:key_id/rename',
  command: 'key rename',
  fields: { key_id: KEY_ID, name: NAME_FIELD },
  answer: ADMINISTERED_API_KEY,
  run: async (context, { key_id, name }) =>
    KEYS.altered(context, key_id, () => context.store.keys.rename(key_id, name)),
});

export const activateKey = operation({
  name: 'activateApiKey',
  summary: 'activate a deactivated API key',
  endpoint: 'POST /api-keys/:key_id/activate',
  command: 'key activate',
  fields: { key_id: KEY_ID },
  answer: ADMINISTERED_API_KEY,
  refusals: ['conflict'],
  run: async (context, { key_id }) =>
    KEYS.altered(context, key_id, async (key) => {
      const { store, nowMs } = context;
      if (keyStatus({ ...key, isActive: true }, nowMs) === 'expired') {
        throw new ApiError('conflict', 'An expired API key cannot be activated');
      }
      const account = await ACCOUNTS.existing(store, key.accountId);
      if (!key.isActive) await requireRoom(store, account, nowMs);
      await store.keys.setActive(key_id, true);
    }),
});

export const deactivateKey = operation({
  name: 'deactivateApiKey',
  summary: 'refuse all requests with an API key until it is activated again',
  endpoint: 'POST /api-keys/:key_id/deactivate',
  command: 'key deactivate',
  fields: { key_id: KEY_ID },
  answer: ADMINISTERED_API_KEY,
  run: async (context, { key_id }) =>
    KEYS.altered(context, key_id, () => context.store.keys.setActive(key_id, false)),
});

export const deleteKey = operation({
  name: 'deleteApiKey',
  summary: 'delete an API key',
  endpoint: 'POST /api-keys/:key_id/delete',
  command: 'key delete',
  fields: { key_id: KEY_ID },
  answer: DELETED_API_KEY,
  run: async (context, { key_id }) =>
    KEYS.deleted(context, { key_id }, () => context.store.keys.delete(key_id)),
});

export const KEY_OPERATIONS: readonly Operation[] = [
  createKey,
  listKeys,
  renameKey,
  activateKey,
  deactivateKey,
  deleteKey,
];
