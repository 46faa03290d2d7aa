/** A receipt: a signed statement of what was asked, and of which bytes were the answer. */

import { hash, sign, verify } from 'node:crypto';
import * as v from 'valibot';
import type { QueryPlan } from '../engine/query-plan.ts';
import { bodyDigest } from '../response/body-digest.ts';
import { bodyBytes, type Page } from '../response/page.ts';
import { keyObjectOf, type PublicKeySet, type SigningKey } from './receipt-keys.ts';

/** So that no other kind of signed statement is taken for one. */
export const RECEIPT_TYPE = 'ticklake-receipt+jwt';

/**
 * A longer request is told by its digest alone: proxies take some 4 KiB of headers by default, and
 * a receipt has to leave room for the others.
 */
export const REQUEST_BYTES_MAX = 1024;

const SHA256 = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** In the order of the statement, to which later releases may add. */
export const RECEIPT_CLAIMS = v.object({
  /** The public URL of the server; absent where the setting is. */
  iss: v.optional(v.string()),
  /** Seconds since 1970 in UTC, as everywhere in such statements. */
  iat: count,
  /** The id of the request, as in the log. */
  jti: v.string(),
  identity_id: count,
  dataset_id: v.string(),
  dataset_name: v.string(),
  dataset_version: count,
  /** Dataset of the factors and its version, if rows were adjusted on request. */
  factors_dataset_id: v.optional(v.string()),
  factors_version: v.optional(count),
  /** See `canonicalRequest`; absent where it is long. */
  request: v.optional(v.string()),
  request_sha256: SHA256,
  /** START/END, both inclusive: the dates that were read, where the request itself does not say. */
  window: v.nullable(v.string()),
  /** How the account's rules limit identifiers; none: they let no row of these dates pass. */
  universe: v.picklist(['all', 'limited', 'none']),
  offset: count,
  limit: count,
  rows: count,
  /** Null on the last page. */
  next_offset: v.nullable(count),
  content_type: v.string(),
  /** Size of the body as sent; an answer with a receipt has no Content-Encoding. */
  body_bytes: count,
  body_sha256: SHA256,
});
export type ReceiptClaims = v.InferOutput<typeof RECEIPT_CLAIMS>;

/** A page, what it answers, and to whom. */
export interface ReceiptSubject {
  /** The public URL; null: it is not set. */
  readonly issuer: string | null;
  readonly nowMs: number;
  readonly requestId: string;
  readonly accountId: number;
  /** See `canonicalRequest`. */
  readonly requestText: string;
  readonly plan: QueryPlan;
  readonly page: Page;
}

function universeOf(plan: QueryPlan): ReceiptClaims['universe'] {
  const { grants } = plan.bars?.sessions?.rows ?? plan;
  if (grants.length === 0) return 'none';
  return grants.every(({ universe }) => universe === null) ? 'all' : 'limited';
}

export async function claimsOf({
  issuer,
  nowMs,
  requestId,
  accountId,
  requestText: text,
  plan,
  page,
}: ReceiptSubject): Promise<ReceiptClaims> {
  const { dataset, closedDates, version, restatement } = plan;
  return {
    ...(issuer === null ? {} : { iss: issuer }),
    iat: Math.floor(nowMs / 1000),
    jti: requestId,
    identity_id: accountId,
    dataset_id: dataset.datasetId,
    dataset_name: dataset.name,
    dataset_version: version ?? 0,
    ...(restatement && {
      factors_dataset_id: restatement.factors.dataset.datasetId,
      factors_version: restatement.factors.version ?? 0,
    }),
    ...(text.length > REQUEST_BYTES_MAX ? {} : { request: text }),
    request_sha256: hash('sha256', text, 'hex'),
    window: closedDates && `${closedDates.start}/${closedDates.end}`,
    universe: universeOf(plan),
    offset: plan.offset,
    limit: plan.limit,
    rows: page.rowCount,
    next_offset: page.nextOffset,
    content_type: page.contentType,
    body_bytes: bodyBytes(page.body),
    body_sha256: (await bodyDigest(page.body, 'sha-256')).toString('hex'),
  };
}

const partOf = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');

/** The statement as a JWS in its compact form, RFC 7515. */
export function signReceipt(claims: ReceiptClaims, { kid, privateKey }: SigningKey): string {
  const signed = `${partOf({ alg: 'EdDSA', typ: RECEIPT_TYPE, kid })}.${partOf(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** Size and digest of a body that somebody holds. */
interface HeldBody {
  readonly byteCount: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

export interface Verdict {
  /** Claims of the receipt; null: nothing that can be relied upon. */
  readonly claims: ReceiptClaims | null;
  /** The key that has signed it; null: the receipt names none. */
  readonly kid: string | null;
  /** Faults, in whole clauses; empty: the receipt is right. */
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
