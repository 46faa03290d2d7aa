/**
 * Tickets: what a link to a file says, for tools that can send no header. A ticket names the file
 * by the request that it is part of, and who asked for it. It is sealed (AES-256-GCM), so that
 * nobody can read, change or make one. It grants nothing by itself: whoever asked is judged again
 * at each use.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { LINK_SECRET_FILE } from '../base/home-layout.ts';
import { readSecretFile, writeSecretFile } from '../base/secret.ts';
import type { SharedSecrets } from '../store/shared.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Far more than a request's URL may have. */
const CONTENT_BYTES_MAX = 262_144;

const REQUEST = v.strictObject({
  /** The hashes by which the store knows who asked; one of them is null. */
  keyHash: v.nullable(v.string()),
  tokenHash: v.nullable(v.string()),
  group: v.string(),
  segment: v.string(),
  /** Query string of the request, still encoded, with the version that answered it. */
  queryString: v.string(),
  /** Name of the files' format. */
  fileFormat: v.string(),
  /** The files are of the parts alone that this version does not have; null: of all parts. */
  besides: v.nullable(v.number()),
  expiresAtMs: v.number(),
});
/** The request, which all links of a manifest share. */
export type TicketRequest = v.InferOutput<typeof REQUEST>;

/** Which of the request's files. */
export interface TicketFile {
  /** Fingerprint of the file's plan. */
  readonly fingerprint: string;
  /** Key of its first partition, so that it is found without the fingerprints of all others. */
  readonly firstPartition: string;
}

export type Ticket = TicketRequest & TicketFile;

const LINE_END = 10;

/**
 * Seals tickets for the files of one request, whose description is compressed once for all of them.
 * A ticket is a text of characters that URLs take as they are.
 */
export function ticketSealer(request: TicketRequest, secret: Buffer): (file: TicketFile) => string {
  const deflated = deflateRawSync(JSON.stringify(request));
  return ({ fingerprint, firstPartition }) => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, secret, iv);
    const line = cipher.update(`${JSON.stringify([fingerprint, firstPartition])}\n`);
    const sealed = [iv, line, cipher.update(deflated), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64url');
  };
}

const FILE = v.strictTuple([v.string(), v.string()]);

function unseal(text: string, secret: Buffer): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const content = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
  return Buffer.concat([content, decipher.final()]);
}

function readTicket(content: Buffer): Ticket {
  const lineEnd = content.indexOf(LINE_END);
  const [fingerprint, firstPartition] = v.parse(
    FILE,
    JSON.parse(content.toString('utf8', 0, lineEnd)),
  );
  const deflated = content.subarray(lineEnd + 1);
  const inflated = inflateRawSync(deflated, { maxOutputLength: CONTENT_BYTES_MAX });
  const request = v.parse(REQUEST, JSON.parse(inflated.toString()));
  return { ...request, fingerprint, firstPartition };
}

/** The ticket; null for a text that is none, or was sealed with another secret. */
export function openTicket(text: string, secret: Buffer): Ticket | null {
  try {
    return readTicket(unseal(text, secret));
  } catch {
    return null;
  }
}

export const LINK_SECRET_BYTES = 32;

/**
 * Made whole under another name first, so that nobody reads half of it, and the first one made
 * counts.
 */
function makeSecretFile(path: string): void {
  const own = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeSecretFile(own, newSecret());
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function newSecret(): string {
  return randomBytes(LINK_SECRET_BYTES).toString('base64url');
}

function homeSecret(path: string): string {
  if (readSecretFile(path) === null) makeSecretFile(path);
  return readSecretFile(path) ?? '';
}

/** Reads the secret, which the first use makes. */
export async function openLinkSecret(home: string, shared: SharedSecrets | null): Promise<Buffer> {
  const path = join(home, LINK_SECRET_FILE);
  const text = shared
    ? await shared.change('links', (current) => current ?? newSecret())
    : homeSecret(path);
  const secret = Buffer.from(text, 'base64url');
  if (secret.length === LINK_SECRET_BYTES) return secret;
  throw new Error(`${path} does not hold a secret; remove it, and another one is made`);
}
