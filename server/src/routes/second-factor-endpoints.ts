/** The own second factor: turning it on, its recovery codes, and turning it off. */
import { hashRecoveryCode, judgeCode, newRecoveryCodes } from '../access/second-factor.ts';
import { newTotpSecret, totpUri } from '../access/totp.ts';
import { required } from '../admin/field.ts';
import { CODE, KNOWN_PASSWORD } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { StoreReader, StoreTransaction } from '../store/control-store.ts';
import type { Person } from '../store/people.ts';
import type { SecondFactor } from '../store/second-factors.ts';
import { admitIn } from './admit.ts';
import { NEW_SECOND_FACTOR, RECOVERY_CODES, SECOND_FACTOR } from './answers.ts';
import {
  type Endpoint,
  type KeyedExchange,
  keyedEndpoint,
  type SignInServices,
} from './endpoint.ts';
import { requestOrigin } from './http-headers.ts';
import { readSecretBody, secretProblem } from './request-fields.ts';
import { auditOwn, currentHash, personOf, requirePassword } from './session-endpoints.ts';

const PASSWORD = required(KNOWN_PASSWORD, 'Your password');
const PASSWORD_FIELDS = { current_password: PASSWORD };
const CODE_FIELDS = { code: required(CODE, 'Code that the app shows') };
const BOTH_FIELDS = {
  current_password: PASSWORD,
  code: required(CODE, 'Code that the app shows, or a recovery code'),
};

async function showSecondFactor(exchange: KeyedExchange<SignInServices>) {
  const factor = await exchange.services.store.secondFactors.find(personOf(exchange).personId);
  const isOn = factor?.isOn === true;
  return { is_on: isOn, recovery_codes_left: isOn ? factor.recoveryHashes.length : 0 };
}

/** The change in a transaction, made only if the caller may still ask for it. */
function changing<T>(
  exchange: KeyedExchange<SignInServices>,
  work: (tx: StoreTransaction, person: Person) => Promise<T>,
): Promise<T> {
  return exchange.services.store.transaction(async (tx) => {
    await admitIn(tx, exchange);
    return work(tx, personOf(exchange));
  });
}

async function factorThatIs(
  { secondFactors }: Pick<StoreReader, 'secondFactors'>,
  { personId }: Person,
  isOn: boolean,
): Promise<SecondFactor> {
  const factor = await secondFactors.find(personId);
  if (factor?.isOn === isOn) return factor;
  throw new ApiError(
    'conflict',
    isOn ? 'Your second factor is not on' : 'Begin by asking for a secret',
  );
}

/** The host, which names the entry in authenticator apps. */
function issuerOf({ services, request }: KeyedExchange<SignInServices>): string {
  const host = URL.parse(requestOrigin(request, services.config))?.host;
  return host === undefined ? 'Ticklake' : `Ticklake ${host}`;
}

async function begin(exchange: KeyedExchange<SignInServices>) {
  const { current_password } = readSecretBody(exchange, PASSWORD_FIELDS);
  const person = personOf(exchange);
  const { personId } = person;
  await requirePassword(exchange, person, current_password);
  const secret = newTotpSecret();
  await changing(exchange, async ({ secondFactors }) => {
    if ((await secondFactors.find(personId))?.isOn) {
      throw new ApiError('conflict', 'Your second factor is on; turn it off first');
    }
    const none = { isOn: false, lastStep: 0, failureCount: 0, recoveryHashes: [] };
    await secondFactors.put({ personId, secret, ...none });
  });
  return { secret, uri: totpUri(secret, person.email, issuerOf(exchange)) };
}

/** Keeps a factor that a code was right for; with new recovery codes. */
async function withNewCodes({ secondFactors }: StoreTransaction, factor: SecondFactor) {
  const codes = newRecoveryCodes();
  await secondFactors.put({ ...factor, isOn: true, recoveryHashes: codes.map(hashRecoveryCode) });
  return { recovery_codes: codes };
}

const WRONG_CODE = secretProblem('code', 'wrong_code', 'is wrong, or was used before');

/**
 * A change that takes a code of a factor that is on, or is not yet; a wrong code counts, as at
 * sign-in.
 */
