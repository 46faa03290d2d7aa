import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fixedClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import { prepareDemo } from '../../src/demo/prepare-demo.ts';
import { openServices } from '../../src/open-services.ts';
import { startBanner } from '../../src/start-banner.ts';
import { runCommand } from '../command-line/run-command.ts';
import { type Home, makeHome } from '../operation/server-process.ts';
import { dumpOf } from './admin-service.ts';

let home: Home;
beforeEach(async () => {
  home = await makeHome(1, 1);
});
afterEach(() => home.remove());

/** What a start prepares, and its banner. */
async function start() {
  const config = { ...readConfig({}), home: home.path };
  const services = await openServices(config, fixedClock('2025-06-20T16:00:00Z'));
  try {
    const demo = await prepareDemo(services, () => {});
    return { ...demo, banner: startBanner('http://127.0.0.1:8080', config, demo) };
  } finally {
    await services.close();
  }
}

async function ticklake(command: string) {
  const { exitCode, stdout, stderr } = await runCommand(home.path, ...command.split(' '), '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

it('the first start with loaded data makes an account with a key and a rule for each dataset', async () => {
  const { key, keyFile, banner } = await start();
  expect(readFileSync(keyFile, 'utf8')).toBe(`${key}\n`);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(banner).toContain(`curl -H 'X-API-KEY: ${key}' 'http://127.0.0.1:8080/v1/data/`);
  expect(await ticklake('identity show 1')).toMatchObject({ name: 'demo', is_admin: false });
  const rules = await ticklake('rule list 1');
  const { datasets } = await ticklake('datasets');
  expect(rules).toHaveLength(datasets.length);
  const { data } = await ticklake('audit --limit 1000');
  expect(data).toHaveLength(rules.length + 3);
  expect(JSON.stringify(data)).not.toContain(key);
  for (const { actor, source } of data) {
    expect([actor, source]).toEqual(['local:demo', 'first start']);
  }
});

it('the first start makes an owner of the account, and tells the password once', async () => {
  const { banner, signIn } = await start();
  expect(signIn).toMatchObject({
    email: 'owner@demo.localhost',
    role: 'owner',
    identity_id: 1,
    password: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
  });
  const password = signIn?.password as string;
  expect(banner).toContain('  console   http://127.0.0.1:8080/console/\n');
  expect(banner).toContain(`  sign in   owner@demo.localhost   ${password}   (shown this once)\n`);
  for (const file of readdirSync(home.path, { recursive: true, encoding: 'utf8' })) {
    const path = join(home.path, file);
    if (statSync(path).isFile()) expect(readFileSync(path, 'latin1'), file).not.toContain(password);
  }
  const again = await start();
  expect([again.signIn, again.banner.includes(password)]).toEqual([null, false]);
});

it('people who are there already stay the only ones', async () => {
  await ticklake('user create --owner --email me@home.example');
  const { signIn, key, banner } = await start();
  expect(key).not.toBeNull();
  expect(signIn).toBeNull();
  expect(banner).toContain('  sign in   as before, or: ticklake user reset-password');
  expect((await ticklake('user list')).data).toHaveLength(1);
});

it('a second start changes nothing and tells the same key', async () => {
  const { key } = await start();
  const before = dumpOf(home.path);
  expect((await start()).key).toBe(key);
  expect(dumpOf(home.path)).toBe(before);
});

it('what was taken from the demo account stays taken, and its deleted key is not replaced', async () => {
  const { key } = await start();
  await ticklake('rule remove 1');
  await ticklake('key delete 1');
  await ticklake('identity update 1 --max-keys 0');
  const before = dumpOf(home.path);
  const again = await start();
  expect(again.key).toBeNull();
  expect(again.banner).not.toContain(key);
  expect(again.banner).toContain('ticklake key create --identity ID');
  expect(dumpOf(home.path)).toBe(before);
});

it('the key of a deactivated demo account is not told', async () => {
  await start();
  await ticklake('identity deactivate 1');
  expect((await start()).key).toBeNull();
});

it('an identity that is called demo is left alone', async () => {
  await ticklake('identity create --name demo');
  const before = dumpOf(home.path);
  expect((await start()).key).toBeNull();
  expect(dumpOf(home.path)).toBe(before);
  expect(existsSync(join(home.path, 'demo-key'))).toBe(false);
});

it('a store that has other identities gets no demo account', async () => {
  await ticklake('identity create --name owner --admin');
  const before = dumpOf(home.path);
  expect((await start()).key).toBeNull();
  expect(dumpOf(home.path)).toBe(before);
});
