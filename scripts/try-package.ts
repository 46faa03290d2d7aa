/**
 * Packs the project as for the registry, installs the tarball into an empty folder, and runs the
 * installed command there, also as a server with its console. Run by `npm run test:package`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT_PACKAGES } from '../console/src/format/client-packages.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-package-'));

function run(program: string, args: readonly string[], cwd: string): string {
  process.stdout.write(`  ${program} ${args.join(' ')}\n`);
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const SERVE = ['--no', '--', 'ticklake', 'serve'];

/** The address that the installed server prints when it listens, and a way to stop it. */
async function serve() {
  const child = spawn('npx', SERVE, {
    cwd: folder,
    env: { ...process.env, TICKLAKE_HOME: join(folder, 'home'), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that stopping it stops npx and the server behind it.
    detached: true,
  });
  const stop = async () => {
    process.kill(-(child.pid as number), 'SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  let banner = '';
  for await (const chunk of child.stdout) {
    banner += chunk;
    const [, origin] = /listening on (\S+)\n/.exec(banner) ?? [];
    if (origin) return { origin, stop };
  }
  throw new Error(`the installed server ended with ${child.exitCode}`);
}

const PATHS = [
  ...['/console/', '/console/config.json', '/docs/queries', '/v1/status'],
  ...Object.values(CLIENT_PACKAGES).map((file) => `/console/${file}`),
];

async function tryConsole(): Promise<void> {
  const { origin, stop } = await serve();
  try {
    for (const path of PATHS) {
      const { status } = await fetch(`${origin}${path}`);
      if (status !== 200) throw new Error(`${path} of the installed server is a ${status}`);
    }
  } finally {
    await stop();
  }
  process.stdout.write('  the installed server answers, and its console too\n');
}

try {
  const packing = ['pack', '--workspace', 'ticklake', '--pack-destination', folder];
  run('npm', [...packing, '--loglevel=error'], process.cwd());
  const { version } = JSON.parse(readFileSync('server/package.json', 'utf8')) as {
    version: string;
  };
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--loglevel=error', `./ticklake-${version}.tgz`], folder);
  const shown = run('npx', ['--no', '--', 'ticklake', '--version'], folder).trim();
  if (shown !== version) throw new Error(`the installed command is ${shown}, not ${version}`);
  const listed = run('npx', ['--no', '--', 'ticklake', 'datasets', '--json'], folder);
  const { datasets } = JSON.parse(listed) as { datasets: unknown[] };
  const shippedCount = readdirSync('datasets').filter((name) => name.endsWith('.yaml')).length;
  if (datasets.length !== shippedCount) {
    throw new Error(`${datasets.length} datasets, not ${shippedCount}`);
  }
  process.stdout.write(`  the installed package ${shown} lists ${datasets.length} datasets\n`);
  await tryConsole();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
