/** `ticklake receipt …`: verifies receipts, and changes the key that signs them. */
import { isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { openExistingStore, openReceiptKeys } from '../open-home.ts';
import type { ReceiptClaims } from '../receipts/receipt.ts';
import { verifyReceipt } from '../receipts/verify-receipt.ts';
import {
  type Command,
  type CommandContext,
  type OptionValues,
  refuseArguments,
} from './command.ts';
import { EXIT } from './exit-codes.ts';
import { readBody, readKeys, readReceipt } from './receipt-input.ts';

const VERIFY_USAGE = '<receipt> <body>';

/** What a receipt says, in the order of the text. */
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
  const width = Math.max(...SAID.map(([title]) => title.length));
  return SAID.map(([title, of]) => `  ${title.padEnd(width)}  ${of(claims)}\n`).join('');
}

async function verify(
  context: CommandContext,
  values: OptionValues,
  positionals: readonly string[],
) {
  const [receiptPath, bodyPath, ...others] = positionals;
  if (receiptPath === undefined || bodyPath === undefined || others.length > 0) {
    throw new UsageError(`name a receipt and a body: ticklake receipt verify ${VERIFY_USAGE}`);
  }
  const receipt = await readReceipt(receiptPath);
  const body = await readBody(bodyPath);
  const { set, source } = await readKeys(values.keys as string | undefined, context);
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
  usage: VERIFY_USAGE,
  options: {
    keys: {
      type: 'string',
      valueName: 'SOURCE',
      description:
        "address or file of the public keys, a JSON Web Key Set (default: the home's own)",
    },
  },
  run: verify,
};

async function rotateKey(
  { config, clock }: CommandContext,
  values: OptionValues,
  positionals: readonly string[],
) {
  refuseArguments('receipt rotate-key', positionals);
  const revokesFormer = values['revoke-former'] === true;
  // Opened before, so that a change which cannot be noted is not made.
  const store = await openExistingStore(config);
  try {
    const { kid, publishedCount } = await openReceiptKeys(config.home, store.sharedSecrets).rotate({
      revokesFormer,
    });
    const after = { key_id: kid, published_count: publishedCount, revokes_former: revokesFormer };
    const entry = { operation: 'rotateReceiptKey', target: 'receipts', before: null, after };
    const by = { happenedAtMs: clock.now(), actor: localActor(), source: LOCAL_SOURCE };
    try {
      await store.transaction(({ audit }) => audit.append({ ...by, ...entry }));
    } catch (error) {
      throw new Error(
        `the key is now ${kid}, but that could not be recorded in the audit log: ${failureText(error)}`,
      );
    }
    const former = revokesFormer
      ? 'Earlier receipts can no longer be verified.'
      : 'Earlier receipts can still be verified.';
    const text = `Receipts are signed with the key ${kid} from now on. ${former}\n`;
    return { value: { keyId: kid, publishedCount }, text, exitCode: EXIT.done };
  } finally {
    await store.close();
  }
}

export const rotateReceiptKey: Command = {
  name: ['receipt', 'rotate-key'],
  summary: 'sign receipts with a new key',
  usage: '',
  options: {
    'revoke-former': {
      type: 'boolean',
      description: 'stop publishing the earlier keys, for example after the private key was stolen',
    },
  },
  run: rotateKey,
};
