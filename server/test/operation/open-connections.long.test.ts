/** How many connections may be open, and how requests on one of them take turns. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { parseSubnet, type Subnet } from '../../src/access/subnet.ts';
import type { Config } from '../../src/settings/config.ts';
import { eventually } from '../eventually.ts';
import { connectTo, liftArrivalLimits } from '../exchange-bytes.ts';
import { openTestService, type TestService } from '../harness.ts';

/** Services by their settings. */
const opened = new Map<string, TestService>();
const sockets: Socket[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { services } of opened.values()) {
    await eventually(() => expect(services.connections.count).toBe(0));
  }
});
afterAll(async () => {
  for (const service of opened.values()) await service.close();
});

async function open(settings: Partial<Config>): Promise<TestService> {
  const name = JSON.stringify(settings);
  const service = opened.get(name) ?? (await openTestService(settings));
  opened.set(name, service);
  return service;
}

interface Client {
  readonly socket: Socket;
  /** All that was received. */
  text(): string;
  isClosed(): boolean;
}

async function connectClient(service: TestService, localAddress?: string): Promise<Client> {
  const socket = await connectTo(service, localAddress);
  sockets.push(socket);
  let [text, isClosed] = ['', false];
  socket
    .on('error', () => undefined)
    .on('close', () => {
      isClosed = true;
    });
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  return { socket, text: () => text, isClosed: () => isClosed };
}

