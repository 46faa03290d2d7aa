/** Signing in and out, and the own password. */
import { endSession, noteUse } from '../access/session.ts';
import { required } from '../admin/field.ts';
import { KNOWN_PASSWORD, NEW_PASSWORD } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import { admitIn, forCallerAlone, signedIn } from './admit.ts';
import { SESSION, SIGN_IN } from './answers.ts';
import { readSecretBody, secretProblem } from './body-fields.ts';
import {
  type Endpoint,
  type Exchange,
  type KeyedExchange,
  keyedEndpoint,
  publicEndpoint,
  type SignInServices,
} from './endpoint.ts';
import { answerSession, NOBODY, newSession, sessionView } from './new-session.ts';
import { auditOwn } from './own-acts.ts';
import { personOf, requirePassword } from './password-try.ts';
import { sessionToken, setSessionCookie } from './session-cookie.ts';
import { SIGN_IN_FIELDS, signIn } from './sign-in.ts';

const PASSWORD_FIELDS = {
  current_password: required(KNOWN_PASSWORD, 'The current password'),
  new_password: required(NEW_PASSWORD, 'The new password'),
};

async function showSession(exchange: Exchange<SignInServices>) {
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

async function signOut(exchange: KeyedExchange<SignInServices>) {
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

async function changePassword(exchange: KeyedExchange<SignInServices>) {
  const { services, request } = exchange;
  const { store, passwords } = services;
  const values = readSecretBody(services, PASSWORD_FIELDS, request.body);
  const person = personOf(exchange);
  const { personId } = person;
  const hash = await requirePassword(exchange, person, values.current_password);
  if (values.new_password.normalize('NFC') === values.current_password.normalize('NFC')) {
    throw secretProblem('new_password', 'same_password', 'should differ from the current one');
  }
  const newHash = await passwords.hash(values.new_password);
  const token = await store.transaction(async (tx) => {
    const caller = await admitIn(tx, exchange);
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
    summary:
      'Sign in with e-mail address, password and, where wanted, a code; starts a session, kept in a cookie',
    answer: SIGN_IN,
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
