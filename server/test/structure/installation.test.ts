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
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../until.ts';

const SCRIPT = 'scripts/install-if-needed.mjs';
const START = 'scripts/start.mjs';
const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'ticklake-installation-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Notes what it is asked for; it installs, and a rebuild makes the link unless told to fail. Where
 * it is slow, it ends when it is told to stop, once a file lets it, and takes back what it did.
 */
const NPM = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const [command, ...options] = process.argv.slice(2);
const isPart = options.some((option) => option.startsWith('--workspace'));
mkdirSync('node_modules/.bin', { recursive: true });
const isSlow = process.env.IS_SLOW && command === 'install' && !isPart;
if (isSlow) {
  const takeBack = (signal) => {
    if (!existsSync('may-end')) return;
    appendFileSync('asked.txt', 'taken back\\n');
    process.kill(process.pid, signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => setInterval(takeBack, 10, signal));
  }
  setInterval(() => {}, 1000);
}
appendFileSync('asked.txt', command + (isPart ? ' a part' : '') + '\\n');
if (isSlow) {
  writeFileSync('node_modules/half', '');
  writeFileSync('slow.txt', process.pid + '\\n');
  return;
}
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
  for (const name of ['scripts', 'server/bin']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of [SCRIPT, START]) cpSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, 'server/bin/ticklake.js'), SERVER);
  writeFileSync(join(folder, 'npm.cjs'), NPM);
  writeFileSync(join(folder, 'package-lock.json'), '{}');
});

/** A server that stops once its input ends. */
const SERVER = `
process.on('SIGTERM', () => process.stdin.on('end', () => process.exit(0)).resume());
setInterval(() => {}, 1000);
console.log('serving');
`;

test('an installation that fails halfway is made whole by the next ones', () => {
  expect(install({ FAILS: '1' }, '--to-serve')).toBe('install a part\nrebuild\n');
  expect(install({ FAILS: '1' }, '--to-serve')).toBe('install\nrebuild\n');
  expect(install({})).toBe('rebuild\n');
  expect(install({})).toBe('');
});

test('an installation waits for one that was stopped and still takes back what it did', async () => {
  rmSync(ASKED, { force: true });
  utimesSync(join(folder, 'node_modules/.package-lock.json'), 0, 0);
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

test('packages stay after Ctrl-C once npm has taken back what it did', async () => {
  rmSync(ASKED);
  writeFileSync(join(folder, 'node_modules/whole'), '');
  utimesSync(join(folder, 'node_modules/.package-lock.json'), 0, 0);
  const stopped = begin({ IS_SLOW: '1' });
  const ended = once(stopped, 'exit');
  await until(() => asked() === 'install\n');
  process.kill(-(stopped.pid as number), 'SIGINT');
  expect(await ended).toEqual([1, null]);
  expect(asked()).toBe('install\ntaken back\n');
  expect(install({})).toBe('install\n');
  expect(existsSync(join(folder, 'node_modules/whole'))).toBe(true);
});

test.runIf(process.platform === 'linux').each([
  ['a process with the number of an npm that was killed', `${process.pid} 1`],
  ['a mark that a full disk left empty', ''],
])('%s does not keep broken packages', (_, mark) => {
  writeFileSync(join(folder, 'node_modules/half'), '');
  writeFileSync(join(folder, 'node_modules/.installing'), mark);
  expect(install({})).toBe('install\nrebuild\n');
  expect(existsSync(join(folder, 'node_modules/half'))).toBe(false);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a first installation at once',
  async (signal) => {
    for (const path of ['node_modules', 'asked.txt', 'may-end']) {
      rmSync(join(folder, path), { recursive: true, force: true });
    }
    const stopped = begin({ IS_SLOW: '1' });
    const ended = once(stopped, 'exit');
    await until(() => asked() === 'install\n');
    process.kill(-(stopped.pid as number), signal);
    expect(await ended).toEqual([1, null]);
    expect(install({})).toBe('install\nrebuild\n');
  },
);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a signal ends what is installed beside the server at once, and the next start begins anew', async () => {
  rmSync(join(folder, 'node_modules'), { recursive: true });
  rmSync(join(folder, 'slow.txt'));
  const env = { ...ENVIRONMENT, IS_SLOW: '1' };
  const start = spawn(process.execPath, [join(folder, START)], { cwd: folder, env });
  const serving = once(start.stdout, 'data');
  const slow = join(folder, 'slow.txt');
  await until(() => existsSync(slow) && readFileSync(slow, 'utf8').endsWith('\n'));
  const npm = Number(readFileSync(slow, 'utf8'));
  await serving;
  start.kill('SIGTERM');
  await until(() => !isRunning(npm));
  expect(start.exitCode).toBe(null);
  start.stdin.end();
  expect(await once(start, 'exit')).toEqual([0, null]);

  mkdirSync(join(folder, 'node_modules/.cache'));
  expect(install({}, '--to-serve')).toBe('install a part\nrebuild\n');
  expect(existsSync(join(folder, 'node_modules/half'))).toBe(false);
  expect(existsSync(join(folder, 'node_modules/.cache'))).toBe(true);
});
