import { expect, it } from 'vitest';
import { failureText } from './failure-text.ts';

const failure = (message: string, more: object) => Object.assign(new Error(message), more);

it.each<[unknown, string]>([
  [
    failure('EFBIG: file too large, write', { code: 'EFBIG' }),
    'a file would become larger than this process may write (ulimit -f)',
  ],
  [
    failure('ENOSPC: no space left on device, open', { code: 'ENOSPC', path: '/srv/a' }),
    '/srv/a: the disk is full',
  ],
  [
    failure("ENOENT: no such file, open '/a'", { code: 'ENOENT' }),
    "ENOENT: no such file, open '/a'",
  ],
  [failure('database or disk is full', { errcode: 13 }), 'the disk is full'],
  [failure('no such table: a', { errcode: 1 }), 'no such table: a'],
  [new Error(' two\n  lines '), 'two lines'],
  ['thrown text', 'thrown text'],
])('of %s is one plain line', (error, text) => {
  expect(failureText(error)).toBe(text);
});
