/** The id of the deployment that a home belongs to. Homes that share a store have it from there. */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPLOYMENT_FILE } from './home-layout.ts';
import { makeFolder } from './make-folder.ts';

/** Made, with the home, when it is first asked for. */
export function deploymentOf(home: string): string {
  const file = join(home, DEPLOYMENT_FILE);
  makeFolder(home, 0o700);
  try {
    writeFileSync(file, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
