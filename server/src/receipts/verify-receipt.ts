/** Whether a receipt is right, and right for a body. Pure. */
import { verify } from 'node:crypto';
import * as v from 'valibot';
import { keyObjectOf, type PublicKeySet } from './jwk.ts';
import { RECEIPT_CLAIMS, RECEIPT_TYPE, type ReceiptClaims } from './receipt.ts';

/** What is known of the body that somebody holds. */
export interface HeldBody {
  readonly byteCount: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

export interface Verdict {
  /** What the receipt says; null: nothing that can be relied upon. */
  readonly claims: ReceiptClaims | null;
  /** The key that has signed it; null: the receipt names none. */
  readonly kid: string | null;
  /** What is wrong, in whole clauses; none: the receipt is right. */
  readonly problems: readonly string[];
}

const HEADER = v.strictObject({
  alg: v.literal('EdDSA'),
  typ: v.literal(RECEIPT_TYPE),
  kid: v.string(),
});

function bytesOf(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url');
  // Several texts may stand for the same bytes; one of them is right.
  return bytes.toString('base64url') === part ? bytes : null;
}

/** Undefined where it is no such JSON. */
function jsonOf<T>(part: string, schema: v.GenericSchema<unknown, T>): T | undefined {
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(String(bytesOf(part))));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

function refused(problem: string, kid: string | null = null): Verdict {
  return { claims: null, kid, problems: [problem] };
}

function bodyProblems({ body_bytes, body_sha256 }: ReceiptClaims, held: HeldBody): string[] {
  if (held.sha256 === body_sha256 && held.byteCount === body_bytes) return [];
  return [
    `the body does not match: it has ${held.byteCount} bytes with the SHA-256 ${held.sha256}, ` +
      `but the receipt is for ${body_bytes} bytes with the SHA-256 ${body_sha256}`,
  ];
}

/** `keySource` says in messages where the keys are from. */
export function verifyReceipt(
  receipt: string,
  held: HeldBody,
  { keys }: PublicKeySet,
  keySource: string,
): Verdict {
  const parts = receipt.split('.');
  const [head = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) {
    return refused(`a receipt has three parts with dots between them, not ${parts.length}`);
  }
  const header = jsonOf(head, HEADER);
  if (!header) return refused(`its header is not that of a receipt (EdDSA, ${RECEIPT_TYPE})`);
  const { kid } = header;
  const key = keys.find((each) => each.kid === kid);
  if (!key) return refused(`the key ${kid} that signed it is not among those of ${keySource}`, kid);
  const signatureBytes = bytesOf(signature);
  const signed = Buffer.from(`${head}.${payload}`);
  if (!signatureBytes || !verify(null, signed, keyObjectOf(key), signatureBytes)) {
    return refused(`its signature is not by the key ${kid}: the receipt was changed`, kid);
  }
  const claims = jsonOf(payload, RECEIPT_CLAIMS);
  if (!claims) return refused('it is signed, but fields of a receipt are missing or wrong', kid);
  return { claims, kid, problems: bodyProblems(claims, held) };
}
