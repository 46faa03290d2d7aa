/**
 * Packs the project as for the registry, installs the tarball into an empty folder, and runs the
 * installed command there. Run by `npm run test:package`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-package-'));

function run(program: string, args: readonly string[], cwd: string): string {
  process.stdout.write(`  ${program} ${args.join(' ')}\n`);
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

try {
  run('npm', ['pack', '--pack-destination', folder, '--loglevel=error'], process.cwd());
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--loglevel=error', `./ticklake-${version}.tgz`], folder);
  const shown = run('npx', ['--no', '--', 'ticklake', '--version'], folder).trim();
  if (shown !== version) throw new Error(`the installed command is ${shown}, not ${version}`);
  const listed = run('npx', ['--no', '--', 'ticklake', 'datasets', '--json'], folder);
  const { datasets } = JSON.parse(listed) as { datasets: unknown[] };
  if (datasets.length !== 42) throw new Error(`${datasets.length} datasets, not 42`);
  process.stdout.write(`  the installed package ${shown} lists ${datasets.length} datasets\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