async function withCode<T>(
  exchange: KeyedExchange<SignInServices>,
  code: string,
  isOn: boolean,
  work: (tx: StoreTransaction, person: Person, factor: SecondFactor) => Promise<T>,
): Promise<T> {
  const done = await changing(exchange, async (tx, person) => {
    const factor = await factorThatIs(tx, person, isOn);
    const judged = judgeCode(factor, code, exchange.services.clock.now());
    await tx.secondFactors.put(judged.factor);
    return judged.isRight ? { answer: await work(tx, person, judged.factor) } : null;
  });
  if (!done) throw WRONG_CODE;
  return done.answer;
}

function turnOn(exchange: KeyedExchange<SignInServices>) {
  const { code } = readSecretBody(exchange, CODE_FIELDS);
  return withCode(exchange, code, false, async (tx, person, factor) => {
    // Sessions that were begun without a code end with it; the one that asks goes on.
    const current = currentHash(exchange);
    for (const { tokenHash } of await tx.sessions.listOf(personOf(exchange).personId)) {
      if (tokenHash !== current) await tx.sessions.end(tokenHash);
    }
    await auditOwn(exchange, tx, person, 'turnOnSecondFactor');
    return withNewCodes(tx, factor);
  });
}

/** A change that takes the password and a code of the factor that is on. */
async function withBoth<T>(
  exchange: KeyedExchange<SignInServices>,
  work: (tx: StoreTransaction, person: Person, factor: SecondFactor) => Promise<T>,
): Promise<T> {
  const { current_password, code } = readSecretBody(exchange, BOTH_FIELDS);
  await requirePassword(exchange, personOf(exchange), current_password);
  return withCode(exchange, code, true, work);
}

const FOR_PEOPLE = { role: 'member' } as const;

export const SECOND_FACTOR_ENDPOINTS: readonly Endpoint[] = [
  keyedEndpoint({
    ...FOR_PEOPLE,
    endpoint: 'GET /session/second-factor',
    operationId: 'showSecondFactor',
    summary: 'The state of your second factor, and how many recovery codes are left',
    answer: SECOND_FACTOR,
    handle: showSecondFactor,
  }),
  keyedEndpoint({
    ...FOR_PEOPLE,
    endpoint: 'POST /session/second-factor/begin',
    operationId: 'beginSecondFactor',
    summary:
      'Make a secret for an authenticator app; nothing changes until a code shows that it has it',
    answer: NEW_SECOND_FACTOR,
    body: PASSWORD_FIELDS,
    errorStatuses: [409, 429],
    handle: begin,
  }),
  keyedEndpoint({
    ...FOR_PEOPLE,
    endpoint: 'POST /session/second-factor/on',
    operationId: 'turnOnSecondFactor',
    summary:
      'Turn on your second factor with its first code; gives recovery codes, and ends your other sessions',
    answer: RECOVERY_CODES,
    body: CODE_FIELDS,
    errorStatuses: [409],
    handle: turnOn,
  }),
  keyedEndpoint({
    ...FOR_PEOPLE,
    endpoint: 'POST /session/second-factor/recovery-codes',
    operationId: 'renewRecoveryCodes',
    summary: 'Make new recovery codes; the old ones no longer work',
    answer: RECOVERY_CODES,
    body: BOTH_FIELDS,
    errorStatuses: [409, 429],
    handle: (exchange) =>
      withBoth(exchange, async (tx, person, factor) => {
        await auditOwn(exchange, tx, person, 'renewRecoveryCodes');
        return withNewCodes(tx, factor);
      }),
  }),
  keyedEndpoint({
    ...FOR_PEOPLE,
    endpoint: 'POST /session/second-factor/off',
    operationId: 'turnOffSecondFactor',
    summary: 'Turn off your second factor',
    answer: SECOND_FACTOR,
    body: BOTH_FIELDS,
    errorStatuses: [409, 429],
    handle: (exchange) =>
      withBoth(exchange, async (tx, person) => {
        await tx.secondFactors.delete(person.personId);
        await auditOwn(exchange, tx, person, 'turnOffSecondFactor');
        return { is_on: false, recovery_codes_left: 0 };
      }),
  }),
];
