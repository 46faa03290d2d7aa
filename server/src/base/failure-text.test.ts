import { once } from 'node:events';
import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, test } from 'vitest';
import { UsageError } from './errors.ts';
import {
  addFailureReader,
  atPath,
  failureAdvice,
  failureReason,
  failureText,
  pathFailure,
} from './failure-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-failures-'));
afterAll(() => rmSync(folder, { recursive: true }));

const failure = (message: string, more: object) => Object.assign(new Error(message), more);
const coded = (code: string, path?: string) =>
  failure(`${code}: words for programmers, open`, { code, syscall: 'open', path });

test('the text of a failure tells its name and message where a thread throws a DOMException', async () => {
  const thread = new Worker("throw new DOMException('too large', 'DataCloneError')", {
    eval: true,
  });
  const [error] = await once(thread, 'error').catch((thrown) => [thrown]);
  expect(failureText(error)).toBe('DataCloneError: too large');
});

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
      new Error('Permission denied to the data of your dreams'),
      'Permission denied to the data of your dreams',
    ],
    [new Error(' two\n  lines '), 'two lines'],
    [new Error(''), 'Error'],
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

  it('is that of the table for what Node.js really throws', () => {
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

it('failures of a library are told as its folder reads them', () => {
  addFailureReader(({ message }) => {
    if (message === 'full') return { failure: 'ENOSPC', subject: 'a file of the library' };
    const own = { effect: 'cannot go on', remedy: 'wait' };
    return message === 'busy' ? { failure: own } : null;
  });
  expect(failureText(new Error('full'))).toBe(
    'a file of the library cannot be written: the disk is full; free some space on it',
  );
  expect(failureText(failure('full', { path: '/srv/a' }))).toMatch(/^\/srv\/a cannot be written/);
  expect(failureAdvice(new Error('busy'))).toBe('it cannot go on; wait');
  expect(failureText(new Error('other'))).toBe('other');
});
