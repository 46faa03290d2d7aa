/**
 * `npm test`: the checks and the quick tests, side by side. Words after `--` go to Vitest, which
 * then runs alone. What the checks have found is told at the end, where it is not lost among the
 * tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..');
const words = process.argv.slice(2);
const options = { cwd: root, shell: process.platform === 'win32' };

const check =
  words.length > 0
    ? null
    : spawn(process.execPath, ['scripts/check.ts'], {
        ...options,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
const vitest = spawn(join('node_modules/.bin/vitest'), ['run', ...words], {
  ...options,
  stdio: 'inherit',
});
const endings = [check, vitest].flatMap((child) => (child === null ? [] : [once(child, 'close')]));
const found = check === null ? '' : await text(check.stdout);
const codes = (await Promise.all(endings)).map(([code]) => code);
process.stdout.write(`\n${found}`);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
