/** Two programs that want the same home, or the same port. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../program.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from './server-process.ts';

let home: Home;
const servers: ServerProcess[] = [];
beforeAll(async () => {
  home = await makeHome(10, 5);
});
afterEach(async () => {
  for (const { child, ended } of servers.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});
afterAll(() => home.remove());

async function start(): Promise<ServerProcess> {
  const server = await startServer(home);
  servers.push(server);
  return server;
}

/** Runs a command in a process of its own, to its end. */
function run(...words: string[]) {
  return runWith({}, ...words);
}

function runWith(
  settings: Record<string, string>,
  ...words: string[]
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const { PATH } = process.env;
  const env = { PATH, PORT: '0', TICKLAKE_HOME: home.path, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

it('a second server ends with a line that names the first, which goes on', async () => {
  const { child, url, key } = await start();
  const second = await run('serve');
  expect(second.code).toBe(2);
  expect(second.stderr).toMatch(
    new RegExp(
      `^ticklake: a server already serves ${home.path} \\(process ${child.pid}, ${url}, ` +
        'since 20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\\); stop it first, .+\\n$',
    ),
  );
  expect(second.stdout).toBe('');
  const answer = await fetch(`${url}${ROWS_PATH}`, { headers: { 'x-api-key': key } });
  expect(answer.status).toBe(200);
});

it('commands work beside a server', async () => {
  await start();
  const made = await run('identity', 'create', '--name', 'beside', '--json');
  expect([made.code, JSON.parse(made.stdout).name]).toEqual([0, 'beside']);
  expect((await run('datasets')).code).toBe(0);
});

it('a server that was killed or stopped leaves the home to the next one', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const { child, ended } = await start();
    child.kill(signal);
    await ended;
  }
  const { child, url } = await start();
  const refused = await run('serve');
  expect(refused.stderr).toContain(`process ${child.pid}, ${url}`);
});

it('one of two servers started at the same time serves', async () => {
  const starts = await Promise.allSettled([startServer(home), startServer(home)]);
  const serving = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  servers.push(...serving);
  expect(serving).toHaveLength(1);
  const refused = starts.find((one) => one.status === 'rejected');
  expect(String(refused?.reason)).toContain('a server already serves');
});

describe('a port that another program listens on', () => {
  const other = createServer();
  let port: string;
  beforeAll(async () => {
    await once(other.listen(0, '127.0.0.1'), 'listening');
    port = String((other.address() as AddressInfo).port);
  });
  afterAll(() => other.close());

  it.each(['PORT', 'TICKLAKE_OPERATION_PORT'])('is told by its setting %s', async (setting) => {
    // A home of its own, which no server of the other tests can hold.
    const TICKLAKE_HOME = join(home.path, 'apart');
    expect(await runWith({ [setting]: port, TICKLAKE_HOME }, 'serve')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `ticklake: port ${port} of 127.0.0.1 is in use by another program; ` +
        `set ${setting} to another one\n`,
    });
  });

  it('is told before the demo generates its market', async () => {
    const demoHome = join(home.path, 'demo');
    const { code, stdout } = await runWith({ PORT: port, TICKLAKE_HOME: demoHome }, 'demo');
    expect([code, stdout]).toEqual([1, '']);
    expect(existsSync(join(demoHome, 'control.db'))).toBe(false);
  });
});
