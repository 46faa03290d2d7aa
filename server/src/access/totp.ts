/**
 * Time-based one-time passwords (RFC 6238), as every authenticator app computes them: SHA-1, six
 * digits, 30 seconds.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
const DIGITS = 6;
const CODE = /^\d{6}$/;
const SECRET_BYTES = 20;
/** Clocks of telephones are off by so many intervals at most. */
const STEPS_OFF_MAX = 1;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32_BITS = 5;

export function base32Of(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(new RegExp(`.{1,${BASE32_BITS}}`, 'g')) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(BASE32_BITS, '0'), 2)]).join('');
}

function bytesOf(base32: string): Buffer {
  const bits = [...base32]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(BASE32_BITS, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Base32. */
export function newTotpSecret(): string {
  return base32Of(randomBytes(SECRET_BYTES));
}

export function stepOf(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS);
}

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = (digest.at(-1) as number) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/**
 * The interval that a code is of, among those near a moment and after the last accepted one; null:
 * of none.
 */
export function acceptedStep(
  secret: string,
  code: string,
  { nowMs, lastStep }: { readonly nowMs: number; readonly lastStep: number },
): number | null {
  if (!CODE.test(code)) return null;
  const now = stepOf(nowMs);
  for (let step = now - STEPS_OFF_MAX; step <= now + STEPS_OFF_MAX; step++) {
    const isRight = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code));
    if (isRight && step > lastStep) return step;
  }
  return null;
}

/** The text in the QR code. */
export function totpUri(secret: string, email: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
