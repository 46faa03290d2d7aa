/** What `receipt verify` reads: the receipt, the body and the keys. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { openControlStore, openReceiptKeys } from '../open-home.ts';
import { type PublicKeySet, parseKeySet } from '../receipts/jwk.ts';
import type { HeldBody } from '../receipts/verify-receipt.ts';
import type { CommandContext } from './command.ts';

/** As long as all headers of an answer may be in the tools that save them. */
const RECEIPT_BYTES_MAX = 1024 * 1024;
const KEYS_BYTES_MAX = 1024 * 1024;
const KEYS_TIMEOUT_MS = 30_000;

const HEADER_LINE = /^[<\s]*x-receipt:[ \t]*(\S+)[ \t]*$/gim;
const ALONE = /^\s*([\w-]+\.[\w-]*\.[\w-]*)\s*$/;

/** A file that cannot be read is the fault of the command line that names it. */
async function readGiven<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UsageError(failureText(error));
  }
}

/** The receipt in a text: alone, or among the headers of an answer. Throws a UsageError without exactly one. */
export function receiptIn(text: string, path: string): string {
  const alone = ALONE.exec(text)?.[1];
  const found = new Set([...text.matchAll(HEADER_LINE)].map(([, receipt]) => receipt as string));
  const [receipt = alone, ...others] = found;
  if (others.length > 0) {
    throw new UsageError(`${path} holds ${found.size} receipts; name a file that holds one`);
  }
  if (receipt !== undefined) return receipt;
  throw new UsageError(`${path} holds no receipt: neither one alone, nor a header X-Receipt`);
}

export async function readReceipt(path: string): Promise<string> {
  const text = await readGiven(async () => {
    const pieces: Buffer[] = [];
    for await (const piece of createReadStream(path, { end: RECEIPT_BYTES_MAX - 1 })) {
      pieces.push(piece as Buffer);
    }
    return Buffer.concat(pieces).toString('utf8');
  });
  return receiptIn(text, path);
}

/** Read piece by piece: pages may be large. */
export async function readBody(path: string): Promise<HeldBody> {
  return await readGiven(async () => {
    const hash = createHash('sha256');
    let byteCount = 0;
    for await (const piece of createReadStream(path)) {
      hash.update(piece as Buffer);
      byteCount += (piece as Buffer).length;
    }
    return { byteCount, sha256: hash.digest('hex') };
  });
}

async function fetchKeys(address: string, signal: AbortSignal): Promise<string> {
  if (!URL.canParse(address)) throw new UsageError(`--keys: ${address} is not a valid address`);
  const signals = [signal, AbortSignal.timeout(KEYS_TIMEOUT_MS)];
  let answer: Response;
  const pieces: Uint8Array[] = [];
  let byteCount = 0;
  try {
    answer = await fetch(address, { signal: AbortSignal.any(signals) });
    for await (const piece of answer.body ?? []) {
      byteCount += piece.length;
      if (byteCount > KEYS_BYTES_MAX) break;
      pieces.push(piece);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    const { cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : (error as Error).message;
    throw new Error(`the keys at ${address} cannot be fetched: ${reason}`);
  }
  if (answer.status !== 200) {
    throw new UsageError(`--keys: ${address} answers with status ${answer.status}, not with keys`);
  }
  if (byteCount > KEYS_BYTES_MAX) {
    throw new UsageError(`--keys: ${address} answers with more than ${KEYS_BYTES_MAX} bytes`);
  }
  return Buffer.concat(pieces).toString('utf8');
}

export interface GivenKeys {
  readonly set: PublicKeySet;
  /** Where they are from, for messages. */
  readonly source: string;
}

async function readOwnKeys(config: CommandContext['config']): Promise<GivenKeys> {
  if (!config.store) {
    const set = await openReceiptKeys(config.home).published();
    return { set, source: `the home ${config.home}` };
  }
  const store = await openControlStore(config);
  try {
    const set = await openReceiptKeys(config.home, store.sharedSecrets).published();
    return { set, source: 'the store' };
  } finally {
    await store.close();
  }
}

/** `given` is an address or a file; undefined: the keys of the home. */
export async function readKeys(
  given: string | undefined,
  { config, signal }: CommandContext,
): Promise<GivenKeys> {
  if (given === undefined) {
    return await readOwnKeys(config);
  }
  const isAddress = /^https?:\/\//i.test(given);
  const text = isAddress
    ? await fetchKeys(given, signal)
    : await readGiven(() => readFile(given, 'utf8'));
  return { set: parseKeySet(text, given), source: given };
}
