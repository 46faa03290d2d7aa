/** Tries the scripts that install a clone, with a program in the place of npm. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../until.ts';

const SCRIPT = 'scripts/install-if-needed.mjs';
const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'ticklake-installation-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Notes what it is asked for; it installs, and a rebuild makes the link unless told to fail. A slow
 * one ends when it is told to stop, as soon as a file lets it, and takes back what it did.
 */
const NPM = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const [command, ...options] = process.argv.slice(2);
const isPart = options.some((option) => option.startsWith('--workspace'));
mkdirSync('node_modules/.bin', { recursive: true });
if (process.env.IS_SLOW) {
  const takeBack = () => {
    if (!existsSync('may-end')) return;
    appendFileSync('asked.txt', 'taken back\\n');
    process.exit(1);
  };
  process.on('SIGTERM', () => setInterval(takeBack, 10));
  setInterval(() => {}, 1000);
}
appendFileSync('asked.txt', command + (isPart ? ' a part' : '') + '\\n');
if (process.env.IS_SLOW) return;
if (command === 'install') writeFileSync('node_modules/.package-lock.json', '{}');
else if (process.env.FAILS) process.exit(1);
else writeFileSync('node_modules/.bin/node', '');
`;

const ASKED = join(folder, 'asked.txt');
const asked = () => (existsSync(ASKED) ? readFileSync(ASKED, 'utf8') : '');
const ENVIRONMENT = { ...process.env, npm_execpath: join(folder, 'npm.cjs') };

function install(env: Record<string, string>, ...options: string[]): string {
  rmSync(ASKED, { force: true });
  spawnSync(process.execPath, [join(folder, SCRIPT), ...options], {
    cwd: folder,
    env: { ...ENVIRONMENT, ...env },
  });
  return asked();
}

/** Installs beside the test, as the first program of a group. */
const begin = (env: Record<string, string>) =>
  spawn(process.execPath, [join(folder, SCRIPT)], {
    ...{ cwd: folder, env: { ...ENVIRONMENT, ...env }, detached: true },
    stdio: ['ignore', 'ignore', 'pipe'],
  });

beforeAll(() => {
  mkdirSync(join(folder, 'scripts'));
  cpSync(join(root, SCRIPT), join(folder, SCRIPT));
  writeFileSync(join(folder, 'npm.cjs'), NPM);
  writeFileSync(join(folder, 'package-lock.json'), '{}');
});

test('an installation that fails halfway is made whole by the next ones', () => {
  expect(install({ FAILS: '1' }, '--to-serve')).toBe('install a part\nrebuild\n');
  expect(install({ FAILS: '1' }, '--to-serve')).toBe('install\nrebuild\n');
  expect(install({})).toBe('rebuild\n');
  expect(install({})).toBe('');
});

test('an installation waits for one that was stopped and still takes back what it did', async () => {
  for (const path of ['node_modules', 'asked.txt']) {
    rmSync(join(folder, path), { recursive: true, force: true });
  }
  const stopped = begin({ IS_SLOW: '1' });
  await until(() => asked() === 'install\n');
  process.kill(-(stopped.pid as number), 'SIGTERM');
  const next = begin({});
  const ended = once(next, 'exit');
  let told = '';
  next.stderr.on('data', (chunk) => {
    told += chunk;
  });
  await until(() => told.includes('Waiting for another installation to end'));
  writeFileSync(join(folder, 'may-end'), '');
  expect((await ended)[0]).toBe(0);
  expect(asked()).toBe('install\ntaken back\ninstall\nrebuild\n');
});
