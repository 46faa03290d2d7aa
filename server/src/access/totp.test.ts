import { describe, expect, it } from 'vitest';
import { acceptedStep, base32Of, newTotpSecret, stepOf, totpCode, totpUri } from './totp.ts';

/** The secret of the examples of RFC 6238. */
const SECRET = base32Of(Buffer.from('12345678901234567890'));
const NOW_MS = 1_111_111_109_000;

describe('a one-time password', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i seconds is the one of RFC 6238, %s', (seconds, code) => {
    expect(totpCode(SECRET, stepOf(seconds * 1000))).toBe(code);
  });

  it('is accepted in its interval and beside it, and never after one as new', () => {
    const step = stepOf(NOW_MS);
    const code = totpCode(SECRET, step);
    const accepted = (nowMs: number, lastStep = 0) =>
      acceptedStep(SECRET, code, { nowMs, lastStep });
    expect([-60_000, -30_000, 0, 30_000, 60_000].map((off) => accepted(NOW_MS + off))).toEqual([
      ...[null, step, step, step, null],
    ]);
    expect(accepted(NOW_MS, step)).toBeNull();
    expect(accepted(NOW_MS, step - 1)).toBe(step);
  });

  it('is nothing but six digits', () => {
    const given = (code: string) => acceptedStep(SECRET, code, { nowMs: NOW_MS, lastStep: 0 });
    for (const code of ['', '81804', '0081804', ' 81804', '08180é']) expect(given(code)).toBeNull();
  });
});

it('a secret has 160 bits in the letters of base 32, and the address for apps names it', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(totpUri('ABC', 'a+b@c.example', 'Data & Co')).toBe(
    'otpauth://totp/Data%20%26%20Co:a%2Bb%40c.example?secret=ABC&issuer=Data%20%26%20Co',
  );
});
