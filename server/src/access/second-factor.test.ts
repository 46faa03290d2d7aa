import { describe, expect, it } from 'vitest';
import type { SecondFactor } from '../store/second-factors.ts';
import { FAILURES_MAX, hashRecoveryCode, judgeCode, newRecoveryCodes } from './second-factor.ts';
import { newTotpSecret, stepOf, totpCode } from './totp.ts';

const NOW_MS = Date.parse('2026-11-20T20:00:00Z');
const codes = newRecoveryCodes();
const [recovery = ''] = codes;
const FACTOR: SecondFactor = {
  personId: 1,
  secret: newTotpSecret(),
  isOn: true,
  lastStep: 0,
  failureCount: 3,
  recoveryHashes: codes.map(hashRecoveryCode),
};
const current = totpCode(FACTOR.secret, stepOf(NOW_MS));

describe('a code', () => {
  it('from the app is right once, however it is spaced, and clears earlier failures', () => {
    const spaced = `${current.slice(0, 3)} ${current.slice(3)} `;
    const { isRight, factor } = judgeCode(FACTOR, spaced, NOW_MS);
    expect([isRight, factor.failureCount, factor.lastStep]).toEqual([true, 0, stepOf(NOW_MS)]);
    expect(judgeCode(factor, current, NOW_MS).isRight).toBe(false);
  });

  it('for recovery is right once, in any letters', () => {
    const { isRight, factor } = judgeCode(FACTOR, recovery.toUpperCase(), NOW_MS);
    expect([isRight, factor.recoveryHashes.length]).toEqual([true, 9]);
    expect(judgeCode(factor, recovery, NOW_MS).isRight).toBe(false);
  });

  it('from the app fails after too many wrong ones; a recovery code still works', () => {
    let factor = FACTOR;
    while (factor.failureCount < FAILURES_MAX) factor = judgeCode(factor, 'wrong', NOW_MS).factor;
    expect(judgeCode(factor, current, NOW_MS).isRight).toBe(false);
    const { isRight, factor: after } = judgeCode(factor, recovery, NOW_MS);
    expect(isRight).toBe(true);
    expect(judgeCode(after, current, NOW_MS).isRight).toBe(true);
  });
});

it('recovery codes differ, and have no letters that look alike', () => {
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}$/);
});
