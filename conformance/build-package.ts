/** Builds the published package. */
import { join } from 'node:path';
import { buildLibrary } from '../scripts/build-library.ts';

const HERE = import.meta.dirname;

/** Fills a folder that `npm pack` takes. What was in it goes. */
export function buildConformanceKit(folder: string): void {
  buildLibrary(HERE, folder, join(HERE, 'README.md'), {
    bin: { 'ticklake-conformance': 'main.js' },
    engines: { node: '>=20' },
  });
}

if (import.meta.main) {
  const folder = join(HERE, 'dist');
  buildConformanceKit(folder);
  process.stdout.write(`${folder}\n`);
}
