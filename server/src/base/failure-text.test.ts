import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from './errors.ts';
import { atPath, failureAdvice, failureReason, failureText, pathFailure } from './failure-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-failures-'));
afterAll(() => rmSync(folder, { recursive: true }));

const failure = (message: string, more: object) => Object.assign(new Error(message), more);
const coded = (code: string, path?: string) =>
  failure(`${code}: words for programmers, open`, { code, syscall: 'open', path });

describe('the text of a failure', () => {
  it.each<[unknown, string]>([
    [
      coded('ENOSPC', '/srv/a'),
      '/srv/a cannot be written: the disk is full; free some space on it',
    ],
    [
      coded('EFBIG'),
      'a file cannot be written: it would become larger than the process may write; ' +
        'raise its limit of file sizes (ulimit -f, LimitFSIZE=)',
    ],
    [coded('EISDIR', '/srv/a'), '/srv/a cannot be used: it is a folder; name a file'],
    [
      coded('EACCES', '/srv/a'),
      '/srv/a cannot be used: this user has no permission; ' +
        'change its permissions, or run as another user',
    ],
    [coded('ENOENT', '/srv/a'), '/srv/a does not exist; check the path'],
    [
      coded('EMFILE', '/srv/a'),
      '/srv/a cannot be opened: the process may not open more files; ' +
        'raise its limit of open files (ulimit -n, LimitNOFILE=)',
    ],
    [
      coded('EROFS', '/srv/a'),
      '/srv/a cannot be written: the disk is read-only; make it writable, or use another one',
    ],
    [
      coded('EXYZ', '/srv/a'),
      '/srv/a cannot be used: the operating system refused it (EXYZ); try again',
    ],
    [
      failure('database or disk is full', { errcode: 13 }),
      'a file of the store cannot be written: the disk is full; free some space on it',
    ],
    [
      failure('disk I/O error', { errcode: 10 | (3 << 8), path: '/srv/lake.db' }),
      '/srv/lake.db cannot be used: the disk cannot be read or written; ' +
        'check the disk, and the limit of file sizes (ulimit -f, LimitFSIZE=)',
    ],
    [
      new Error('IO Error: Could not write to file "/srv/a.parquet": No space left on device'),
      '/srv/a.parquet cannot be written: the disk is full; free some space on it',
    ],
    [
      new Error('IO Error: Cannot open file "/srv/a": Too many open files in system'),
      '/srv/a cannot be opened: the system cannot open more files; ' +
        'close other programs, or raise the limit of the system',
    ],
    [
      new Error('Out of Memory Error: could not allocate block of size 256.0 KiB\n\nHints'),
      'the engine cannot go on: it is out of memory; load fewer files at a time',
    ],
    [failure('no such table: a', { errcode: 1 }), 'no such table: a'],
    [
      new Error('Permission denied to the data of your dreams'),
      'Permission denied to the data of your dreams',
    ],
    [new Error(' two\n  lines '), 'two lines'],
    [new UsageError('two\nlines\u001b[2J'), 'two\\nlines\\u001b[2J'],
    ['thrown\ttext', 'thrown\\ttext'],
  ])('of %s is one plain line', (error, text) => {
    expect(failureText(error)).toBe(text);
  });

  it('names the file that could not be written, of two', () => {
    const full = join(folder, 'from');
    writeFileSync(full, 'x');
    const error = failure('ENOSPC: …, copyfile', { code: 'ENOSPC', path: full, dest: '/srv/to' });
    expect(failureText(error)).toMatch(/^\/srv\/to cannot be written/);
  });

  it('is that of the table for what Node.js and SQLite really throw', () => {
    const thrownBy = (work: () => unknown): unknown => {
      try {
        work();
      } catch (error) {
        return error;
      }
      return expect.unreachable('nothing was thrown');
    };
    const absent = join(folder, 'absent', 'file');
    const isAbsent = `${absent} does not exist; check the path`;
    expect(failureText(thrownBy(() => readFileSync(absent)))).toBe(isAbsent);
    expect(failureText(thrownBy(() => copyFileSync(absent, `${absent}2`)))).toBe(isAbsent);
    expect(failureText(thrownBy(() => openSync(folder, 'w')))).toMatch(
      /it is a folder; name a file$/,
    );
    const unopened = atPath(
      absent,
      thrownBy(() => new DatabaseSync(absent)),
    );
    expect(failureText(unopened)).toMatch(/file cannot be used: it cannot be opened; check that/);
  });
});

it('a failure is of a path only where the system failed, and keeps the path that it has', () => {
  const other = new Error('something else');
  expect(atPath('/srv/a', other)).toBe(other);
  expect(other).not.toHaveProperty('path');
  expect(atPath('/srv/a', coded('EIO'))).toMatchObject({ path: '/srv/a' });
  expect(atPath('/srv/a', coded('EIO', '/srv/b'))).toMatchObject({ path: '/srv/b' });
});

it('a wrong path is for whoever gave it to change, a full disk is not', () => {
  expect(pathFailure('/srv/a', coded('ENOENT'))).toEqual(
    new UsageError('/srv/a does not exist; check the path'),
  );
  const full = coded('ENOSPC');
  expect(pathFailure('/srv/a', full)).toBe(full);
});

it('reasons and advice name no file', () => {
  expect(failureReason(coded('EROFS', '/srv/a'))).toBe('the disk is read-only');
  expect(failureReason(coded('ENOENT', '/srv/a'))).toBe('it does not exist');
  expect(failureAdvice(coded('ENOSPC'))).toBe('the disk is full; free some space on it');
  expect([failureReason(new Error('x')), failureAdvice('x')]).toEqual([null, null]);
});
