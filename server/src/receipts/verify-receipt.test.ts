import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RECEIPT_TYPE, type ReceiptClaims, signReceipt, verifyReceipt } from './receipt.ts';
import { publicKeyOf } from './receipt-keys.ts';

const BODY = Buffer.from('{"data":[]}');

function newKey() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = publicKeyOf(privateKey);
  return { privateKey, publicKey, kid: publicKey.kid };
}

const KEY = newKey();
const KEYS = { keys: [newKey().publicKey, KEY.publicKey] };

const CLAIMS: ReceiptClaims = {
  iss: 'https://data.example',
  iat: 1_750_435_200,
  jti: 'request 1',
  identity_id: 1,
  dataset_id: 'US1032',
  dataset_name: 'Ticks',
  dataset_version: 7,
  request: '/data/us-equity/eq-taq/2025-06-18/AAA?offset=0&limit=1000&response_format=json',
  request_sha256: hash('sha256', 'request', 'hex'),
  window: null,
  universe: 'all',
  offset: 0,
  limit: 1000,
  rows: 0,
  next_offset: null,
  content_type: 'application/json',
  body_bytes: BODY.length,
  body_sha256: hash('sha256', BODY, 'hex'),
};

const held = (body: Buffer) => ({ byteCount: body.length, sha256: hash('sha256', body, 'hex') });
const verdictOf = (receipt: string, body = BODY, keys = KEYS) =>
  verifyReceipt(receipt, held(body), keys, 'keys.json');

/** A statement of any header and content, signed by the right key. */
function signedAs(header: object, content: object): string {
  const parts = [header, content].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = parts.join('.');
  return `${signed}.${sign(null, Buffer.from(signed), KEY.privateKey).toString('base64url')}`;
}

const HEADER = { alg: 'EdDSA', typ: RECEIPT_TYPE, kid: KEY.kid };
const RECEIPT = signReceipt(CLAIMS, KEY);

describe('a receipt', () => {
  it('says what was signed', () => {
    expect(verdictOf(RECEIPT)).toEqual({ claims: CLAIMS, kid: KEY.kid, problems: [] });
  });

  it('may say more than is known here', () => {
    const more = signedAs(HEADER, { ...CLAIMS, later: 1 });
    expect(verdictOf(more)).toEqual({ claims: CLAIMS, kid: KEY.kid, problems: [] });
  });

  it('is wrong with any character changed, left out or added', () => {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < RECEIPT.length; at++) {
      const [before, after] = [RECEIPT.slice(0, at), RECEIPT.slice(at + 1)];
      const own = RECEIPT.charAt(at);
      const other = digits[(digits.indexOf(own) + 1) % digits.length] as string;
      for (const changed of [before + other + after, before + after, `${before}A${own}${after}`]) {
        if (changed === RECEIPT) continue;
        expect(verdictOf(changed).problems, `${at}: ${changed}`).toHaveLength(1);
      }
    }
  });

  it('is wrong with its last character written otherwise, though the bytes are the same', () => {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = digits.indexOf(RECEIPT.at(-1) as string);
    const changed = RECEIPT.slice(0, -1) + digits[last + 1];
    const bytesOf = (text: string) => Buffer.from(text.split('.')[2] as string, 'base64url');
    expect(bytesOf(changed)).toEqual(bytesOf(RECEIPT));
    expect(verdictOf(changed).problems).toHaveLength(1);
    expect(verdictOf(`${RECEIPT}=`).problems).toHaveLength(1);
  });

  it.each(Object.keys(CLAIMS))('is wrong with another %s', (name) => {
    const [head, , signature] = RECEIPT.split('.');
    const changed = { ...CLAIMS, [name]: name === 'universe' ? 'limited' : 9 };
    const payload = Buffer.from(JSON.stringify(changed)).toString('base64url');
    expect(verdictOf(`${head}.${payload}.${signature}`).problems).toEqual([
      expect.stringContaining('signature'),
    ]);
  });

  it('is wrong for any other body', () => {
    const flipped = Buffer.from(BODY);
    flipped[3] = (flipped[3] as number) ^ 1;
    for (const body of [flipped, Buffer.concat([BODY, Buffer.from('\n')]), BODY.subarray(1)]) {
      const { claims, problems } = verdictOf(RECEIPT, body);
      expect(claims).toEqual(CLAIMS);
      expect(problems).toEqual([expect.stringContaining(`${body.length} bytes`)]);
    }
  });

  it('is wrong with a key that is not published, or another one of the same name', () => {
    expect(verdictOf(RECEIPT, BODY, { keys: [newKey().publicKey] }).problems).toEqual([
      expect.stringMatching(/^the key .* is not among those of keys.json$/),
    ]);
    const forged = { ...newKey().publicKey, kid: KEY.kid };
    expect(verdictOf(RECEIPT, BODY, { keys: [forged] }).problems).toEqual([
      expect.stringContaining('signature'),
    ]);
  });

  it.each([
    { ...HEADER, alg: 'none' },
    { ...HEADER, alg: 'HS256' },
    { ...HEADER, typ: 'JWT' },
    { ...HEADER, crit: ['exp'], exp: 1 },
    { alg: HEADER.alg, typ: HEADER.typ },
  ])('is none with the header %j', (header) => {
    expect(verdictOf(signedAs(header, CLAIMS)).problems).toEqual([
      expect.stringContaining('header'),
    ]);
  });

  it('is none where a signed statement says something else', () => {
    const { body_sha256: _, ...others } = CLAIMS;
    expect(verdictOf(signedAs(HEADER, others)).problems).toEqual([
      expect.stringContaining('fields of a receipt are missing or wrong'),
    ]);
  });

  it.each(['', 'a', 'a.b', '..', 'a.b.c.d', 'null.null.null', `${RECEIPT}.x`])(
    'is none as %j',
    (text) => {
      expect(verdictOf(text).problems).toHaveLength(1);
    },
  );
});
