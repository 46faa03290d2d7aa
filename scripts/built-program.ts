/**
 * The program as its package ships it, for tests that start it: from the sources it takes three
 * times as long to start. As the global setup of a suite, tells its tests where it is; see
 * `server/test/program.ts`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The folder of packages that are not built in. */
const CACHE = join(ROOT, 'server/node_modules/.cache/program');
const SOURCES = [
  '{server,market,demo,client}/src/**/*.ts',
  'server/vite.config.ts',
  'package-lock.json',
];
/** Found beside the program as they are now: what it was built from is all that is kept. */
const LINKED = ['datasets', 'console/dist'];

function sourcesDigest(): string {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()) {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

function build(folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  const words = ['build', '--config', 'server/vite.config.ts', '--outDir', unfinished];
  const options = { cwd: ROOT, env: { ...process.env, NODE_ENV: 'production' } };
  execFileSync(join(ROOT, 'node_modules/.bin/vite'), [...words, '--logLevel', 'error'], options);
  for (const path of LINKED) {
    rmSync(join(unfinished, path), { recursive: true, force: true });
    mkdirSync(dirname(join(unfinished, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(unfinished, path));
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another suite was faster.
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true });
  }
}

/** A day later no suite runs any more that began with an older program. */
const KEPT_MS = 24 * 60 * 60 * 1000;

function removeOld(): void {
  for (const path of globSync('*', { cwd: CACHE }).map((name) => join(CACHE, name))) {
    // Another suite may be removing it.
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** The file that starts a process. Built if the sources have changed. */
export function builtProgram(): string {
  const folder = join(CACHE, sourcesDigest());
  if (!existsSync(folder)) {
    removeOld();
    build(folder);
  }
  return join(folder, 'program/cli.js');
}

export default function setup(): void {
  process.env.TICKLAKE_PROGRAM = builtProgram();
}
