/** Signing in: a password and, where a person has one, the second factor. */
import { judgeCode } from '../access/second-factor.ts';
import { mayBeSignedIn } from '../access/session.ts';
import { optional, required } from '../admin/field.ts';
import { CODE, KNOWN_EMAIL, KNOWN_PASSWORD } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { StoreReader, StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import { forCallerAlone } from './admit.ts';
import { readSecretBody } from './body-fields.ts';
import { requireOwnOrigin } from './cors.ts';
import type { Exchange, SignInServices } from './endpoint.ts';
import { answerSession, newSession } from './new-session.ts';
import { isPassword, logFailure, NO_ID } from './password-try.ts';

export const SIGN_IN_FIELDS = {
  email: required(KNOWN_EMAIL, 'E-mail address of the person'),
  password: required(KNOWN_PASSWORD, 'Password of the person'),
  code: optional(CODE, 'Code of the second factor or a recovery code, where the person has one'),
};

const SIGN_IN_REFUSED = 'The e-mail address or the password is wrong';
const CODE_REFUSED = 'The code is wrong, or was used before';

/** The password was right; what is missing is the code. */
const CODE_WANTED = { person: null, needs_code: true } as const;

async function accountOf({ identities }: StoreReader, person: Person | null) {
  return identities.find(person?.identityId ?? NO_ID);
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

export async function signIn(exchange: Exchange<SignInServices>) {
  const { services, request, reply } = exchange;
  const { store, clock, config } = services;
  requireOwnOrigin(request, config);
  const { email, password, code } = readSecretBody(services, SIGN_IN_FIELDS, request.body);
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
