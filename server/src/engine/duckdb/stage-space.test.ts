import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ProcessLock } from '../../base/process-lock.ts';
import { tryLockFile } from '../../installed.ts';
import { openStageSpace, sweepStages } from './stage-space.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'ticklake-stages-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** Another process looks for leftovers before the mark is there, before it is locked, and after. */
function swept(path: string): ProcessLock | null {
  sweepStages(parent, tryLockFile);
  writeFileSync(path, '');
  sweepStages(parent, tryLockFile);
  const lock = tryLockFile(path);
  sweepStages(parent, tryLockFile);
  return lock;
}

it('a sweep at any moment leaves the folder of a stage that is being opened', () => {
  const space = openStageSpace(parent, swept);
  sweepStages(parent, tryLockFile);
  expect(existsSync(space.directory)).toBe(true);
  space.discard();
  expect(readdirSync(parent)).toEqual(['alive']);
  expect(readdirSync(join(parent, 'alive'))).toEqual([]);
});
