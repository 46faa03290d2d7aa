import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
  withLimits,
} from './server-process.ts';

/** Stopping by this limit would take longer than any test may. */
const NEVER = { TICKLAKE_STOP_TIMEOUT_MS: '3600000' };

/** A page of some 24 megabytes: more than the sockets between server and client can hold. */
const BIG_PAGE = `${ROWS_PATH}?limit=8000`;

let home: Home;
beforeAll(async () => {
  home = await makeHome(8000, 3000);
});
afterAll(() => home.remove());

/** The head of an answer, whose body is not read yet. */
function ask({ url, key }: ServerProcess, path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers: { 'x-api-key': key }, agent }, resolve).on('error', reject);
  });
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += chunk;
  return text;
}

/** The error code of a connection that is tried. */
function connectionError({ url }: ServerProcess): Promise<string | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('connect', () => {
      socket.destroy();
      resolve(null);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  });
}

/** How many requests for rows have reached the server, and whether some wait there. */
async function dataRequests({ operationUrl }: ServerProcess) {
  const metrics = await (await fetch(`${operationUrl}/metrics`)).text();
  const counts = metrics.matchAll(
    /^ticklake_(?:queries|requests_total)\{(?:state|endpoint="\/v1\/data\/)[^}]*\} (\d+)$/gm,
  );
  return {
    knownCount: [...counts].reduce((sum, [, count]) => sum + Number(count), 0),
    someWait: /^ticklake_queries\{state="waiting"\} [1-9]/m.test(metrics),
  };
}

async function metric({ operationUrl }: ServerProcess, series: string): Promise<number> {
  const lines = (await (await fetch(`${operationUrl}/metrics`)).text()).split('\n');
  const line = lines.find((one) => one.startsWith(`ticklake_${series} `)) ?? '';
  return Number(line.split(' ').at(-1));
}

describe('a server that is asked to stop', () => {
  it('gives a request under way its whole answer, and a new connection none', async () => {
    const server = await startServer(home, NEVER);
    const readyStatus = async () => (await fetch(`${server.operationUrl}/readyz`)).status;
    await expect.poll(readyStatus).toBe(200);
    const answer = await ask(server, BIG_PAGE, new Agent({ keepAlive: true }));
    server.child.kill('SIGTERM');
    await expect.poll(() => connectionError(server)).toBe('ECONNREFUSED');
    const readiness = await fetch(`${server.operationUrl}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({ ready: false, server: 'stopping' });
    expect((await fetch(`${server.operationUrl}/healthz`)).status).toBe(200);
    expect(server.child.exitCode).toBeNull();

    const body = await bodyOf(answer);
    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(body).data).toHaveLength(8000);
    expect(Buffer.byteLength(body)).toBe(Number(answer.headers['content-length']));
    // The connection is closed after its last answer, though its client would keep it.
    expect(await server.ended).toBe(0);
    expect(server.stdout()).toContain('Stopped.');
    expect(server.stderr()).toBe('');
  });

  it('answers the queries that wait for their turn, and closes idle and silent connections', async () => {
    const server = await startServer(home, {
      ...NEVER,
      TICKLAKE_QUERIES_MAX: '1',
      ...withLimits({ pageCacheBytes: 0 }),
    });
    await bodyOf(await ask(server, '/v1/account/my', new Agent({ keepAlive: true })));
    const { hostname, port } = new URL(server.url);
    const [silent, halfway] = [0, 1].map(() => connect({ host: hostname, port: Number(port) }));
    halfway?.write('GET /v1/account/my HTTP/1.1\r\nHost: a\r\n');
    await expect.poll(() => metric(server, 'connections{caller="anonymous"}')).toBe(2);
    const closed = [silent, halfway].map(
      (socket) => new Promise((resolve) => socket?.on('close', resolve).on('error', () => {})),
    );
    const path = `${ROWS_PATH}?limit=8000&columns=Ticker,SecId&sort=-SecId`;
    const answers: Promise<IncomingMessage>[] = [];
    // All of them have to be let in: a connection that is not accepted yet is refused.
    const allAreInAndSomeWait = async () => {
      const { knownCount, someWait } = await dataRequests(server);
      if (knownCount < answers.length) return false;
      if (!someWait) answers.push(...Array.from({ length: 30 }, () => ask(server, path)));
      return someWait;
    };
    await expect.poll(allAreInAndSomeWait, { interval: 1 }).toBe(true);
    const whole = Promise.all(
      answers.map(async (answer) => JSON.parse(await bodyOf(await answer))),
    );
    server.child.kill('SIGINT');
    await Promise.all(closed);
    for (const { data } of await whole) expect(data).toHaveLength(8000);
    expect(await server.ended).toBe(0);
  });

  it('breaks off what has not finished in time, so that no body passes for whole', async () => {
    const settings = {
      TICKLAKE_QUERIES_MAX: '2',
      ...withLimits({ queueMax: 1000, queuePerAccountMax: 1000 }),
      TICKLAKE_STOP_TIMEOUT_MS: '50',
    };
    const server = await startServer(home, settings);
    const unread = await ask(server, BIG_PAGE);
    const path = `${ROWS_PATH}?limit=8000&columns=Ticker,SecId&sort=-SecId`;
    const answers = Array.from({ length: 60 }, () => ask(server, path).then(bodyOf));
    const settled = Promise.allSettled(answers);
    await Promise.race(answers);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    await expect(bodyOf(unread)).rejects.toThrow(/aborted/);
    await settled;
    expect(server.stderr(), 'a query that nobody waits for is no failure').toBe('');
  });

  it('ends at once when it is asked again', async () => {
    const server = await startServer(home, NEVER);
    const answer = await ask(server, BIG_PAGE);
    server.child.kill('SIGTERM');
    await expect.poll(() => connectionError(server)).toBe('ECONNREFUSED');
    expect(server.child.exitCode).toBeNull();
    // One that comes within a second of the first is the same one, passed on twice.
    await expect
      .poll(() => {
        server.child.kill('SIGTERM');
        return server.child.exitCode;
      })
      .toBe(130);
    await expect(bodyOf(answer)).rejects.toThrow(/aborted/);
  });
});
