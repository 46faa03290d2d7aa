/** Debian's nginx on a free port, with a folder of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { untilAnswers } from './until.ts';

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0;
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
  await untilAnswers(url, child);
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
