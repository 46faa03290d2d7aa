import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-folders-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('makes a folder and those around it, and leaves one that is there', () => {
  const path = join(folder, 'a', 'b', 'c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o755);
  const modes = [path, join(folder, 'a')].map((each) => statSync(each).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700]);
});

it('says which path is in its way', () => {
  const file = join(folder, 'file');
  writeFileSync(file, 'x');
  expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: 'ENOTDIR', path: file }));
  const below = join(file, 'below');
  expect(() => makeFolder(below)).toThrow(
    expect.objectContaining({ code: 'ENOTDIR', path: below }),
  );
});

it.skipIf(!existsSync('/proc/self'))('ends where no folder can be made', () => {
  expect(() => makeFolder('/proc/none/below')).toThrow(/ENOENT/);
});
