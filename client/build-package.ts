/** Builds the published package: JavaScript and declarations, since runtimes refuse TypeScript. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const HERE = import.meta.dirname;
const COMPILER = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
);

/** Fills a folder that `npm pack` or `npm install` takes. What was in it goes. */
export function buildPackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const project = join(HERE, 'tsconfig.build.json');
  execFileSync(process.execPath, [COMPILER, '--project', project, '--outDir', folder], {
    stdio: 'inherit',
  });
  const own = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
  const { name, version, description, license } = own;
  const exports = { '.': { types: './index.d.ts', default: './index.js' } };
  const published = { name, version, description, license, type: 'module', exports };
  const text = JSON.stringify({ ...published, sideEffects: false }, null, 2);
  writeFileSync(join(folder, 'package.json'), `${text}\n`);
  copyFileSync(join(HERE, '../LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(HERE, '../docs/clients/typescript.md'), join(folder, 'README.md'));
}

if (import.meta.main) {
  const folder = join(HERE, 'dist');
  buildPackage(folder);
  process.stdout.write(`${folder}\n`);
}
