/** The competitors in delivery: ROAPI over the same file, and nginx. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { freePort } from '../../../test/free-port.ts';
import { startNginx } from '../../../test/nginx.ts';

export interface Peer {
  readonly url: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}

async function started(child: ChildProcess, url: string): Promise<Peer> {
  const giveUpAtMs = performance.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    if (performance.now() > giveUpAtMs) throw new Error(`${child.spawnfile} does not answer`);
    await later(100);
  }
  return {
    url,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** `tables`: names, and the Parquet files that they hold in memory. */
export async function startRoapi(
  interpreter: string,
  tables: Readonly<Record<string, string>>,
): Promise<Peer> {
  const port = await freePort();
  const words = Object.entries(tables).flatMap(([name, file]) => ['--table', `${name}=${file}`]);
  const others = await Promise.all([freePort(), freePort()]);
  const address = [
    '--addr-http',
    port,
    '--addr-postgres',
    others[0],
    '--addr-flight-sql',
    others[1],
  ].map((word) => (typeof word === 'number' ? `127.0.0.1:${word}` : word));
  const program = join(dirname(interpreter), 'roapi');
  const child = spawn(program, [...address, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  return await started(child, `http://127.0.0.1:${port}`);
}

/**
 * Serves the files of a folder with sendfile, as Debian's package is set up. `locations` and
 * `upstreams` add to its server and its block `http`.
 */
export async function serveWithNginx(
  folder: string,
  scratch: string,
  locations = '',
  upstreams = '',
): Promise<Peer> {
  mkdirSync(folder, { recursive: true });
  return await startNginx(
    scratch,
    (port) => `
      sendfile on; tcp_nopush on;
      server {
        listen 127.0.0.1:${port};
        location / { root ${folder}; }
        ${locations}
      }
      ${upstreams}`,
  );
}
