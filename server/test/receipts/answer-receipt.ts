/** Receipts of answers, checked by the keys that the service publishes. */
import { hash } from 'node:crypto';
import type { ReceiptClaims } from '../../src/receipts/receipt.ts';
import { type Verdict, verifyReceipt } from '../../src/receipts/receipt.ts';
import { parseKeySet } from '../../src/receipts/receipt-keys.ts';
import type { TestService } from '../harness.ts';

export interface ReceivedAnswer {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly rawPayload: Buffer;
}

export async function verdictOn(
  { app }: TestService,
  { headers, rawPayload }: ReceivedAnswer,
): Promise<Verdict> {
  const keys = await app.inject('/v1/receipts/keys');
  const held = { byteCount: rawPayload.length, sha256: hash('sha256', rawPayload, 'hex') };
  const set = parseKeySet(keys.body, 'the service');
  return verifyReceipt(String(headers['x-receipt']), held, set, 'the service');
}

/** Claims of a valid receipt; throws if the receipt is invalid. */
export async function claimsOn(
  service: TestService,
  answer: ReceivedAnswer,
): Promise<ReceiptClaims> {
  const { claims, problems } = await verdictOn(service, answer);
  if (!claims || problems.length > 0) throw new Error(problems.join('; '));
  return claims;
}
