/** Commands in another process change the store of a home while a server runs on it. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommandNow } from '../command-line/run-command.ts';
import {
  type Home,
  makeHome,
  type ServerProcess,
  startServer,
} from '../operation/server-process.ts';

let home: Home;
let server: ServerProcess;
beforeAll(async () => {
  home = await makeHome(1, 1);
  server = await startServer(home);
});
afterAll(async () => {
  server.child.kill();
  await server.ended;
  home.remove();
});

/** Runs a command and gives what it prints as JSON. */
async function ticklake(command: string): Promise<Record<string, unknown>> {
  const { exitCode, stdout } = await runCommandNow(home.path, ...command.split(' '), '--json');
  expect(exitCode, stdout).toBe(0);
  return JSON.parse(stdout);
}

it('a change by a command counts for the next request on an open connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<Socket>();
  const { identity_id: id } = await ticklake('identity create --name client');
  const newKey = () => ticklake(`key create --identity ${id} --name k --expires-in 1d`);
  const old = await newKey();
  const next = await newKey();

  const status = async (key: unknown, path = '/v1/account/my'): Promise<number> => {
    const headers = { 'x-api-key': String(key) };
    const asked = request(`${server.url}${path}`, { agent, headers }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    sockets.add(answer.socket);
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode as number;
  };

  expect(await status(old.api_key)).toBe(200);
  await ticklake(`key deactivate ${old.key_id}`);
  expect(await status(old.api_key)).toBe(401);
  await ticklake(`key activate ${old.key_id}`);
  expect(await status(old.api_key)).toBe(200);
  await ticklake(`key delete ${old.key_id}`);
  expect([await status(old.api_key), await status(next.api_key)]).toEqual([401, 200]);

  await ticklake(`identity deactivate ${id}`);
  expect(await status(next.api_key)).toBe(410);
  await ticklake(`identity activate ${id}`);
  await ticklake(`identity update ${id} --subnet 192.0.2.0/24`);
  expect(await status(next.api_key)).toBe(403);
  await ticklake(`identity update ${id} --no-subnets`);

  const rows = '/v1/data/us-equity-ref/eq-trading-halts';
  const rule = await ticklake(`rule add --identity ${id} --dataset eq_trading_halts`);
  expect(await status(next.api_key, rows)).toBe(200);
  await ticklake(`rule remove ${rule.rule_id}`);
  expect(await status(next.api_key, rows)).toBe(403);

  await ticklake(`quota set --identity ${id} --month-requests 1`);
  expect(await status(next.api_key, rows)).toBe(429);
  await ticklake(`quota set --identity ${id} --month-requests unlimited`);
  expect(await status(next.api_key, rows)).toBe(403);

  await ticklake(`identity update ${id} --admin`);
  expect(await status(next.api_key, '/v1/audit-log')).toBe(200);
  expect(sockets.size).toBe(1);
  agent.destroy();
  for (const { api_key: key } of [old, next]) {
    expect(server.stdout() + server.stderr()).not.toContain(key as string);
  }
});
