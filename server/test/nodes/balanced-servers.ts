/** Servers with empty homes over one store and one lake, behind a real load balancer. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { hasNginx, type Nginx, startNginx } from '../nginx.ts';
import { type ServerProcess, startServer } from '../operation/server-process.ts';

const PROXY_FILE = join(import.meta.dirname, '../../../deploy/nginx/proxy.conf');
/** The balancer is on this machine, and says where requests come from. */
const SETTINGS = { TICKLAKE_TRUSTED_PROXIES: '127.0.0.1' };

/** Prints why there is no balancer; throws if TICKLAKE_S3 is `required`. */
export function isBalancerMissing(): boolean {
  if (hasNginx()) return false;
  const text = 'nginx is missing (Debian: apt-get install nginx-light)';
  if (process.env.TICKLAKE_S3 === 'required') throw new Error(text);
  console.warn(`skipped: ${text}`);
  return true;
}

/** `servers`: their origins. */
function startBalancer(scratch: string, servers: readonly string[]): Promise<Nginx> {
  // Never mark a server as failed: one account's refused connections would remove it for all.
  const hosts = servers.map((url) => `server ${new URL(url).host} max_fails=0;`);
  const uploadHosts = servers.map((url) => `server ${new URL(url).host};`);
  return startNginx(
    scratch,
    (port) => `
      upstream ticklake { ${hosts.join(' ')} keepalive 64; }
      upstream ticklake_uploads { hash $remote_addr consistent; ${uploadHosts.join(' ')} keepalive 64; }
      server { listen 127.0.0.1:${port}; include ${PROXY_FILE}; }`,
  );
}

type Settings = Readonly<Record<string, string>>;

/** At a port that is its own, also while it is not running. */
async function startNode(
  folder: string,
  at: number,
  port: number,
  more: Settings = {},
): Promise<ServerProcess> {
  const path = join(folder, `home-${at}`);
  mkdirSync(path, { recursive: true });
  const settings = { ...SETTINGS, ...more, PORT: `${port}` };
  return await startServer({ path, remove: () => undefined }, settings);
}

export class BalancedServers {
  readonly url: string;
  readonly servers: ServerProcess[];
  readonly #folder: string;
  readonly #balancer: Nginx;

  private constructor(folder: string, servers: ServerProcess[], balancer: Nginx) {
    this.#folder = folder;
    this.#balancer = balancer;
    this.servers = servers;
    this.url = balancer.url;
  }

  static async start(count: number, settings: Settings = {}): Promise<BalancedServers> {
    const folder = mkdtempSync(join(tmpdir(), 'ticklake-balanced-'));
    const numbers = Array.from({ length: count }, (_, at) => at);
    const servers = await Promise.all(
      numbers.map(async (at) => startNode(folder, at, await freePort(), settings)),
    );
    const balancer = await startBalancer(
      folder,
      servers.map(({ url }) => url),
    );
    return new BalancedServers(folder, servers, balancer);
  }

  /**
   * Stops a server as an operator does and restarts it at its address; resolves to its exit code.
   */
  async restart(at: number): Promise<number | null> {
    const { child, ended, url } = this.servers[at] as ServerProcess;
    child.kill('SIGTERM');
    const code = await ended;
    this.servers[at] = await startNode(this.#folder, at, Number(new URL(url).port));
    return code;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    for (const { child } of this.servers) child.kill(signal);
    await Promise.all(this.servers.map(({ ended }) => ended));
    await this.#balancer.stop();
    rmSync(this.#folder, { recursive: true });
  }
}
