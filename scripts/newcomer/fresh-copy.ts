/** A copy of the project as somebody gets it who clones it: without anything installed or built. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** Changes that are not committed yet are in it, ignored files are not. */
export function copyProject(target: string): void {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', words, { encoding: 'utf8' }).split('\0').filter(existsSync);
  for (const file of files) cpSync(file, join(target, file), { preserveTimestamps: true });
}

/** Gives a copy what is installed and built here, as links where the disk is the same one. */
export function takeOverInstalled(target: string): void {
  const kept = ['node_modules', 'console/dist', ...globSync('*/node_modules')];
  for (const path of kept.filter(existsSync)) {
    try {
      execFileSync('cp', ['-al', path, join(target, path)], { stdio: 'ignore' });
    } catch {
      execFileSync('cp', ['-a', path, join(target, path)]);
    }
  }
}

/** The environment of somebody who has set nothing for Ticklake but a free port. */
export function newcomerEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TICKLAKE_'));
  return { ...Object.fromEntries(own), PORT: '0' };
}
