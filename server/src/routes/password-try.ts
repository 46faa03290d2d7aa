/** Trying a password: few wrong ones, wherever they come from. */
import type { Person } from '../store/people.ts';
import { secretProblem } from './body-fields.ts';
import type { Exchange, KeyedExchange, SignInServices } from './endpoint.ts';
import { sourceText } from './http-headers.ts';
import { networkOf } from './own-acts.ts';

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

/** Whether a password is the person's; a wrong one counts as a failed try. Throws 429 or 503. */
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

/** The hash that the person's current password fits. Throws 422 for another password, 429 or 503. */
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
