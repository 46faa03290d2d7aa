/** What delivery is compared with: ROAPI over the same file, and nginx. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';

export interface Peer {
  readonly url: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

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

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0;
}

/** Serves the files of a folder with sendfile, as Debian's package is set up. */
export async function startNginx(folder: string, scratch: string, extra = ''): Promise<Peer> {
  const port = await freePort();
  const own = join(scratch, `nginx-${port}`);
  mkdirSync(own, { recursive: true });
  const configuration = `
    pid ${own}/pid; error_log stderr crit; daemon off; worker_processes 1;
    events { worker_connections 512; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000;
      client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy;
      fastcgi_temp_path ${own}/fastcgi; uwsgi_temp_path ${own}/uwsgi; scgi_temp_path ${own}/scgi;
      server {
        listen 127.0.0.1:${port};
        location / { root ${folder}; }
        ${extra}
      }
    }`;
  const file = join(own, 'nginx.conf');
  writeFileSync(file, configuration);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const words = process.getuid?.() === 0 ? ['-g', 'user root;'] : [];
  const child = spawn('nginx', ['-c', file, '-p', own, ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return await started(child, `http://127.0.0.1:${port}`);
}
