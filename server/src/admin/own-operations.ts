/**
 * Operations of people on their own account: the administrators' operations, for the account that
 * the person belongs to, and changes to the subnets that consider the caller's own address.
 */

import { requireAccount } from '../access/authenticate.ts';
import { isAllowedFrom } from '../access/ip-allow-list.ts';
import { formatAddress, parseAddress } from '../access/subnet.ts';
import { ApiError } from '../base/errors.ts';
import { ROLES, type Role } from '../store/people.ts';
import { listAccessRequests, requestAccess } from './access-request-operations.ts';
import { updateAccount } from './account-operations.ts';
import { ADMINISTERED_ACCOUNT, SUBNET_CHECK } from './answers.ts';
import { type Fields, type FieldValues, optional, refuse, required } from './field.ts';
import { ADDRESS, choiceOf, FLAG, SUBNETS } from './field-kinds.ts';
import { activateKey, createKey, deactivateKey, deleteKey, renameKey } from './key-operations.ts';
import { invitePerson, makeLink } from './link-operations.ts';
import { found, type Operation, type OperationContext, operation } from './operation.ts';
import { activatePerson, deactivatePerson, listPeople } from './person-operations.ts';
import { listRequests, showUsage } from './record-operations.ts';
import { KEYS, PEOPLE } from './records.ts';

/** Throws ApiError 'not found' without an account, 'gone' if it is inactive. */
function callersAccount({
  ownAccount: account = null,
  nowMs,
}: Pick<OperationContext, 'ownAccount' | 'nowMs'>) {
  return requireAccount({ account }, nowMs);
}

/** Nothing of another account is found, and only an owner may change an owner. */
async function requireOwn(
  { path }: Operation,
  { store }: OperationContext,
  { key_id: keyId, person_id: personId, identity_id: accountId }: FieldValues<Fields>,
): Promise<void> {
  if (path.includes('/:key_id')) await KEYS.existing(store, keyId, accountId);
  if (!path.includes('/:person_id')) return;
  const { role } = await PEOPLE.existing(store, personId, accountId);
  if (role === 'owner') throw new ApiError('forbidden', 'Only an owner may change an owner');
}

/** `listPeople` becomes `listMyPeople`, below `/account/my`. */
function own(operation: Operation, summary: string): Operation {
  const { name, path, fields, run } = operation;
  const { identity_id: _, ...ownFields } = fields;
  return {
    ...{ ...operation, summary, words: [], fields: ownFields },
    name: name.replace(/(?=[A-Z])/, 'My'),
    path: `/account/my${path.replace('/identities/:identity_id', '')}`,
    run: async (context, values) => {
      const ownValues = { ...values, identity_id: callersAccount(context).accountId };
      await requireOwn(operation, context, ownValues);
      return run(context, ownValues);
    },
  };
}

const OWN_ROLES = ROLES.filter((role) => role !== 'owner');
const inviteForAccount = own(
  invitePerson,
  'invite a person to your account by a link, shown only in this answer or e-mailed',
);
const inviteMyPerson: Operation = {
  ...inviteForAccount,
  fields: {
    ...inviteForAccount.fields,
    role: required(choiceOf(OWN_ROLES), `Role of the person: ${OWN_ROLES.join(' or ')}`),
  },
  run: async (context, values) => {
    // Whose account it is, is nobody else's to know.
    if (await context.store.people.findByEmail(String(values.email))) {
      const complaint = 'cannot be invited; ask an owner of the service';
      refuse('email', 'email_taken', complaint, values.email);
    }
    return inviteForAccount.run(context, values);
  },
};

const checkSubnets = operation({
  name: 'checkMyIpSubnets',
  summary: 'tell whether requests from an address would be allowed',
  endpoint: 'GET /account/my/ip-subnets/check',
  fields: {
    address: required(ADDRESS, 'The address'),
    subnets: optional(SUBNETS, 'Subnets to try; default: those of the account'),
  },
  answer: SUBNET_CHECK,
  refusals: ['not found'],
  run: async (context, { address, subnets }) => {
    const { ipSubnets } = callersAccount(context);
    const tried = subnets ?? ipSubnets;
    const { source } = context;
    return found({
      address: formatAddress(address),
      is_allowed: isAllowedFrom(tried, address),
      source_address: source,
      is_source_allowed: isAllowedFrom(tried, parseAddress(source)),
    });
  },
});

const setSubnets = operation({
  name: 'setMyIpSubnets',
  summary: 'replace the subnets that requests of your account may come from',
  endpoint: 'POST /account/my/ip-subnets',
  fields: {
    ip_subnets: required(SUBNETS, 'CIDR subnets; an empty list allows any address'),
    allow_lock_out: optional(FLAG, 'Accept a list without the address of this request'),
  },
  answer: ADMINISTERED_ACCOUNT,
  refusals: ['not found', 'conflict'],
  run: async (context, { ip_subnets, allow_lock_out }) => {
    const { accountId } = callersAccount(context);
    const { source } = context;
    if (!allow_lock_out && !isAllowedFrom(ip_subnets, parseAddress(source))) {
      throw new ApiError('conflict', `The list would lock out your own address ${source}`);
    }
    return updateAccount.run(context, { identity_id: accountId, ip_subnets });
  },
});

const READING: readonly Operation[] = [
  own(showUsage, 'show the usage of your account by day (UTC), dataset and key'),
  own(listAccessRequests, 'list what your account has asked access for, the newest first'),
  own(requestAccess, 'ask the owners for access to a dataset'),
  own(listRequests, 'list the requests of your account and what each cost, the latest first'),
  checkSubnets,
];

const CHANGING: readonly Operation[] = [
  own(listPeople, 'list the people of your account'),
  inviteMyPerson,
  own(makeLink, 'make a link by which a person of your account chooses a new password'),
  own(deactivatePerson, 'end all sessions of a person of your account and refuse new ones'),
  own(activatePerson, 'activate a deactivated person of your account'),
  own(createKey, 'create an API key for your account; it is shown only in this answer'),
  own(renameKey, 'rename an API key of your account'),
  own(activateKey, 'activate a deactivated API key of your account'),
  own(
    deactivateKey,
    'refuse all requests with an API key of your account until it is activated again',
  ),
  own(deleteKey, 'delete an API key of your account'),
  setSubnets,
];

/** Operations without a command, each with the least role that it is for. */
export const OWN_OPERATIONS: readonly { readonly operation: Operation; readonly role: Role }[] = [
  ...READING.map((each) => ({ operation: each, role: 'member' as const })),
  ...CHANGING.map((each) => ({ operation: each, role: 'manager' as const })),
];
