/** Builds a package in JavaScript, since runtimes refuse TypeScript in what is installed. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const COMPILER = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
);

/** `source` has a `tsconfig.build.json`; the published package.json gets `fields`. */
export function buildLibrary(
  source: string,
  folder: string,
  readme: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  rmSync(folder, { recursive: true, force: true });
  const project = join(source, 'tsconfig.build.json');
  execFileSync(process.execPath, [COMPILER, '--project', project, '--outDir', folder], {
    stdio: 'inherit',
  });
  const own = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { name, version, description, license } = own;
  const published = { name, version, description, license, type: 'module', ...fields };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(source, '../LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(readme, join(folder, 'README.md'));
}
