/** `ticklake sharing profile` against a server that listens. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';
import { runRemote, runWith, urlOf } from '../mirror/remote-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-profile-'));
const file = join(folder, 'ticklake.share');
let service: TestService;

beforeAll(async () => {
  service = await openContractService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

it('writes a profile that opens the tables of the account, for its owner alone', async () => {
  writeFileSync(file, 'of an earlier key', { mode: 0o644 });
  const { exitCode, stdout, stderr } = await runRemote(service, 'sharing', 'profile', file);
  expect([exitCode, stderr]).toEqual([0, '']);
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  expect(profile).toEqual({
    shareCredentialsVersion: 1,
    endpoint: `${await urlOf(service)}/v1/delta-sharing`,
    bearerToken: service.key,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const headers = { Authorization: `Bearer ${profile.bearerToken}` };
  const answer = await fetch(`${profile.endpoint}/shares`, { headers });
  const { items } = (await answer.json()) as { items: { name: string }[] };
  expect(stdout.toString()).toContain(`the share ${items[0]?.name}`);
  expect(stdout.toString()).not.toContain(service.key);
});

it('writes nothing for a key that the server refuses, and does not tell it', async () => {
  const env = { TICKLAKE_URL: await urlOf(service), TICKLAKE_KEY: 'very-secret' };
  const other = join(folder, 'other.share');
  const { exitCode, stderr } = await runWith(env, 'sharing', 'profile', other);
  expect([exitCode, existsSync(other)]).toEqual([2, false]);
  expect(stderr).toContain('401');
  expect(stderr).not.toContain('very-secret');
});

it('says which server cannot be reached', async () => {
  const env = { TICKLAKE_URL: 'http://127.0.0.1:1', TICKLAKE_KEY: 'very-secret' };
  const { exitCode, stderr } = await runWith(env, 'sharing', 'profile', join(folder, 'none'));
  expect(exitCode).toBe(1);
  expect(stderr).toContain('http://127.0.0.1:1/v1/delta-sharing cannot be reached');
});

it.each([[[]], [['a', 'b']], [[join(folder, 'no', 'such', 'folder')]]])(
  'refuses %j with a text',
  async (words) => {
    const { exitCode, stderr } = await runRemote(service, 'sharing', 'profile', ...words);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/takes <file>|does not exist/);
  },
);
