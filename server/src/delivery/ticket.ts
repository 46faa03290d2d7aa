/**
 * Tickets: what a link to a file says, for tools that can send no header. A ticket names the file by the
 * request that it is part of, and who asked for it. It is sealed (AES-256-GCM), so that nobody can read,
 * change or make one. It grants nothing by itself: whoever asked is judged again at each use.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Far more than a request's URL may have. */
const CONTENT_BYTES_MAX = 262_144;

const TICKET = v.strictObject({
  /** The hashes by which the store knows who asked; one of them is null. */
  keyHash: v.nullable(v.string()),
  tokenHash: v.nullable(v.string()),
  group: v.string(),
  segment: v.string(),
  /** Of the request, still encoded, with the version that it was answered by. */
  queryString: v.string(),
  /** Name of the files' format. */
  fileFormat: v.string(),
  /** The files are of the parts alone that this version does not have; null: of all parts. */
  besides: v.nullable(v.number()),
  /** Which of the request's files, by the fingerprint of its plan. */
  fingerprint: v.string(),
  expiresAtMs: v.number(),
});
export type Ticket = v.InferOutput<typeof TICKET>;

/** A text of characters that URLs take as they are. */
export function sealTicket(ticket: Ticket, secret: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, secret, iv);
  const content = deflateRawSync(JSON.stringify(ticket));
  const sealed = [iv, cipher.update(content), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

function unseal(text: string, secret: Buffer): unknown {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const content = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
  const whole = Buffer.concat([content, decipher.final()]);
  return JSON.parse(inflateRawSync(whole, { maxOutputLength: CONTENT_BYTES_MAX }).toString());
}

/** The ticket; null for a text that is none, or was sealed with another secret. */
export function openTicket(text: string, secret: Buffer): Ticket | null {
  try {
    return v.parse(TICKET, unseal(text, secret));
  } catch {
    return null;
  }
}
