/** Builds the published package. */
import { join } from 'node:path';
import { buildLibrary } from '../scripts/build-library.ts';

const HERE = import.meta.dirname;

/** Fills a folder that `npm pack` or `npm install` takes. What was in it goes. */
export function buildPackage(folder: string): void {
  buildLibrary(HERE, folder, join(HERE, '../docs/clients/typescript.md'), {
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    sideEffects: false,
  });
}

if (import.meta.main) {
  const folder = join(HERE, 'dist');
  buildPackage(folder);
  process.stdout.write(`${folder}\n`);
}
