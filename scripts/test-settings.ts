/** Settings shared by all test suites. */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES_MIN = 8 * 2 ** 30;

/** True if /dev/shm has room, as on most Linux machines but in few containers. */
function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_BYTES_MIN;
  } catch {
    return false;
  }
}

/**
 * Puts test files into memory if there is room: a commit of a store waits 20 ms for a disk. Tests
 * about a disk mount one of their own.
 */
export function useMemoryFolder(): void {
  if (process.env.TMPDIR === undefined && hasMemoryFolder()) process.env.TMPDIR = MEMORY_FOLDER;
}

export const TEST_SETTINGS = {
  // Programs that tests start find themselves compiled, which is half of what their start takes.
  env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') },
  globalSetup: [join(ROOT, 'scripts/built-program.ts')],
  setupFiles: [join(ROOT, 'server/test/seed.ts')],
  // The heap of all files together is large. Collecting young objects less often saves a twentieth,
  // all of them only once there are many, a little more, and without helping threads, which the
  // other processes leave no core, another twentieth.
  execArgv: ['--max-semi-space-size=64', '--initial-old-space-size=512', '--single-threaded-gc'],
  // Files share their process.
  unstubGlobals: true,
  reporters: ['default', join(ROOT, 'scripts/failed-tests.ts')],
  // Limits of what hangs, not of what is slow: nothing goes by how soon something happens.
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  expect: { poll: { timeout: 300_000 } },
};
