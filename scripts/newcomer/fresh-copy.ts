/** A copy of the project as somebody gets it who clones it: without anything installed or built. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Changes that are not committed yet are in it, ignored files are not. */
export function copyProject(target: string): void {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', words, { encoding: 'utf8' }).split('\0').filter(existsSync);
  for (const file of files) cpSync(file, join(target, file), { preserveTimestamps: true });
}

/** Caches beside the packages come and go while other programs run. */
const isInstalled = (name: string) => /^[^.]|^\.(bin|package-lock\.json)$/.test(name);

/** Gives a copy what is installed and built here, as links where the disk is the same one. */
export function takeOverInstalled(target: string): void {
  const folders = ['node_modules', 'console/dist', ...globSync('*/node_modules')];
  for (const folder of folders.filter(existsSync)) {
    const names = readdirSync(folder).filter(isInstalled);
    if (names.length === 0) continue;
    const words = [...names.map((name) => join(folder, name)), join(target, folder)];
    mkdirSync(join(target, folder), { recursive: true });
    try {
      execFileSync('cp', ['-al', ...words], { stdio: 'ignore' });
    } catch {
      execFileSync('cp', ['-a', ...words]);
    }
  }
}

/** The environment of somebody who has set nothing for Ticklake but a free port. */
export function newcomerEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TICKLAKE_'));
  return { ...Object.fromEntries(own), PORT: '0' };
}
