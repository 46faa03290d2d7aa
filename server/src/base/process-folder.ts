/** Folders of files that a process keeps while it runs, which another one removes if it died. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Process id and start, so that nobody takes the folder of a running process for a leftover. */
const FOLDER = /^([a-z]+)-(\d+)-(\d+)-/;
const STARTED_MS = Math.round(performance.timeOrigin);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes the folders that processes have left behind which died. */
function sweep(parent: string, kind: string): void {
  for (const name of readdirSync(parent)) {
    const [, folderKind, pidText, startedText] = FOLDER.exec(name) ?? [];
    if (folderKind !== kind) continue;
    const pid = Number(pidText);
    const isAlive = pid === process.pid ? Number(startedText) === STARTED_MS : isRunning(pid);
    if (!isAlive) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/**
 * A new folder below `parent`, without those of its kind that earlier processes have left. `kind`
 * consists of small letters.
 */
export function openProcessFolder(parent: string, kind: string): string {
  mkdirSync(parent, { recursive: true });
  sweep(parent, kind);
  return mkdtempSync(join(parent, `${kind}-${process.pid}-${STARTED_MS}-`));
}
