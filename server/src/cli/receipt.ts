/** `ticklake receipt …`: verifies receipts, and changes the key that signs them. */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text as textOfStream } from 'node:stream/consumers';
import { isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { digestFile } from '../ingest/source-bytes.ts';
import { openControlStore, openExistingStore, openReceiptKeys } from '../open-home.ts';
import type { ReceiptClaims } from '../receipts/receipt.ts';
import { verifyReceipt } from '../receipts/receipt.ts';
import { type PublicKeySet, parseKeySet } from '../receipts/receipt-keys.ts';
import { noteAct } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  flag,
  type OptionValues,
  option,
  textOf,
} from './command.ts';
import { factsText } from './text.ts';

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

/** The receipt in a text, alone or among headers. Throws UsageError without exactly one. */
function receiptIn(text: string, path: string): string {
  const alone = ALONE.exec(text)?.[1];
  const found = new Set([...text.matchAll(HEADER_LINE)].map(([, receipt]) => receipt as string));
  const [receipt = alone, ...others] = found;
  if (others.length > 0) {
    throw new UsageError(`${path} holds ${found.size} receipts; name a file that holds one`);
  }
  if (receipt !== undefined) return receipt;
  throw new UsageError(`${path} holds no receipt: neither one alone, nor a header X-Receipt`);
}

async function readReceipt(path: string): Promise<string> {
  const stream = createReadStream(path, { end: RECEIPT_BYTES_MAX - 1 });
  return receiptIn(await readGiven(() => textOfStream(stream)), path);
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

type KeyReading = Pick<CommandContext, 'config' | 'signal' | 'closing'>;

interface GivenKeys {
  readonly set: PublicKeySet;
  /** Source of the keys, for messages. */
  readonly source: string;
}

async function readOwnKeys({ config, closing }: KeyReading): Promise<GivenKeys> {
  if (!config.store) {
    const set = await openReceiptKeys(config.home).published();
    return { set, source: `the home ${config.home}` };
  }
  const store = closing(await openControlStore(config));
  const set = await openReceiptKeys(config.home, store.sharedSecrets).published();
  return { set, source: 'the store' };
}

/** `given` is an address or a file; undefined: the keys of the home. */
async function readKeys(given: string | undefined, context: KeyReading): Promise<GivenKeys> {
  if (given === undefined) return await readOwnKeys(context);
  const isAddress = /^https?:\/\//i.test(given);
  const text = isAddress
    ? await fetchKeys(given, context.signal)
    : await readGiven(() => readFile(given, 'utf8'));
  return { set: parseKeySet(text, given), source: given };
}

/** A receipt's claims, in the order of the text. */
const SAID: readonly (readonly [title: string, of: (claims: ReceiptClaims) => string])[] = [
  ['server', ({ iss }) => iss ?? '(not named)'],
  ['signed at', ({ iat }) => isoSeconds(iat * 1000)],
  ['account', ({ identity_id }) => `${identity_id}`],
  ['dataset', (claims) => `${claims.dataset_id} ${claims.dataset_name}`],
  ['version', ({ dataset_version }) => `${dataset_version}`],
  ['request', ({ request, request_sha256 }) => request ?? `(long) SHA-256 ${request_sha256}`],
  ['window', ({ window }) => window ?? '(as requested)'],
  ['identifiers', ({ universe }) => `${universe} within the account's rules`],
  ['rows', ({ rows, offset }) => `${rows} from offset ${offset}`],
  ['next page', ({ next_offset }) => (next_offset === null ? 'none' : `offset ${next_offset}`)],
  ['body', (claims) => `${claims.body_bytes} bytes, SHA-256 ${claims.body_sha256}`],
];

function saidText(claims: ReceiptClaims): string {
  return factsText(SAID.map(([title, of]) => [`  ${title}`, of(claims)]));
}

async function verify(
  context: CommandContext,
  values: OptionValues,
  [receiptPath = '', bodyPath = '']: readonly string[],
) {
  const receipt = await readReceipt(receiptPath);
  const body = await readGiven(() => digestFile(bodyPath, context.signal));
  const { set, source } = await readKeys(textOf(values, 'keys'), context);
  const { claims, kid, problems } = verifyReceipt(receipt, body, set, source);
  const isRight = problems.length === 0;
  const value = { isVerified: isRight, problems, keyId: kid, receipt: claims };
  const text =
    isRight && claims
      ? `The receipt is valid, and it matches ${bodyPath}.\n${saidText(claims)}`
      : problems.map((problem) => `The receipt does not verify: ${problem}.\n`).join('');
  return { value, text, exitCode: isRight ? EXIT.done : EXIT.refused };
}

export const verifyReceiptCommand: Command = {
  name: ['receipt', 'verify'],
  summary: 'check a receipt and the body that it is for',
  usage: '<receipt> <body>',
  options: {
    keys: option(
      'SOURCE',
      "address or file of the public keys, a JSON Web Key Set (default: the home's own)",
    ),
  },
  run: verify,
};

async function rotateKey(context: CommandContext, values: OptionValues) {
  const { config, closing } = context;
  const revokesFormer = values['revoke-former'] === true;
  // Opened before, so that a change which cannot be noted is not made.
  const store = closing(await openExistingStore(config));
  const keys = openReceiptKeys(config.home, store.sharedSecrets);
  const { kid, publishedCount } = await keys.rotate({ revokesFormer });
  const after = { key_id: kid, published_count: publishedCount, revokes_former: revokesFormer };
  try {
    await noteAct(store, context, { operation: 'rotateReceiptKey', target: 'receipts', after });
  } catch (error) {
    throw new Error(
      `the key is now ${kid}, but that could not be recorded in the audit log: ${failureText(error)}`,
    );
  }
  const former = `Earlier receipts can ${revokesFormer ? 'no longer' : 'still'} be verified.`;
  const text = `Receipts are signed with the key ${kid} from now on. ${former}\n`;
  return { value: { keyId: kid, publishedCount }, text };
}

export const rotateReceiptKey: Command = {
  name: ['receipt', 'rotate-key'],
  summary: 'sign receipts with a new key',
  options: {
    'revoke-former': flag(
      'stop publishing the earlier keys, for example after the private key was stolen',
    ),
  },
  run: rotateKey,
};
