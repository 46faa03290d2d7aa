/** Operations on identities: who may call, from where, with how many keys. */
import { ApiError } from '../errors.ts';
import type { ControlStore } from '../store/control-store.ts';
import { type Identity, UNLIMITED } from '../store/identities.ts';
import { optional, refuse, requireAny, required } from './field.ts';
import { COUNT, FLAG, NAME, SUBNETS } from './field-kinds.ts';
import { changed, found, type Operation, type OperationContext, operation } from './operation.ts';
import { existingIdentity, IDENTITY_ID, PAGE_FIELDS, page } from './shared-fields.ts';
import { identityView } from './views.ts';

const DEFAULT_MAX_ACTIVE_API_KEYS = 5;

const NAME_OPTION = { name: 'name', valueName: 'N', description: 'name, which no other one has' };
const NAME_HELP = 'A name that no other identity has';
const ADMIN_HELP = 'Whether it may administer all identities';
const ADMIN_OPTION = { name: 'admin', flag: true, description: 'it may administer all identities' };
const MAX_KEYS_HELP = 'How many active, unexpired API keys it may have';
const SUBNETS_HELP = 'CIDR subnets that its requests may come from; none: from anywhere';
const SUBNET_OPTION = {
  name: 'subnet',
  valueName: 'CIDR',
  isMultiple: true,
  description: 'subnet that its requests may come from; may be given more than once',
};

function requireFreeName(store: ControlStore, name: string, identityId: number | null): void {
  const owner = store.identities.findByName(name);
  if (owner === null || owner.identityId === identityId) return;
  refuse('name', 'name_taken', `is the name of identity ${owner.identityId}`, name);
}

/** Somebody has to be left who can undo what is done. */
function requireOtherAdmin(store: ControlStore, identity: Identity): void {
  if (!identity.isAdmin || !identity.isActive) return;
  if (store.identities.countActiveAdmins() > 1 || store.people.countActiveOwners() > 0) return;
  throw new ApiError(409, 'The last active administrator has to remain one');
}

function applied(
  { store }: OperationContext,
  before: Identity,
  changes: Parameters<ControlStore['identities']['update']>[1],
) {
  store.identities.update(before.identityId, changes);
  const after = identityView(existingIdentity(store, before.identityId));
  return changed(after, `identity:${before.identityId}`, identityView(before), after);
}

export const createIdentity = operation({
  name: 'createIdentity',
  summary: 'create an identity, which at first may read nothing',
  method: 'POST',
  path: '/identities',
  words: ['identity', 'create'],
  fields: {
    name: required(NAME, NAME_HELP, NAME_OPTION),
    is_admin: optional(FLAG, `${ADMIN_HELP}; false unless given`, ADMIN_OPTION),
    max_active_api_keys: optional(
      COUNT,
      `${MAX_KEYS_HELP}; ${DEFAULT_MAX_ACTIVE_API_KEYS} unless given`,
      {
        name: 'max-keys',
        valueName: 'N',
        description: `most active keys (default: ${DEFAULT_MAX_ACTIVE_API_KEYS})`,
      },
    ),
    ip_subnets: optional(SUBNETS, SUBNETS_HELP, SUBNET_OPTION),
  },
  answerSchema: 'AdministeredIdentity',
  refusals: [],
  run: ({ store, nowMs }, values) => {
    requireFreeName(store, values.name, null);
    const identityId = store.identities.create({
      name: values.name,
      isAdmin: values.is_admin ?? false,
      maxActiveApiKeys: values.max_active_api_keys ?? DEFAULT_MAX_ACTIVE_API_KEYS,
      ipSubnets: values.ip_subnets ?? [],
      limits: UNLIMITED,
      createdAtMs: nowMs,
    });
    const after = identityView(existingIdentity(store, identityId));
    return changed(after, `identity:${identityId}`, null, after);
  },
});

const listIdentities = operation({
  name: 'listIdentities',
  summary: 'list the identities',
  method: 'GET',
  path: '/identities',
  words: ['identity', 'list'],
  fields: PAGE_FIELDS,
  answerSchema: 'IdentityPage',
  refusals: [],
  run: ({ store }, values) =>
    found(
      page(
        { after: values.after, limit: values.limit },
        (after, limit) => store.identities.list(after, limit),
        ({ identityId }) => identityId,
        identityView,
      ),
    ),
});

const showIdentity = operation({
  name: 'showIdentity',
  summary: 'show an identity',
  method: 'GET',
  path: '/identities/:identity_id',
  words: ['identity', 'show'],
  fields: { identity_id: IDENTITY_ID },
  answerSchema: 'AdministeredIdentity',
  refusals: [404],
  run: ({ store }, values) => found(identityView(existingIdentity(store, values.identity_id))),
});

export const updateIdentity = operation({
  name: 'updateIdentity',
  summary: 'change an identity; what is not given stays as it is',
  method: 'POST',
  path: '/identities/:identity_id/update',
  words: ['identity', 'update'],
  fields: {
    identity_id: IDENTITY_ID,
    name: optional(NAME, NAME_HELP, NAME_OPTION),
    is_admin: optional(FLAG, ADMIN_HELP, ADMIN_OPTION, {
      name: 'no-admin',
      flag: false,
      description: 'it may no longer administer identities',
    }),
    max_active_api_keys: optional(COUNT, MAX_KEYS_HELP, {
      name: 'max-keys',
      valueName: 'N',
      description: 'most active keys; those above it stay active',
    }),
    ip_subnets: optional(SUBNETS, `${SUBNETS_HELP}. Replaces the list`, SUBNET_OPTION, {
      name: 'no-subnets',
      flag: [],
      description: 'its requests may come from anywhere',
    }),
  },
  answerSchema: 'AdministeredIdentity',
  refusals: [404, 409],
  run: (context, values) => {
    const { store } = context;
    requireAny(values, ['name', 'is_admin', 'max_active_api_keys', 'ip_subnets']);
    const before = existingIdentity(store, values.identity_id);
    const name = values.name ?? before.name;
    requireFreeName(store, name, before.identityId);
    const isAdmin = values.is_admin ?? before.isAdmin;
    if (!isAdmin) requireOtherAdmin(store, before);
    return applied(context, before, {
      name,
      isAdmin,
      maxActiveApiKeys: values.max_active_api_keys ?? before.maxActiveApiKeys,
      ipSubnets: values.ip_subnets ?? before.ipSubnets,
    });
  },
});

const deactivateIdentity = operation({
  name: 'deactivateIdentity',
  summary: 'refuse all requests of an identity until it is activated again',
  method: 'POST',
  path: '/identities/:identity_id/deactivate',
  words: ['identity', 'deactivate'],
  fields: { identity_id: IDENTITY_ID },
  answerSchema: 'AdministeredIdentity',
  refusals: [404, 409],
  run: (context, values) => {
    const before = existingIdentity(context.store, values.identity_id);
    requireOtherAdmin(context.store, before);
    return applied(context, before, { isActive: false });
  },
});

const activateIdentity = operation({
  name: 'activateIdentity',
  summary: 'let an identity in again',
  method: 'POST',
  path: '/identities/:identity_id/activate',
  words: ['identity', 'activate'],
  fields: { identity_id: IDENTITY_ID },
  answerSchema: 'AdministeredIdentity',
  refusals: [404],
  run: (context, values) =>
    applied(context, existingIdentity(context.store, values.identity_id), { isActive: true }),
});

export const IDENTITY_OPERATIONS: readonly Operation[] = [
  createIdentity,
  listIdentities,
  showIdentity,
  updateIdentity,
  deactivateIdentity,
  activateIdentity,
];
