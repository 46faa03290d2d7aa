/** A separate disk that a test can fill: a file system in memory, which only root can mount. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  /** Writes until not one more byte fits. */
  fill(): void;
  /** Takes away what `fill` has written. */
  free(): void;
  remove(): void;
}

function writeUntilFull(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (const bytes of [1 << 20, 1 << 12, 1]) {
      const block = Buffer.alloc(bytes, 1);
      try {
        for (;;) writeSync(descriptor, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Null where this process may not mount anything. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'ticklake-disk-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path];
    execFileSync('mount', options, { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return null;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => writeUntilFull(filler),
    free: () => rmSync(filler, { force: true }),
    remove: () => {
      execFileSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}
