import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { atPath, failureText } from '../../base/failure-text.ts';
import './failures.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-store-failures-'));
afterAll(() => rmSync(folder, { recursive: true }));

const failure = (message: string, more: object) => Object.assign(new Error(message), more);

describe('the text of a failure of the store', () => {
  it.each<[Error, string]>([
    [
      failure('database or disk is full', { errcode: 13 }),
      'a file of the store cannot be written: the disk is full; free some space on it',
    ],
    [
      failure('disk I/O error', { errcode: 10 | (3 << 8), path: '/srv/lake.db' }),
      '/srv/lake.db cannot be used: the disk cannot be read or written; ' +
        'check the disk, and the limit of file sizes (ulimit -f, LimitFSIZE=)',
    ],
    [failure('no such table: a', { errcode: 1 }), 'no such table: a'],
  ])('of %s is one plain line', (error, text) => {
    expect(failureText(error)).toBe(text);
  });

  it('names a file that cannot be opened', () => {
    const absent = join(folder, 'absent', 'file');
    let thrown: unknown;
    try {
      new DatabaseSync(absent);
    } catch (error) {
      thrown = atPath(absent, error);
    }
    expect(failureText(thrown)).toMatch(/file cannot be used: it cannot be opened; check that/);
  });
});
