/** Operations on people: who may sign in, as what, and how they are signed in. */
import { generatePassword, type Passwords } from '../access/passwords.ts';
import { liveSessions, sessionIdOf } from '../access/session.ts';
import { ApiError } from '../base/errors.ts';
import { nullable } from '../schema/schema.ts';
import type { StoreReader } from '../store/control-store.ts';
import { type Person, ROLES } from '../store/people.ts';
import {
  DELETED_PERSON,
  ENDED_SESSIONS,
  NEW_PERSON,
  PERSON,
  PERSON_PAGE,
  PERSON_SESSION_LIST,
} from './answers.ts';
import { answeringEnquiries } from './enquiry-operations.ts';
import { asOptional, type FieldValues, optional, refuse, required } from './field.ts';
import { choiceOf, EMAIL, ID, NAME } from './field-kinds.ts';
import {
  changed,
  found,
  type InitialPassword,
  type Operation,
  type OperationContext,
  operation,
} from './operation.ts';
import { ACCOUNTS, PAGE_FIELDS, PEOPLE, PERSON_ID, page } from './records.ts';
import { personView, sessionView } from './views.ts';

export async function newInitialPassword(passwords: Passwords): Promise<InitialPassword> {
  const password = generatePassword();
  return { password, hash: await passwords.hash(password) };
}

const EMAIL_FIELD = required(EMAIL, 'E-mail address to sign in with; unique', '--email E');
const ROLE = choiceOf(ROLES);
const ROLE_HELP =
  'member: reads; manager: also changes the account; owner: administers all accounts';
const ROLE_OPTIONS = [
  '--role ROLE',
  { option: '--owner', flag: 'owner', description: 'the same as --role owner' },
];
const ACCOUNT_OPTION = '--identity ID';
/** Managers of an account invite people; only owners delete them. */
export const PEOPLE_MAX = 1000;

const KEEP_PASSWORD = 'Keep the password: it is shown only once and cannot be read again.';

async function requireFreeEmail(
  store: StoreReader,
  email: string,
  personId: number | null,
): Promise<void> {
  const owner = await store.people.findByEmail(email);
  if (owner === null || owner.personId === personId) return;
  refuse('email', 'email_taken', `already belongs to person ${owner.personId}`, email);
}

/** Everyone but owners needs an account, and one that is there. */
async function requirePlace(
  store: StoreReader,
  { role, accountId }: Pick<Person, 'role' | 'accountId'>,
): Promise<void> {
  if (accountId !== null) await ACCOUNTS.existing(store, accountId);
  else if (role !== 'owner') {
    refuse('identity_id', 'missing', `is missing; a ${role} must belong to an account`, null);
  }
}

async function requireRoom(store: StoreReader, accountId: number | null): Promise<void> {
  if (accountId === null || (await store.people.countOf(accountId)) < PEOPLE_MAX) return;
  throw new ApiError(
    'conflict',
    `The account has ${PEOPLE_MAX} people, the most that one may have; an owner can delete some`,
  );
}

/** Somebody has to be left who can undo what is done. */
async function requireOtherOwner(store: StoreReader, { role, isActive }: Person): Promise<void> {
  if (role !== 'owner' || !isActive) return;
  if ((await store.people.countActiveOwners()) > 1) return;
  throw new ApiError(
    'conflict',
    'The last active owner cannot be deleted, deactivated or given another role',
  );
}

function given(initialPassword: InitialPassword | undefined): InitialPassword {
  if (!initialPassword) throw new Error('no initial password was made');
  return initialPassword;
}

export const NEW_PERSON_FIELDS = {
  email: EMAIL_FIELD,
  role: required(ROLE, ROLE_HELP, ...ROLE_OPTIONS),
  identity_id: optional(ID, 'Id of the account; optional for an owner', ACCOUNT_OPTION),
};

/** With the initial password, which need not be told to anybody. */
export async function addPerson(
  { store, nowMs, initialPassword }: OperationContext,
  { email, role, identity_id }: FieldValues<typeof NEW_PERSON_FIELDS>,
): Promise<Person> {
  const { hash } = given(initialPassword);
  const accountId = identity_id ?? null;
  await requireFreeEmail(store, email, null);
  await requirePlace(store, { role, accountId });
  await requireRoom(store, accountId);
  const passwordHash = hash;
  const person = { email, role, accountId, passwordHash, createdAtMs: nowMs };
  return PEOPLE.existing(store, await store.people.create(person));
}

