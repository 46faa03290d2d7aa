/** Signing in and out, and the own password. */
import type { PersonCaller } from '../access/authenticate.ts';
import {
  beginSession,
  csrfTokenOf,
  endSession,
  expiresAtMs,
  hashToken,
  liveSession,
  mayBeSignedIn,
  noteUse,
} from '../access/session.ts';
import { required } from '../admin/field.ts';
import { KNOWN_EMAIL, KNOWN_PASSWORD, NEW_PASSWORD } from '../admin/field-kinds.ts';
import { personView } from '../admin/views.ts';
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { StoreReader, StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import { admitIn, forCallerAlone, signedIn } from './admit.ts';
import { SESSION } from './answers.ts';
import { readSecretBody, secretProblem } from './body-fields.ts';
import { requireOwnOrigin } from './cors.ts';
import {
  type Endpoint,
  type Exchange,
  type KeyedExchange,
  keyedEndpoint,
  publicEndpoint,
} from './endpoint.ts';
import { auditOwn, networkOf } from './own-acts.ts';
import { sourceText } from './request-source.ts';
import { sessionToken, setSessionCookie } from './session-cookie.ts';

const SIGN_IN_FIELDS = {
  email: required(KNOWN_EMAIL, 'E-mail address of the person'),
  password: required(KNOWN_PASSWORD, 'Password of the person'),
};

const PASSWORD_FIELDS = {
  current_password: required(KNOWN_PASSWORD, 'The current password'),
  new_password: required(NEW_PASSWORD, 'The new password'),
};

const NOBODY = { person: null };

/**
 * The id of no person and no account. The store is asked as many questions about nobody as about
 * somebody, or the time that they take would tell who has a password here.
 */
const NO_ID = 0;

/** The answer about a live session. */
function sessionView(
  { services, request }: Exchange,
  { person, identity, session }: PersonCaller,
  token: string,
) {
  const { config } = services;
  return {
    person: personView(person),
    identity: identity && { identity_id: identity.identityId, name: identity.name },
    csrf_token: csrfTokenOf(token),
    expires_at: isoSeconds(expiresAtMs(session, config)),
    source_address: sourceText(request, config),
  };
}

async function showSession(exchange: Exchange) {
  const { services, request, reply } = exchange;
  const { store, clock, config } = services;
  forCallerAlone(reply);
  const token = sessionToken(request, config);
  if (token === null) return NOBODY;
  await store.catchUp();
  const caller = signedIn(services, request);
  if (!caller) return NOBODY;
  const session = await noteUse(store, caller.session, clock.now(), config);
  return sessionView(exchange, { ...caller, session }, token);
}

/**
 * For the operator, who may have to keep somebody out. Not with the e-mail address, in whose place
 * people type passwords; `person` is null where nobody has it.
 */
function logFailure({ services, request }: Exchange, person: Person | null): void {
  const source = sourceText(request, services.config);
  request.log.warn({ source, person_id: person?.personId ?? null }, 'wrong password');
}

/** Whom a password is tried for; without a person, nobody can sign in with the e-mail address. */
interface PasswordTry {
  readonly email: string;
  readonly person: Person | null;
  readonly password: string;
}

/** A place that a person has not signed in from for so long is like any other. */
const FAMILIAR_MS = 90 * 86_400_000;

async function isFamiliar(exchange: Exchange, person: Person | null): Promise<boolean> {
  const { store, clock } = exchange.services;
  const { personId = NO_ID } = person ?? {};
  const fromMs = clock.now() - FAMILIAR_MS;
  return store.signInPlaces.has(personId, networkOf(exchange) ?? '', fromMs);
}

/** Whether a password is the person's; a wrong one counts as a failed try. Throws 429 or 503. */
async function isPassword(
  exchange: Exchange,
  { email, person, password }: PasswordTry,
  hash: string | null,
): Promise<boolean> {
  const { attempts, passwords } = exchange.services;
  const network = networkOf(exchange);
  const isKnown = await isFamiliar(exchange, person);
  const forgive = await attempts.begin({ email, network, isFamiliar: isKnown });
  let isFailure = false;
  try {
    const turn = { source: network ?? 'nowhere', isKnown };
    const isRight = await passwords.isRight(password, hash, turn);
    isFailure = !isRight;
    return isRight;
  } finally {
    // Neither is one that was not looked at.
    if (!isFailure) await forgive();
  }
}

/** In place of the session that the request carries, with the act's row in the audit log. */
async function newSession(
  exchange: Exchange,
  tx: StoreTransaction,
  person: Person,
  operation: string,
): Promise<string> {
  const { clock, config } = exchange.services;
  const old = sessionToken(exchange.request, config);
  if (old !== null) await endSession(tx, old);
  const token = await beginSession(tx, person.personId, clock.now(), config);
  const network = networkOf(exchange);
  if (network !== null) await tx.signInPlaces.remember(person.personId, network, clock.now());
  await auditOwn(exchange, tx, person, operation);
  return token;
}

/** The answer about a session that has just begun. */
async function answerSession(exchange: Exchange, token: string) {
  const { services, request, reply } = exchange;
  const { store, clock, config } = services;
  setSessionCookie(request, reply, config, token);
  forCallerAlone(reply);
  await store.catchUp();
  const holder = store.replica.findSession(hashToken(token));
  const caller = liveSession(holder, clock.now(), config);
  return caller ? sessionView(exchange, caller, token) : NOBODY;
}

const SIGN_IN_REFUSED = 'The e-mail address or the password is wrong';

async function accountOf({ identities }: StoreReader, person: Person | null) {
  return identities.find(person?.identityId ?? NO_ID);
}

async function signIn(exchange: Exchange) {
  const { services, request } = exchange;
  const { store, clock, config } = services;
  requireOwnOrigin(request, config);
  const { email, password } = readSecretBody(services, SIGN_IN_FIELDS, request.body);
  const known = await store.people.findByEmail(email);
  // Whoever may not sign in is like nobody, also in how many tries there are.
  const account = await accountOf(store, known);
  const knownHash = await store.people.passwordHash(known?.personId ?? NO_ID);
  const person = known && mayBeSignedIn(known, account) ? known : null;
  const hash = person && knownHash;
  if (!(await isPassword(exchange, { email, person, password }, hash))) {
    logFailure(exchange, known);
    throw new ApiError('not authenticated', SIGN_IN_REFUSED);
  }
  if (person) await services.changes.count(person);
  const token = await store.transaction(async (tx) => {
    // Read again: it may have changed while the password was checked.
    const current = person && (await tx.people.find(person.personId));
    const isSame = current && (await tx.people.passwordHash(current.personId)) === hash;
    if (!isSame || !mayBeSignedIn(current, await accountOf(tx, current))) {
      throw new ApiError('not authenticated', SIGN_IN_REFUSED);
    }
    await tx.people.update(current.personId, { lastSignInAtMs: clock.now() });
    return newSession(exchange, tx, current, 'signIn');
  });
  return answerSession(exchange, token);
}

function personOf({ caller }: KeyedExchange): Person {
  if (caller.key) throw new Error('only people have sessions');
  return caller.person;
}

async function signOut(exchange: KeyedExchange) {
  const { services, request, reply } = exchange;
  const { store, config } = services;
  readSecretBody(services, {}, request.body);
  const token = sessionToken(request, config);
  await store.transaction(async (tx) => {
    if (token !== null) await endSession(tx, token);
    await auditOwn(exchange, tx, personOf(exchange), 'signOut');
  });
  setSessionCookie(request, reply, config, null);
  return NOBODY;
}

async function changePassword(exchange: KeyedExchange) {
  const { services, request, endpoint } = exchange;
  const { store, passwords } = services;
  const values = readSecretBody(services, PASSWORD_FIELDS, request.body);
  const person = personOf(exchange);
  const { personId, email } = person;
  const hash = await store.people.passwordHash(personId);
  const attempt = { email, person, password: values.current_password };
  if (!(await isPassword(exchange, attempt, hash))) {
    logFailure(exchange, person);
    throw secretProblem('current_password', 'wrong_password', 'is not your password');
  }
  if (values.new_password.normalize('NFC') === values.current_password.normalize('NFC')) {
    throw secretProblem('new_password', 'same_password', 'should differ from the current one');
  }
  const newHash = await passwords.hash(values.new_password);
  const token = await store.transaction(async (tx) => {
    const caller = await admitIn(tx, services, request, endpoint);
    if (caller.key || (await tx.people.passwordHash(personId)) !== hash) {
      throw new ApiError('conflict', 'The password was changed in the meantime');
    }
    await tx.people.setPassword(personId, newHash, false);
    await tx.sessions.endAllOf(personId);
    await tx.signInPlaces.forgetAllOf(personId);
    await tx.personLinks.deleteOf(personId);
    return newSession(exchange, tx, caller.person, 'changePassword');
  });
  return answerSession(exchange, token);
}

export const SESSION_ENDPOINTS: readonly Endpoint[] = [
  publicEndpoint({
    method: 'GET',
    path: '/session',
    operationId: 'showSession',
    summary: 'Who is signed in, if anybody is',
    answer: SESSION,
    errorStatuses: [],
    isPublic: true,
    handle: showSession,
  }),
  publicEndpoint({
    method: 'POST',
    path: '/session',
    operationId: 'signIn',
    summary: 'Sign in with e-mail address and password; starts a session, kept in a cookie',
    answer: SESSION,
    body: SIGN_IN_FIELDS,
    errorStatuses: [401, 429, 503],
    isPublic: true,
    handle: signIn,
  }),
  keyedEndpoint({
    method: 'POST',
    path: '/session/end',
    operationId: 'signOut',
    summary: 'Sign out and end the session',
    answer: SESSION,
    body: {},
    errorStatuses: [],
    isPublic: false,
    role: 'member',
    isMinuteExempt: true,
    handle: signOut,
  }),
  keyedEndpoint({
    method: 'POST',
    path: '/session/password',
    operationId: 'changePassword',
    summary: 'Change your own password; starts a new session and ends all others',
    answer: SESSION,
    body: PASSWORD_FIELDS,
    errorStatuses: [409, 429],
    isPublic: false,
    role: 'member',
    handle: changePassword,
  }),
];