const head = (target: string, key = '') =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\n${key && `X-API-KEY: ${key}\r\n`}\r\n`;

const postHead = 'POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const credentials = '{"email":"nobody@test.example","password":"wrong"}';
const signIn = `${postHead}Content-Length: ${credentials.length}\r\n\r\n${credentials}`;

const longHead = (length: number) =>
  `GET /v1/status HTTP/1.1\r\nHost: x\r\nFiller: ${'x'.repeat(length)}\r\n\r\n`;

/** Has sign-ins wait, so that requests behind them on their connections do, until it is called. */
function blockSignIns({ services }: TestService): () => void {
  const blocked = Promise.withResolvers<boolean>();
  vi.spyOn(services.passwords, 'isRight').mockReturnValue(blocked.promise);
  return () => blocked.resolve(false);
}

async function ask(client: Client, target: string, key = ''): Promise<void> {
  const before = client.text().length;
  client.socket.write(head(target, key));
  await eventually(() => expect(client.text().length).toBeGreaterThan(before));
}

/** Whatever the server would read of the other connections, it has read when this resolves. */
async function pass(service: TestService): Promise<void> {
  const client = await connectClient(service);
  for (let at = 0; at < 20; at++) await ask(client, '/v1/status');
  client.socket.destroy();
}

const closedFor = ({ services }: TestService, limit: string) =>
  services.connections.closedCounts.get(limit);

/** The names of the parameters that answers complain about, in the order of the answers. */
function complaints(text: string): string[] {
  return [...text.matchAll(/Unexpected parameter '(\w+)'/g)].map(([, name]) => name as string);
}

describe('requests that are sent before the answers are read', () => {
  it('are all answered, in their order, also when a body is among them', async () => {
    const service = await open({});
    const client = await connectClient(service);
    const names = Array.from({ length: 600 }, (_, at) => `p${at}`);
    const body = '{"email":"nobody@test.example","password":"wrong"}';
    const post =
      `POST /v1/session?p HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`;
    const requests = names.map((name) => head(`/v1/status?${name}=1`));
    client.socket.write(requests.toSpliced(300, 0, post).join(''));
    await eventually(() => expect(complaints(client.text())).toHaveLength(601));
    expect(complaints(client.text())).toEqual(names.toSpliced(300, 0, 'p'));
    expect(service.services.connections.pipelinedCount).toBe(0);
  });

  it('wait for their turn: one is answered, few are read, the others stay where they are', async () => {
    const service = await open({});
    const client = await connectClient(service);
    const release = blockSignIns(service);
    client.socket.write(`${signIn}${head('/v1/status').repeat(2000)}`);
    const { connections, board } = service.services;
    await eventually(() => expect(connections.pipelinedCount).toBeGreaterThan(10));
    await pass(service);
    expect(connections.pipelinedCount).toBeLessThan(200);
    expect(board.running()).toHaveLength(1);
    release();
    const answers = () => client.text().match(/HTTP\/1\.1 200 /g) ?? [];
    await eventually(() => expect(answers()).toHaveLength(2000));
  });

  it.each([
    ['no HTTP', `no HTTP at all\r\n\r\n${head('/v1/status')}`, 400],
    ['a CONNECT', `CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n${head('/v1/status')}`, 405],
    ['a head too long', `GET / HTTP/1.1\r\nHost: ${'x'.repeat(200_000)}\r\n\r\n`, 431],
    ['a bad body', `${postHead}Transfer-Encoding: chunked\r\n\r\nno size\r\n`, 400],
    ['a head without an end', 'GET / HTTP/1.1\r\n', 408],
  ])('are answered before %s, which ends the connection', async (_, bytes, status) => {
    const service = await open(status === 408 ? { requestTimeoutMs: 500 } : {});
    const limitArrivals = liftArrivalLimits(service);
    const client = await connectClient(service);
    const release = blockSignIns(service);
    const end = vi.spyOn(service.services.connections, 'endWith');
    client.socket.write(`${signIn}${head('/v1/status')}${bytes}`);
    // The others have time, however long their bytes are on the way.
    await eventually(() => expect(service.services.connections.pipelinedCount).toBe(1));
    limitArrivals();
    await eventually(() => expect(end).toHaveBeenCalledOnce());
    expect(client.text()).toBe('');
    release();
    await eventually(() => expect(client.isClosed()).toBe(true));
    const statuses = [...client.text().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code);
    expect(statuses).toEqual(['401', '200', `${status}`]);
    expect(service.services.connections.pipelinedCount).toBe(0);
  });

  it('are held for no client that has gone', async () => {
    const service = await open({});
    const client = await connectClient(service);
    client.socket.pause();
    client.socket.write(head('/v1/openapi.json').repeat(5000));
    const { connections } = service.services;
    await eventually(() => expect(connections.unsentAnswerCount).toBe(1));
    expect(connections.pipelinedCount).toBeGreaterThan(0);
    client.socket.destroy();
    await eventually(() => expect(connections.count).toBe(0));
    expect(connections.pipelinedCount).toBe(0);
    expect(connections.unsentAnswerCount).toBe(0);
  });

  it.each([
    ['heads', longHead(60_000), 2, 200],
    ['bodies', `${postHead}Content-Length: 12000\r\n\r\n{${' '.repeat(11_998)}}`, 1, 422],
  ])('wait in few bytes, however long their %s are', async (_, request, waitingMax, status) => {
    const service = await open({});
    const { connections } = service.services;
    const release = blockSignIns(service);
    const client = await connectClient(service);
    client.socket.write(signIn + request.repeat(40));
    await eventually(() => expect(connections.pipelinedCount).toBe(waitingMax));
    await pass(service);
    expect(connections.pipelinedCount).toBe(waitingMax);
    release();
    const answers = () => client.text().match(new RegExp(`HTTP/1.1 ${status} `, 'g'));
    await eventually(() => expect(answers()).toHaveLength(40));
    expect(connections.pipelinedCount).toBe(0);
  });

  it('take turns by account, so that one which asks for little waits for few of the others', async () => {
    const service = await open({ connectionsPerAddressMax: 2000 });
    const { key } = await service.addAccount('asks for much');
    let answeredCount = 0;
    /** How many requests of the other account were answered while one waited. */
    const waits: number[] = [];
    let answered = Promise.withResolvers<void>();
    const count = ({ headers }: IncomingMessage, response: ServerResponse) => {
      const before = answeredCount;
      response.once('finish', () => {
        if (headers['x-api-key'] === key) answeredCount++;
        else {
          waits.push(answeredCount - before);
          answered.resolve();
        }
      });
    };
    const { server } = service.app;
    const modest = await connectClient(service);
    const greedy = await Promise.all(Array.from({ length: 50 }, () => connectClient(service)));
    server.on('request', count);
    for (const { socket } of greedy) socket.write(head('/v1/meta/catalogue', key).repeat(20));
    while (answeredCount < 900) {
      answered = Promise.withResolvers();
      modest.socket.write(head('/v1/meta/catalogue', service.key));
      await answered.promise;
    }
    server.off('request', count);
    expect(waits.length).toBeGreaterThan(5);
    expect(Math.max(...waits)).toBeLessThan(30);
  });

  it('close the connection with most of them where they are too long in all', async () => {
    const service = await open({ connectionsPerAddressMax: 2000, anonymousConnectionsMax: 2000 });
    const { connections, attempts } = service.services;
    attempts.begin = async () => async () => undefined;
    const release = blockSignIns(service);
    const wellBehaved = await connectClient(service);
    wellBehaved.socket.write(signIn + head('/v1/status'));
    await eventually(() => expect(connections.pipelinedCount).toBe(1));
    for (let at = 0; at < 300; at++) {
      (await connectClient(service)).socket.write(signIn + longHead(120_000));
    }
    await eventually(() => expect(closedFor(service, 'pipelined')).toBeGreaterThan(10));
    expect(wellBehaved.isClosed()).toBe(false);
    release();
    await eventually(() => expect(wellBehaved.text()).toMatch(/HTTP\/1\.1 200 /));
  });

  it('close a connection of the address with most of them, not the one with most', async () => {
    const service = await open({ pipelinedRequestsMax: 45 });
    const release = blockSignIns(service);
    service.services.attempts.begin = async () => async () => undefined;
    const waiting = async (localAddress: string, count: number) => {
      const client = await connectClient(service, localAddress);
      const { connections } = service.services;
      const before = connections.pipelinedCount;
      client.socket.write(signIn + head('/v1/status').repeat(count));
      await eventually(() => expect(connections.pipelinedCount).toBe(before + count));
      return client;
    };
    const modest = await waiting('127.0.0.2', 15);
    for (let at = 0; at < 3; at++) await waiting('127.0.0.3', 9);
    const last = await connectClient(service, '127.0.0.3');
    last.socket.write(signIn + head('/v1/status').repeat(9));
    await eventually(() => expect(closedFor(service, 'pipelined')).toBe(1));
    expect(modest.isClosed()).toBe(false);
    release();
    await eventually(() => expect(modest.text().match(/ 200 OK/g)).toHaveLength(15));
  });

  it('stay unread on many connections before one has to be closed', async () => {
    const service = await open({ pipelinedRequestsMax: 100 });
    service.services.attempts.begin = async () => async () => undefined;
    const release = blockSignIns(service);
    const clients = await Promise.all(Array.from({ length: 30 }, () => connectClient(service)));
    for (const { socket } of clients) socket.write(signIn + longHead(600).repeat(20));
    await pass(service);
    expect(closedFor(service, 'pipelined')).toBe(0);
    release();
    for (const client of clients) {
      await eventually(() => expect(client.text().match(/ 200 OK/g)).toHaveLength(20));
    }
  });

  it('close their connection where too many wait in all, and no other one', async () => {
    const service = await open({ pipelinedRequestsMax: 10 });
    const [other, client] = [await connectClient(service), await connectClient(service)];
    await ask(other, '/v1/status');
    client.socket.write(head('/v1/status').repeat(100));
    await eventually(() => expect(client.isClosed()).toBe(true));
    expect(closedFor(service, 'pipelined')).toBe(1);
    await ask(other, '/v1/status');
    expect(other.text().match(/ 200 OK/g)).toHaveLength(2);
    expect(service.services.connections.pipelinedCount).toBe(0);
  });
});

describe('connections', () => {
  it('are closed from the first that is too many of one address', async () => {
    const service = await open({ connectionsPerAddressMax: 2 });
    const [first, second] = [await connectClient(service), await connectClient(service)];
    await ask(first, '/v1/account/my', service.key);
    await ask(second, '/v1/account/my', service.key);
    const third = await connectClient(service);
    await eventually(() => expect(third.isClosed()).toBe(true));
    expect(closedFor(service, 'address')).toBe(1);
    first.socket.destroy();
    await eventually(() => expect(service.services.connections.count).toBe(1));
    await ask(await connectClient(service), '/v1/status');
  });

  it('on which nobody was let in give way, the oldest idle one first', async () => {
    const service = await open({ anonymousConnectionsMax: 2 });
    const known = await connectClient(service);
    await ask(known, '/v1/account/my', service.key);
    const [first, second] = [await connectClient(service), await connectClient(service)];
    await ask(first, '/v1/account/my', 'no key');
    const third = await connectClient(service);
    await eventually(() => expect(first.isClosed()).toBe(true));
    expect(closedFor(service, 'anonymous')).toBe(1);
    for (const client of [known, second, third]) await ask(client, '/v1/status');
  });

  it('from an authenticated client give way to nobody', async () => {
    const service = await open({ connectionsMax: 2 });
    const [first, second] = [await connectClient(service), await connectClient(service)];
    await ask(first, '/v1/account/my', service.key);
    const third = await connectClient(service);
    await eventually(() => expect(second.isClosed()).toBe(true));
    await ask(third, '/v1/account/my', service.key);
    const fourth = await connectClient(service);
    await eventually(() => expect(fourth.isClosed()).toBe(true));
    expect(closedFor(service, 'all')).toBe(2);
    for (const client of [first, third]) await ask(client, '/v1/status');
    expect(service.services.connections.count).toBe(2);
  });

  it('from a trusted proxy are limited by their number alone', async () => {
    const trustedProxies = [parseSubnet('127.0.0.0/8') as Subnet];
    const limits = { connectionsPerAddressMax: 1, anonymousConnectionsMax: 1, connectionsMax: 3 };
    const service = await open({ ...limits, trustedProxies });
    const clients = [];
    for (let at = 0; at < 3; at++) clients.push(await connectClient(service));
    for (const client of clients) await ask(client, '/v1/status');
    const fourth = await connectClient(service);
    await eventually(() => expect(fourth.isClosed()).toBe(true));
    expect(closedFor(service, 'all')).toBe(1);
  });

  it('are closed after their last answer once the server is to close, and new ones at once', async () => {
    const service = await open({ pageCacheBytes: 0 });
    const { connections } = service.services;
    const [idle, busy] = [await connectClient(service), await connectClient(service)];
    busy.socket.pause();
    busy.socket.write(head('/v1/openapi.json').repeat(40));
    await eventually(() => expect(connections.unsentAnswerCount).toBe(1));
    connections.closeWhenIdle();
    await eventually(() => expect(idle.isClosed()).toBe(true));
    const late = await connectClient(service);
    await eventually(() => expect(late.isClosed()).toBe(true));
    expect(busy.isClosed()).toBe(false);
    busy.socket.resume();
    await once(busy.socket, 'close');
    expect(busy.text().match(/HTTP\/1\.1 200 /g)).toHaveLength(40);
  });
});
