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
import { optional, refuse, required } from './field.ts';
import { ADDRESS, choiceOf, FLAG, SUBNETS } from './field-kinds.ts';
import { activateKey, createKey, deactivateKey, deleteKey, renameKey } from './key-operations.ts';
import { invitePerson, makeLink } from './link-operations.ts';
import { found, type Operation, type OperationContext, operation } from './operation.ts';
import { activatePerson, deactivatePerson, listPeople } from './person-operations.ts';
import { showUsage } from './record-operations.ts';
import { listRequests } from './request-operations.ts';
import { existingKeyOf, existingPersonOf } from './shared-fields.ts';

/** Operations without a command, each with the least role that it is for. */
interface OwnOperation {
  readonly operation: Operation;
  readonly role: Role;
}

/** Throws ApiError 'not found' without an account, 'gone' if it is inactive. */
function callersAccount({
  ownAccount: account = null,
  nowMs,
}: Pick<OperationContext, 'ownAccount' | 'nowMs'>) {
  return requireAccount({ account }, nowMs);
}

function forOwnAccount(
  { fields, run, ...others }: Operation,
  own: Pick<Operation, 'name' | 'path' | 'summary'>,
): Operation {
  const { identity_id: _, ...ownFields } = fields;
  return {
    ...others,
    ...own,
    words: [],
    fields: ownFields,
    run: async (context, values) =>
      run(context, { ...values, identity_id: callersAccount(context).accountId }),
  };
}

/** A key of another account is not found, like one that there is not. */
function ownKey(
  { run, path, ...others }: Operation,
  own: Pick<Operation, 'name' | 'summary'>,
): Operation {
  return {
    ...others,
    ...own,
    path: `/account/my${path}`,
    words: [],
    run: async (context, values) => {
      await existingKeyOf(context.store, callersAccount(context).accountId, values.key_id);
      return run(context, values);
    },
  };
}

/** A person of another account is not found; what an owner may do is nobody else's to change. */
function ownPerson(
  { run, path, ...others }: Operation,
  own: Pick<Operation, 'name' | 'summary'>,
): Operation {
  return {
    ...others,
    ...own,
    path: `/account/my${path}`,
    words: [],
    run: async (context, values) => {
      const { accountId } = callersAccount(context);
      const { role } = await existingPersonOf(context.store, accountId, values.person_id);
      if (role === 'owner') throw new ApiError('forbidden', 'Only an owner may change an owner');
      return run(context, values);
    },
  };
}

const listMyPeople = forOwnAccount(listPeople, {
  name: 'listMyPeople',
  path: '/account/my/people',
  summary: 'list the people of your account',
});

const OWN_ROLES = ROLES.filter((role) => role !== 'owner');
const inviteForAccount = forOwnAccount(invitePerson, {
  name: 'inviteMyPerson',
  path: '/account/my/people/invite',
  summary: 'invite a person to your account by a link, shown only in this answer or e-mailed',
});
const inviteMyPerson: Operation = {
  ...inviteForAccount,
  fields: {
    ...inviteForAccount.fields,
    role: required(choiceOf(OWN_ROLES), `Role of the person: ${OWN_ROLES.join(' or ')}`),
  },
  run: async (context, values) => {
    // Whose account it is, is nobody else's to know.
    if (await context.store.people.findByEmail(String(values.email))) {
      refuse(
        'email',
        'email_taken',
        'cannot be invited; ask an owner of the service',
        values.email,
      );
    }
    return inviteForAccount.run(context, values);
  },
};

const checkSubnets = operation({
  name: 'checkMyIpSubnets',
  summary: 'tell whether requests from an address would be allowed',
  method: 'GET',
  path: '/account/my/ip-subnets/check',
  words: [],
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
  method: 'POST',
  path: '/account/my/ip-subnets',
  words: [],
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

const requestMyAccess = forOwnAccount(requestAccess, {
  name: 'requestMyAccess',
  path: '/account/my/access-requests',
  summary: 'ask the owners for access to a dataset',
});

const READING: readonly Operation[] = [
  forOwnAccount(showUsage, {
    name: 'showMyUsage',
    path: '/account/my/usage',
    summary: 'show the usage of your account by day (UTC), dataset and key',
  }),
  forOwnAccount(listAccessRequests, {
    name: 'listMyAccessRequests',
    path: '/account/my/access-requests',
    summary: 'list what your account has asked access for, the newest first',
  }),
  requestMyAccess,
  forOwnAccount(listRequests, {
    name: 'listMyRequests',
    path: '/account/my/requests',
    summary: 'list the requests of your account and what each cost, the latest first',
  }),
  checkSubnets,
];

const CHANGING: readonly Operation[] = [
  listMyPeople,
  inviteMyPerson,
  ownPerson(makeLink, {
    name: 'makeMyPersonLink',
    summary: 'make a link by which a person of your account chooses a new password',
  }),
  ownPerson(deactivatePerson, {
    name: 'deactivateMyPerson',
    summary: 'end all sessions of a person of your account and refuse new ones',
  }),
  ownPerson(activatePerson, {
    name: 'activateMyPerson',
    summary: 'activate a deactivated person of your account',
  }),
  forOwnAccount(createKey, {
    name: 'createMyApiKey',
    path: '/account/my/api-keys',
    summary: 'create an API key for your account; it is shown only in this answer',
  }),
  ownKey(renameKey, {
    name: 'renameMyApiKey',
    summary: 'rename an API key of your account',
  }),
  ownKey(activateKey, {
    name: 'activateMyApiKey',
    summary: 'activate a deactivated API key of your account',
  }),
  ownKey(deactivateKey, {
    name: 'deactivateMyApiKey',
    summary: 'refuse all requests with an API key of your account until it is activated again',
  }),
  ownKey(deleteKey, {
    name: 'deleteMyApiKey',
    summary: 'delete an API key of your account',
  }),
  setSubnets,
];

export const OWN_OPERATIONS: readonly OwnOperation[] = [
  ...READING.map((each) => ({ operation: each, role: 'member' as const })),
  ...CHANGING.map((each) => ({ operation: each, role: 'manager' as const })),
];
