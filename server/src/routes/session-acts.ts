/** Steps of signing in and out that several endpoints take. */
import type { PersonCaller } from '../access/authenticate.ts';
import {
  beginSession,
  csrfTokenOf,
  endSession,
  expiresAtMs,
  hashToken,
  liveSession,
} from '../access/session.ts';
import { sourceNetwork } from '../access/source-network.ts';
import { personView, timeOrNull } from '../admin/views.ts';
import { isoSeconds } from '../base/clock.ts';
import type { StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import { forCallerAlone } from './admit.ts';
import type { Exchange, KeyedExchange, SignInServices } from './endpoint.ts';
import { requestSource, sourceText } from './http-headers.ts';
import { secretProblem } from './request-fields.ts';
import { sessionToken, setSessionCookie } from './session-cookie.ts';

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
export const NO_ID = 0;

/**
 * For the operator, who may have to keep somebody out. Not with the e-mail address, in whose place
 * people type passwords; `person` is null where nobody has it.
 */
export function logFailure(
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

async function isFamiliar(
  exchange: Exchange<SignInServices>,
  person: Person | null,
): Promise<boolean> {
  const { store, clock } = exchange.services;
  const { personId = NO_ID } = person ?? {};
  const fromMs = clock.now() - FAMILIAR_MS;
  return store.signInPlaces.has(personId, networkOf(exchange) ?? '', fromMs);
}

/** True if the password is the person's; a wrong one counts as a failed try. Throws 429 or 503. */
export async function isPassword(
  exchange: Exchange<SignInServices>,
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
export const NOBODY = { person: null } as const;

/** The answer about a live session. */
export function sessionView(
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
export async function newSession(
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
export async function answerSession(exchange: Exchange<SignInServices>, token: string) {
  const { services, request, reply } = exchange;
  const { store, clock, config } = services;
  setSessionCookie(request, reply, config, token);
  forCallerAlone(reply);
  await store.catchUp();
  const holder = store.replica.findSession(hashToken(token));
  const caller = liveSession(holder, clock.now(), config);
  return caller ? sessionView(exchange, caller, token) : NOBODY;
}
