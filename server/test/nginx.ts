/** Debian's nginx on a free port, with a folder of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const START_TIMEOUT_MS = 20_000;

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0;
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}

/** `http`: what stands in its block `http`, by the port that it is to listen on. */
export async function startNginx(scratch: string, http: (port: number) => string): Promise<Nginx> {
  const port = await freePort();
  const own = join(scratch, `nginx-${port}`);
  mkdirSync(own, { recursive: true });
  const file = join(own, 'nginx.conf');
  writeFileSync(
    file,
    `pid ${own}/pid; error_log stderr crit; daemon off; worker_processes 1;
    events { worker_connections 1024; }
    http {
      access_log off; keepalive_requests 100000;
      client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy;
      fastcgi_temp_path ${own}/fastcgi; uwsgi_temp_path ${own}/uwsgi; scgi_temp_path ${own}/scgi;
      ${http(port)}
    }`,
  );
  const words = process.getuid?.() === 0 ? ['-g', 'user root;'] : [];
  const child = spawn('nginx', ['-c', file, '-p', own, ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (const giveUpAtMs = performance.now() + START_TIMEOUT_MS; !(await answers(url)); ) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    if (performance.now() > giveUpAtMs) throw new Error('nginx does not answer');
    await later(50);
  }
  return {
    url,
    stop: async () => {
      // Ctrl-C in a terminal ends it, too.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
