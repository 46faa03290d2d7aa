/** Signing in and out, and the own password. */
import type { PersonCaller } from '../access/authenticate.ts';
import { judgeCode } from '../access/second-factor.ts';
import {
  beginSession,
  csrfTokenOf,
  endSession,
  expiresAtMs,
  hashToken,
  liveSession,
  liveSessions,
  mayBeSignedIn,
  noteUse,
  sessionIdOf,
} from '../access/session.ts';
import { sourceNetwork } from '../access/source-network.ts';
import { ENDED_SESSIONS, PERSON_SESSION_LIST } from '../admin/answers.ts';
import { optional, required } from '../admin/field.ts';
import {
  CODE,
  KNOWN_EMAIL,
  KNOWN_PASSWORD,
  NEW_PASSWORD,
  SEARCHED_TEXT,
} from '../admin/field-kinds.ts';
import { sessionView as ownSessionView, personView, timeOrNull } from '../admin/views.ts';
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { StoreReader, StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import type { Session } from '../store/sessions.ts';
import { admitIn, forCallerAlone, signedIn } from './admit.ts';
import { SESSION, SIGN_IN } from './answers.ts';
import { requireOwnOrigin } from './cors.ts';
import {
  type Endpoint,
  type Exchange,
  type KeyedExchange,
  keyedEndpoint,
  publicEndpoint,
  type SignInServices,
} from './endpoint.ts';
import { requestSource, sourceText } from './http-headers.ts';
import { readSecretBody, secretProblem } from './request-fields.ts';
import { sessionToken, setSessionCookie } from './session-cookie.ts';

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
  readSecretBody(exchange, {});
  const token = sessionToken(request, config);
  await store.transaction(async (tx) => {
    if (token !== null) await endSession(tx, token);
    await auditOwn(exchange, tx, personOf(exchange), 'signOut');
  });
  setSessionCookie(request, reply, config, null);
  return NOBODY;
}

