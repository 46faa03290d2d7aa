/** Makes folders. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!statSync(path).isDirectory()) {
      throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR', path });
    }
  }
}

/**
 * Makes a folder that may be there already, and those around it. A failure is that of the folder
 * that cannot be made; Node's own way of doing this hides it, and never ends in `/proc`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    makeOne(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path), mode);
    makeOne(path, mode);
  }
}
