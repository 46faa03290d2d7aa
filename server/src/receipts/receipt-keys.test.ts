import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UsageError } from '../base/errors.ts';
import { openReceiptKeys } from '../open-home.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import { keysOfSharedText, parseKeySet, sharedKeysText } from './receipt-keys.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-receipt-keys-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const inFolder = (name = '') => join(home, 'receipts', name);
const modeOf = (path: string) => statSync(path).mode & 0o777;
const kidsOf = async (keys = openReceiptKeys(home)) =>
  (await keys.published()).keys.map(({ kid }) => kid);

it('makes nothing before the first use', async () => {
  expect(await kidsOf()).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

it('makes one key at the first use, however many use it at once', async () => {
  const homes = Array.from({ length: 4 }, () => openReceiptKeys(home));
  const used = await Promise.all(homes.flatMap((keys) => [keys.signingKey(), keys.signingKey()]));
  expect(new Set(used.map(({ kid }) => kid)).size).toBe(1);
  expect(await kidsOf()).toEqual([used[0]?.kid]);
});

it.skipIf(process.platform === 'win32')('keeps the private key for its owner alone', async () => {
  await openReceiptKeys(home).signingKey();
  expect(modeOf(inFolder())).toBe(0o700);
  expect(modeOf(inFolder('signing-key.pem'))).toBe(0o600);
  expect(readFileSync(inFolder('public-keys.json'), 'utf8')).not.toContain('"d"');
  await openReceiptKeys(home).rotate({ revokesFormer: false });
  expect(modeOf(inFolder('signing-key.pem'))).toBe(0o600);
  expect(readdirSync(inFolder()).toSorted()).toEqual([
    'lock',
    'public-keys.json',
    'signing-key.pem',
  ]);
});

it('signs with a key that another process made, and publishes the former one still', async () => {
  const running = openReceiptKeys(home);
  const { kid: first } = await running.signingKey();
  const second = await openReceiptKeys(home).rotate({ revokesFormer: false });
  expect(second.publishedCount).toBe(2);
  expect((await running.signingKey()).kid).toBe(second.kid);
  expect(await kidsOf(running)).toEqual([first, second.kid]);
});

it('publishes former keys no longer that are revoked', async () => {
  const { kid: first } = await openReceiptKeys(home).signingKey();
  const second = await openReceiptKeys(home).rotate({ revokesFormer: true });
  expect(second.kid).not.toBe(first);
  expect(await kidsOf()).toEqual([second.kid]);
});

it('makes another key where only the public ones came back from a backup', async () => {
  const { kid: first } = await openReceiptKeys(home).signingKey();
  rmSync(inFolder('signing-key.pem'));
  const { kid: second } = await openReceiptKeys(home).signingKey();
  expect(await kidsOf()).toEqual([first, second]);
});

it('fails with its path where the key cannot be kept', async () => {
  mkdirSync(inFolder('signing-key.pem'), { recursive: true });
  await expect(openReceiptKeys(home).signingKey()).rejects.toThrow(StoreUnavailableError);
  await expect(openReceiptKeys(home).signingKey()).rejects.toThrow(inFolder());
});

it.each(['', '[]', '{"keys": 1}', 'nonsense'])('refuses %j as a key set', (text) => {
  expect(() => parseKeySet(text, 'keys.json')).toThrow(UsageError);
});

it('passes over keys of a set that are of another kind', () => {
  const keys = [
    { kty: 'RSA', kid: 'a' },
    7,
    { kty: 'OKP', crv: 'X25519', kid: 'b', x: 'A'.repeat(43) },
  ];
  expect(parseKeySet(JSON.stringify({ keys }), 'keys.json')).toEqual({ keys: [] });
});

it.each([null, '{\n  "keys": []\n}'])(
  'are the same in a shared store: published %j',
  (published) => {
    const kept = { signing: 'pem', published };
    expect(keysOfSharedText(sharedKeysText(kept))).toEqual(kept);
  },
);