async function changePassword(exchange: KeyedExchange<SignInServices>) {
  const { store, passwords } = exchange.services;
  const values = readSecretBody(exchange, PASSWORD_FIELDS);
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

const END_FIELDS = {
  session_id: optional(SEARCHED_TEXT, 'The session to end; default: all but the one that asks'),
};

async function listSessions(exchange: KeyedExchange<SignInServices>) {
  const { store, clock, config } = exchange.services;
  const sessions = await store.sessions.listOf(personOf(exchange).personId);
  const current = currentHash(exchange);
  return liveSessions(sessions, clock.now(), config).map((each) => ownSessionView(each, current));
}

/** Sessions to end at a person's request; never the current one, which signs out instead. */
function sessionsToEnd(
  sessions: readonly Session[],
  sessionId: string | undefined,
  current: string | null,
): Session[] {
  const others = sessions.filter(({ tokenHash }) => tokenHash !== current);
  const ended = others.filter((each) => sessionId === undefined || sessionIdOf(each) === sessionId);
  if (sessionId === undefined || ended.length > 0) return ended;
  throw new ApiError('not found', 'You have no other session with the specified id');
}

async function endSessions(exchange: KeyedExchange<SignInServices>) {
  const { session_id: sessionId } = readSecretBody(exchange, END_FIELDS);
  return exchange.services.store.transaction(async (tx) => {
    await admitIn(tx, exchange);
    const person = personOf(exchange);
    const sessions = await tx.sessions.listOf(person.personId);
    const ended = sessionsToEnd(sessions, sessionId, currentHash(exchange));
    for (const { tokenHash } of ended) await tx.sessions.end(tokenHash);
    if (ended.length > 0) await auditOwn(exchange, tx, person, 'endMySessions');
    return { ended_count: ended.length };
  });
}

const SIGN_IN_FIELDS = {
  email: required(KNOWN_EMAIL, 'E-mail address of the person'),
  password: required(KNOWN_PASSWORD, 'Password of the person'),
  code: optional(CODE, 'Code of the second factor or a recovery code, where the person has one'),
};

const SIGN_IN_REFUSED = 'The e-mail address or the password is wrong';
const CODE_REFUSED = 'The code is wrong, or was used before';

/** The password was right; what is missing is the code. */
const CODE_WANTED = { person: null, needs_code: true } as const;

async function accountOf({ accounts }: StoreReader, person: Person | null) {
  return accounts.find(person?.accountId ?? NO_ID);
}

/** Who may sign in with an e-mail address, and the hash that the password has to fit. */
async function claimedPerson({ services }: Exchange<SignInServices>, email: string) {
  const { store, clock } = services;
  const known = await store.people.findByEmail(email);
  // Whoever may not sign in is like nobody, also in how many tries there are.
  const account = await accountOf(store, known);
  const knownHash = await store.people.passwordHash(known?.personId ?? NO_ID);
  const person = known && mayBeSignedIn(known, account, clock.now()) ? known : null;
  return { known, person, hash: person && knownHash };
}

/** Read again: it may have changed while the password was checked. */
async function unchanged(
  { services }: Exchange<SignInServices>,
  tx: StoreTransaction,
  person: Person | null,
  hash: string | null,
) {
  const nowMs = services.clock.now();
  const current = person && (await tx.people.find(person.personId));
  const isSame = current && (await tx.people.passwordHash(current.personId)) === hash;
  if (isSame && mayBeSignedIn(current, await accountOf(tx, current), nowMs)) return current;
  throw new ApiError('not authenticated', SIGN_IN_REFUSED);
}

type CodeOutcome = 'right' | 'wrong' | 'missing';

/** Judged and noted in one step, so that no code counts twice. */
async function judgeSecondFactor(
  { services }: Exchange<SignInServices>,
  tx: StoreTransaction,
  person: Person,
  code: string | undefined,
): Promise<CodeOutcome> {
  const factor = await tx.secondFactors.find(person.personId);
  if (!factor?.isOn) return 'right';
  if (code === undefined) return 'missing';
  const judged = judgeCode(factor, code, services.clock.now());
  await tx.secondFactors.put(judged.factor);
  return judged.isRight ? 'right' : 'wrong';
}

async function signIn(exchange: Exchange<SignInServices>) {
  const { services, request, reply } = exchange;
  const { store, clock, config } = services;
  requireOwnOrigin(request, config);
  const { email, password, code } = readSecretBody(exchange, SIGN_IN_FIELDS);
  const { known, person, hash } = await claimedPerson(exchange, email);
  if (!(await isPassword(exchange, { email, person, password }, hash))) {
    logFailure(exchange, known);
    throw new ApiError('not authenticated', SIGN_IN_REFUSED);
  }
  if (person) await services.changes.count(person);
  const [outcome, token] = await store.transaction(async (tx) => {
    const current = await unchanged(exchange, tx, person, hash);
    const judged = await judgeSecondFactor(exchange, tx, current, code);
    if (judged !== 'right') return [judged, ''] as const;
    await tx.people.update(current.personId, { lastSignInAtMs: clock.now() });
    return [judged, await newSession(exchange, tx, current, 'signIn')] as const;
  });
  if (outcome === 'right') return answerSession(exchange, token);
  forCallerAlone(reply);
  if (outcome === 'missing') return CODE_WANTED;
  logFailure(exchange, known, 'wrong code');
  throw new ApiError('not authenticated', CODE_REFUSED);
}

export const SESSION_ENDPOINTS: readonly Endpoint[] = [
  publicEndpoint({
    endpoint: 'GET /session',
    operationId: 'showSession',
    summary: 'Who is signed in, if anybody is',
    answer: SESSION,
    handle: showSession,
  }),
  publicEndpoint({
    endpoint: 'POST /session',
    operationId: 'signIn',
    summary:
      'Sign in with e-mail address, password and, where wanted, a code; starts a session, kept in a cookie',
    answer: SIGN_IN,
    body: SIGN_IN_FIELDS,
    errorStatuses: [401, 429, 503],
    handle: signIn,
  }),
  keyedEndpoint({
    endpoint: 'POST /session/end',
    operationId: 'signOut',
    summary: 'Sign out and end the session',
    answer: SESSION,
    body: {},
    role: 'member',
    isMinuteExempt: true,
    handle: signOut,
  }),
  keyedEndpoint({
    endpoint: 'POST /session/password',
    operationId: 'changePassword',
    summary: 'Change your own password; starts a new session and ends all others',
    answer: SESSION,
    body: PASSWORD_FIELDS,
    errorStatuses: [409, 429],
    role: 'member',
    handle: changePassword,
  }),
];

export const OWN_SESSION_ENDPOINTS: readonly Endpoint[] = [
  keyedEndpoint({
    endpoint: 'GET /session/all',
    operationId: 'listMySessions',
    summary: 'Your sessions, the one used last first',
    answer: PERSON_SESSION_LIST,
    role: 'member',
    handle: listSessions,
  }),
  keyedEndpoint({
    endpoint: 'POST /session/all/end',
    operationId: 'endMySessions',
    summary: 'End one of your other sessions, or all of them',
    answer: ENDED_SESSIONS,
    body: END_FIELDS,
    errorStatuses: [404],
    role: 'member',
    handle: endSessions,
  }),
];

export function networkOf({ services, request }: Exchange<SignInServices>): string | null {
  return sourceNetwork(requestSource(request, services.config));
}

export async function auditOwn(
  { services, request }: Exchange<SignInServices>,
  { audit }: Pick<StoreTransaction, 'audit'>,
  { personId }: Pick<Person, 'personId'>,
  operation: string,
): Promise<void> {
  const { clock, config } = services;
  await audit.append({
    happenedAtMs: clock.now(),
    actor: `person:${personId}`,
    source: sourceText(request, config),
    operation,
    target: `person:${personId}`,
    before: null,
    after: null,
  });
}

/**
 * The id of no person and no account. The store is asked as many questions about nobody as about
 * somebody, or the time that they take would tell who has a password here.
 */
const NO_ID = 0;

/**
 * For the operator, who may have to keep somebody out. Not with the e-mail address, in whose place
 * people type passwords; `person` is null where nobody has it.
 */
function logFailure(
  { services, request }: Exchange<SignInServices>,
  person: Person | null,
  what = 'wrong password',
): void {
  const source = sourceText(request, services.config);
  request.log.warn({ source, person_id: person?.personId ?? null }, what);
}

/** Whom a password is tried for; without a person, nobody can sign in with the e-mail address. */
interface PasswordTry {
  readonly email: string;
  readonly person: Person | null;
  readonly password: string;
}

/** A place that a person has not signed in from for so long is like any other. */
const FAMILIAR_MS = 90 * 86_400_000;

/** True if the password is the person's; a wrong one counts as a failed try. Throws 429 or 503. */
async function isPassword(
  exchange: Exchange<SignInServices>,
  { email, person, password }: PasswordTry,
  hash: string | null,
): Promise<boolean> {
  const { attempts, passwords, store, clock } = exchange.services;
  const network = networkOf(exchange);
  const { personId = NO_ID } = person ?? {};
  const fromMs = clock.now() - FAMILIAR_MS;
  const isKnown = await store.signInPlaces.has(personId, network ?? '', fromMs);
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

/**
 * The hash that the person's current password fits. Throws 422 for another password, 429 or 503.
 */
export async function requirePassword(
  exchange: KeyedExchange<SignInServices>,
  person: Person,
  password: string,
): Promise<string | null> {
  const hash = await exchange.services.store.people.passwordHash(person.personId);
  if (await isPassword(exchange, { email: person.email, person, password }, hash)) return hash;
  logFailure(exchange, person);
  throw secretProblem('current_password', 'wrong_password', 'is not your password');
}

export function personOf({ caller }: KeyedExchange<SignInServices>): Person {
  if (caller.key) throw new Error('only people have sessions');
  return caller.person;
}

/** The session that asks, as the store knows it. */
export function currentHash({ services, request }: KeyedExchange<SignInServices>): string | null {
  const token = sessionToken(request, services.config);
  return token === null ? null : hashToken(token);
}

const BROWSER_CHARACTERS_MAX = 300;

/** The session view of somebody who is not signed in. */
const NOBODY = { person: null } as const;

/** The answer about a live session. */
function sessionView(
  { services, request }: Exchange<SignInServices>,
  { person, account, session }: PersonCaller,
  token: string,
) {
  const { config } = services;
  return {
    person: personView(person),
    identity: account && {
      identity_id: account.accountId,
      name: account.name,
      contract_ends_at: timeOrNull(account.contractEndsAtMs),
    },
    csrf_token: csrfTokenOf(token),
    expires_at: isoSeconds(expiresAtMs(session, config)),
    source_address: sourceText(request, config),
  };
}

/** Browser and address, by which a person recognises a session. */
function placeOf({ services, request }: Exchange<SignInServices>) {
  const browser = String(request.headers['user-agent'] ?? '').slice(0, BROWSER_CHARACTERS_MAX);
  return { source: sourceText(request, services.config), browser };
}

/** In place of the session that the request carries, with the act's row in the audit log. */
async function newSession(
  exchange: Exchange<SignInServices>,
  tx: StoreTransaction,
  person: Person,
  operation: string,
): Promise<string> {
  const { clock, config } = exchange.services;
  const old = sessionToken(exchange.request, config);
  if (old !== null) await endSession(tx, old);
  const { personId } = person;
  const session = { personId, createdAtMs: clock.now(), ...placeOf(exchange) };
  const token = await beginSession(tx, session, config);
  const network = networkOf(exchange);
  if (network !== null) await tx.signInPlaces.remember(person.personId, network, clock.now());
  await auditOwn(exchange, tx, person, operation);
  return token;
}

/** The answer about a session that has just begun. */
async function answerSession(exchange: Exchange<SignInServices>, token: string) {
  const { services, request, reply } = exchange;
  const { store, clock, config } = services;
  setSessionCookie(request, reply, config, token);
  forCallerAlone(reply);
  await store.catchUp();
  const holder = store.replica.findSession(hashToken(token));
  const caller = liveSession(holder, clock.now(), config);
  return caller ? sessionView(exchange, caller, token) : NOBODY;
}
