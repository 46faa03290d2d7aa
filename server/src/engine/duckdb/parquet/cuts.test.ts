import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TemporaryFiles } from './cuts.ts';

const LARGE = Buffer.alloc(2 * 1_048_576, 'x');
const SMALL = Buffer.from('a few bytes');
/** Above the largest id that the system gives to a process. */
const DEAD_PID = 2 ** 22 + 1;

let parent: string;
let files: TemporaryFiles;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'ticklake-answers-'));
  files = new TemporaryFiles(parent);
});
afterEach(() => {
  files.close();
  rmSync(parent, { recursive: true });
});

const filesBelow = () =>
  readdirSync(parent, { recursive: true }).filter((name) => `${name}`.endsWith('.parquet'));

it('keeps a large file until it is removed, and a small one in memory', async () => {
  const large = await files.write((path) => writeFile(path, LARGE));
  const small = await files.write((path) => writeFile(path, SMALL));
  expect([large.bytes, small.bytes]).toEqual([null, SMALL]);
  expect(filesBelow()).toHaveLength(1);
  files.remove([large.path]);
  expect(filesBelow()).toEqual([]);
});

it('leaves nothing of a file whose writing failed', async () => {
  const failing = files.write(async (path) => {
    await writeFile(path, LARGE);
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('full');
  expect(filesBelow()).toEqual([]);
});

it('gives every file a name of its own, also after the folder was removed by somebody', async () => {
  const first = await files.write((path) => writeFile(path, LARGE));
  for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true });
  const second = await files.write((path) => writeFile(path, LARGE));
  expect(second.path).not.toBe(first.path);
  expect(existsSync(second.path)).toBe(true);
});

it('removes at the start what a dead process has left, and nothing of a living one', async () => {
  const left = join(parent, `answers-${DEAD_PID}-1-abcdef`);
  mkdirSync(left);
  writeFileSync(join(left, '0.parquet'), SMALL);
  const living = await files.write((path) => writeFile(path, LARGE));
  const later = new TemporaryFiles(parent);
  expect(existsSync(left)).toBe(false);
  expect(existsSync(living.path)).toBe(true);
  later.close();
  expect(existsSync(living.path)).toBe(true);
});
