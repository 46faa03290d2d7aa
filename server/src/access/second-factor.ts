/**
 * Judges the second factor of somebody who signs in: a code of the app, or a recovery code, each
 * once.
 */
import { hash, randomInt } from 'node:crypto';
import type { SecondFactor } from '../store/second-factors.ts';
import { acceptedStep } from './totp.ts';

const RECOVERY_CODES = 10;
const RECOVERY_GROUPS = 4;
const RECOVERY_GROUP_CHARACTERS = 4;
/** Letters and digits except those that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/**
 * Wrong codes in a row, after which codes of the app count no more: guesses are few for as long as
 * somebody who knows the password tries. A recovery code still does.
 */
export const FAILURES_MAX = 20;

function newRecoveryCode(): string {
  const group = () =>
    Array.from({ length: RECOVERY_GROUP_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return Array.from({ length: RECOVERY_GROUPS }, () => group().join('')).join('-');
}

/** About 79 random bits each. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
}

export function hashRecoveryCode(code: string): string {
  return hash('sha256', code, 'hex');
}

export interface Judgement {
  readonly isRight: boolean;
  /** The factor as it is to be kept. */
  readonly factor: SecondFactor;
}

function right(factor: SecondFactor, changes: Partial<SecondFactor>): Judgement {
  return { isRight: true, factor: { ...factor, failureCount: 0, ...changes } };
}

/** Spaces are how people copy codes; case is how they type them. */
export function judgeCode(factor: SecondFactor, given: string, nowMs: number): Judgement {
  const code = given.replaceAll(/\s/g, '').toLowerCase();
  const recoveryHash = hashRecoveryCode(code);
  if (factor.recoveryHashes.includes(recoveryHash)) {
    const recoveryHashes = factor.recoveryHashes.filter((each) => each !== recoveryHash);
    return right(factor, { recoveryHashes });
  }
  const { secret, lastStep, failureCount } = factor;
  const step =
    failureCount >= FAILURES_MAX ? null : acceptedStep(secret, code, { nowMs, lastStep });
  if (step !== null) return right(factor, { lastStep: step });
  return { isRight: false, factor: { ...factor, failureCount: failureCount + 1 } };
}
