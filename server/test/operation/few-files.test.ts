/** A server whose process may not open one more file refuses requests, says why, and goes on. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from './server-process.ts';

const FILES_MAX = 256;
/** A limit that lets a process open nothing more: these stay open as long as it lives. */
const STANDARD_FILES = 3;

/** Sets the soft limit of open files of a process, as `ulimit -n` does. */
function limitFiles(pid: number, filesMax: number): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${filesMax}:${FILES_MAX}`]);
}

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return existsSync('/proc/self/fd');
  } catch {
    return false;
  }
}

describe.skipIf(!hasPrlimit())('a server that may open few files (on Linux)', () => {
  let home: Home;
  let server: ServerProcess;
  /** Keeps the one connection that it has. */
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets: Socket[] = [];
  beforeAll(async () => {
    home = await makeHome(100, 10);
    server = await startServer(home, {}, 'serve', ['prlimit', `--nofile=${FILES_MAX}`]);
  });
  afterAll(async () => {
    agent.destroy();
    for (const socket of sockets) socket.destroy();
    server.child.kill('SIGKILL');
    await server.ended;
    home.remove();
  });

  async function ask(path: string): Promise<{ status: number | undefined; body: string }> {
    const headers = { 'x-api-key': server.key };
    return await new Promise((resolve, reject) => {
      get(`${server.url}${path}`, { agent, headers }, (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
      }).once('error', reject);
    });
  }

  it('answers a query with 503 while none can be opened, and tells the operator of the limit', async () => {
    const pid = server.child.pid as number;
    expect((await ask('/v1/status')).status).toBe(200);
    limitFiles(pid, STANDARD_FILES);
    for (const query of ['', '?sort=-Ticker&limit=10', '?sort=-Ticker&limit=10&offset=10']) {
      expect(await ask(`${ROWS_PATH}${query}`)).toEqual({
        status: 503,
        body: '{"detail":"Service unavailable"}',
      });
    }
    expect((await ask('/v1/account/my')).status).toBe(200);
    expect(server.stderr()).toContain('raise its limit of open files (ulimit -n, LimitNOFILE=)');
    limitFiles(pid, FILES_MAX);
    expect((await ask(ROWS_PATH)).status).toBe(200);
  });

  it('lets connections take no more than half of them', async () => {
    const { port } = new URL(server.url);
    for (let at = 0; at < 2 * FILES_MAX; at++) {
      sockets.push(connect(Number(port), '127.0.0.1').on('error', () => undefined));
    }
    const metrics = async () => await (await fetch(`${server.operationUrl}/metrics`)).text();
    await expect.poll(metrics).toMatch(/connections_closed_total\{limit="all"\} [1-9]\d\d/);
    expect(await metrics()).toContain(`\nticklake_connections_max ${FILES_MAX / 2}\n`);
    expect((await ask(`${ROWS_PATH}?limit=3`)).status).toBe(200);
    expect(readdirSync(`/proc/${server.child.pid}/fd`).length).toBeLessThan(FILES_MAX);
  });
});
