/** Tries the scripts that install a clone, with a program in the place of npm. */
import { spawnSync } from 'node:child_process';
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
import { afterAll, expect, test } from 'vitest';

const SCRIPT = 'scripts/install-if-needed.mjs';
const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'ticklake-installation-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Notes what it is asked for; it installs, and a rebuild makes the link unless told to fail. */
const NPM = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const [command, ...options] = process.argv.slice(2);
const isPart = options.some((option) => option.startsWith('--workspace'));
appendFileSync('asked.txt', command + (isPart ? ' a part' : '') + '\\n');
mkdirSync('node_modules/.bin', { recursive: true });
if (command === 'install') writeFileSync('node_modules/.package-lock.json', '{}');
else if (process.env.FAILS) process.exit(1);
else writeFileSync('node_modules/.bin/node', '');
`;

function install(env: Record<string, string>, ...options: string[]): string {
  const asked = join(folder, 'asked.txt');
  if (existsSync(asked)) rmSync(asked);
  const npm = { npm_execpath: join(folder, 'npm.cjs') };
  spawnSync(process.execPath, [join(folder, SCRIPT), ...options], {
    cwd: folder,
    env: { ...process.env, ...npm, ...env },
  });
  return existsSync(asked) ? readFileSync(asked, 'utf8') : '';
}

test('an installation that fails halfway is made whole by the next ones', () => {
  mkdirSync(join(folder, 'scripts'));
  cpSync(join(root, SCRIPT), join(folder, SCRIPT));
  writeFileSync(join(folder, 'npm.cjs'), NPM);
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  expect(install({ FAILS: '1' }, '--to-serve')).toBe('install a part\nrebuild\n');
  expect(install({ FAILS: '1' }, '--to-serve')).toBe('install\nrebuild\n');
  expect(install({})).toBe('rebuild\n');
  expect(install({})).toBe('');
});