export const createPerson = operation({
  name: 'createPerson',
  summary: 'create a person who can sign in; the password is shown only in this answer',
  endpoint: 'POST /people',
  command: 'user create',
  fields: NEW_PERSON_FIELDS,
  answer: NEW_PERSON,
  refusals: ['not found', 'conflict'],
  note: KEEP_PASSWORD,
  secret: 'password',
  run: async (context, values) => {
    const { password } = given(context.initialPassword);
    const { personId } = await addPerson(context, values);
    return PEOPLE.made(context, personId, { password });
  },
});

export const listPeople = operation({
  name: 'listPeople',
  summary: 'list the people who can sign in',
  endpoint: 'GET /people',
  command: 'user list',
  fields: {
    identity_id: optional(ID, 'Only people of this account', ACCOUNT_OPTION),
    ...PAGE_FIELDS,
  },
  answer: PERSON_PAGE,
  refusals: ['not found'],
  run: async ({ store }, { identity_id, after, limit }) => {
    const accountId = identity_id ? (await ACCOUNTS.existing(store, identity_id)).accountId : null;
    return await page(
      { after, limit },
      (afterId, count) => store.people.list(accountId, afterId, count),
      ({ personId }) => personId,
      personView,
    );
  },
});

const updatePerson = operation({
  name: 'updatePerson',
  summary: 'change a person; options that are left out change nothing',
  endpoint: 'POST /people/:person_id/update',
  command: 'user update',
  fields: {
    person_id: PERSON_ID,
    email: asOptional(EMAIL_FIELD),
    role: optional(ROLE, `${ROLE_HELP}. Ends the person's sessions`, ...ROLE_OPTIONS),
    identity_id: optional(
      nullable(ID, 'none'),
      "Id of the account; null, for an owner only, means none. Ends the person's sessions",
      {
        option: ACCOUNT_OPTION,
        description: 'id of the account that the person belongs to, or none',
      },
    ),
  },
  needsOne: true,
  answer: PERSON,
  refusals: ['conflict'],
  run: async (context, values) =>
    PEOPLE.altered(context, values.person_id, async (before) => {
      const { store } = context;
      const { email = before.email, role = before.role } = values;
      const accountId = values.identity_id === undefined ? before.accountId : values.identity_id;
      await requireFreeEmail(store, email, before.personId);
      await requirePlace(store, { role, accountId });
      if (accountId !== before.accountId) await requireRoom(store, accountId);
      if (role !== 'owner') await requireOtherOwner(store, before);
      const isMoved = role !== before.role || accountId !== before.accountId;
      if (isMoved) await store.sessions.endAllOf(before.personId);
      // The link's holder could set the password of a person with more rights.
      if (isMoved || email !== before.email) await store.personLinks.deleteOf(before.personId);
      await store.people.update(before.personId, { email, role, accountId });
    }),
});

const resetPassword = operation({
  name: 'resetPersonPassword',
  summary: 'give a person a new password, shown only in this answer, and end all their sessions',
  endpoint: 'POST /people/:person_id/reset-password',
  command: 'user reset-password',
  fields: { person_id: PERSON_ID },
  answer: NEW_PERSON,
  note: KEEP_PASSWORD,
  secret: 'password',
  run: async (context, { person_id }) => {
    const { password, hash } = given(context.initialPassword);
    const { answer, change } = await PEOPLE.altered(context, person_id, async () => {
      const { people, personLinks, sessions, signInPlaces } = context.store;
      await people.setPassword(person_id, hash, true);
      await personLinks.deleteOf(person_id);
      await sessions.endAllOf(person_id);
      // Whoever had the old password may have signed in, too.
      await signInPlaces.forgetAllOf(person_id);
      // Else nothing of it might be seen to have changed.
      return { is_password_reset: true };
    });
    return { answer: { ...answer, password }, change };
  },
});

