/** A disk of its own that a test can have fail: ext4 in a file, which only root can mount. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface FailingDisk {
  readonly path: string;
  /** Reports an error of the disk, after which the system lets nobody write any more. */
  fail(): void;
  remove(): void;
}

function run(program: string, ...words: string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Null where this process may not do so. */
export function mountFailingDisk(megabytes: number): FailingDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-failing-'));
  const [image, path] = [join(folder, 'image'), join(folder, 'disk')];
  const unmount = () => run('umount', '-l', path);
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(path);
    run('truncate', `--size=${megabytes}M`, image);
    run('mkfs.ext4', '-q', image);
    run('mount', '-o', 'loop,errors=remount-ro', image, path);
  } catch {
    removeFolder();
    return null;
  }
  const device = basename(run('findmnt', '-no', 'SOURCE', path).trim());
  const trigger = `/sys/fs/ext4/${device}/trigger_fs_error`;
  if (!existsSync(trigger)) {
    unmount();
    removeFolder();
    return null;
  }
  return {
    path,
    fail: () => writeFileSync(trigger, '1'),
    remove: () => {
      unmount();
      removeFolder();
    },
  };
}