export const deactivatePerson = operation({
  name: 'deactivatePerson',
  summary: 'end all sessions of a person and refuse new ones until they are activated again',
  endpoint: 'POST /people/:person_id/deactivate',
  command: 'user deactivate',
  fields: { person_id: PERSON_ID },
  answer: PERSON,
  refusals: ['conflict'],
  run: async (context, { person_id }) =>
    PEOPLE.altered(context, person_id, async (before) => {
      const { store } = context;
      await requireOtherOwner(store, before);
      await store.sessions.endAllOf(person_id);
      await store.personLinks.deleteOf(person_id);
      await store.people.update(person_id, { isActive: false });
    }),
});

export const activatePerson = operation({
  name: 'activatePerson',
  summary: 'activate a deactivated person',
  endpoint: 'POST /people/:person_id/activate',
  command: 'user activate',
  fields: { person_id: PERSON_ID },
  answer: PERSON,
  run: async (context, { person_id }) =>
    PEOPLE.altered(context, person_id, () =>
      context.store.people.update(person_id, { isActive: true }),
    ),
});

const deletePerson = operation({
  name: 'deletePerson',
  summary: 'delete a person',
  endpoint: 'POST /people/:person_id/delete',
  command: 'user delete',
  fields: { person_id: PERSON_ID },
  answer: DELETED_PERSON,
  refusals: ['conflict'],
  run: async (context, { person_id }) =>
    PEOPLE.deleted(context, { person_id }, async (person) => {
      await requireOtherOwner(context.store, person);
      await context.store.people.delete(person_id);
    }),
});

export const PERSON_OPERATIONS: readonly Operation[] = [
  answeringEnquiries(createPerson),
  listPeople,
  updatePerson,
  resetPassword,
  deactivatePerson,
  activatePerson,
  deletePerson,
];

const listSessions = operation({
  name: 'listPersonSessions',
  summary: 'list the sessions of a person, the one used last first',
  endpoint: 'GET /people/:person_id/sessions',
  command: 'user sessions',
  fields: { person_id: PERSON_ID },
  answer: PERSON_SESSION_LIST,
  run: async ({ store, nowMs, sessionLimits }, { person_id }) => {
    const { personId } = await PEOPLE.existing(store, person_id);
    const sessions = await store.sessions.listOf(personId);
    if (!sessionLimits) throw new Error('nobody says how long sessions last');
    return found(liveSessions(sessions, nowMs, sessionLimits).map((each) => sessionView(each)));
  },
});

const endSessions = operation({
  name: 'endPersonSessions',
  summary: 'end all sessions of a person, or one of them',
  endpoint: 'POST /people/:person_id/end-sessions',
  command: 'user end-sessions',
  fields: {
    person_id: PERSON_ID,
    session_id: optional(NAME, 'Only this session', '--session ID'),
  },
  answer: ENDED_SESSIONS,
  run: async ({ store }, { person_id, session_id }) => {
    const { personId } = await PEOPLE.existing(store, person_id);
    const sessions = await store.sessions.listOf(personId);
    const ended = sessions.filter(
      (each) => session_id === undefined || sessionIdOf(each) === session_id,
    );
    if (session_id !== undefined && ended.length === 0) {
      throw new ApiError('not found', 'The session with the specified id is not found');
    }
    for (const { tokenHash } of ended) await store.sessions.end(tokenHash);
    const before = { session_ids: sessions.map(sessionIdOf), ended_count: null };
    const left = sessions.filter((each) => !ended.includes(each));
    const answer = { ended_count: ended.length };
    const after = { session_ids: left.map(sessionIdOf), ...answer };
    return changed(answer, `person:${personId}`, before, after);
  },
});

const resetSecondFactor = operation({
  name: 'resetSecondFactor',
  summary: 'turn off the second factor of a person who has lost it, and end all their sessions',
  endpoint: 'POST /people/:person_id/reset-second-factor',
  command: 'user reset-second-factor',
  fields: { person_id: PERSON_ID },
  answer: PERSON,
  run: async (context, { person_id }) =>
    PEOPLE.altered(context, person_id, async () => {
      await context.store.secondFactors.delete(person_id);
      await context.store.sessions.endAllOf(person_id);
      return { is_second_factor_reset: true };
    }),
});

export const SIGN_IN_OPERATIONS: readonly Operation[] = [
  listSessions,
  endSessions,
  resetSecondFactor,
];
