import { EventEmitter, once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { parseSubnet, type Subnet } from '../access/subnet.ts';
import {
  affordableConnections,
  type ConnectionLimits,
  clientOf,
  isOutOfFiles,
  OpenConnections,
  openFilesMax,
} from './open-connections.ts';

describe('affordableConnections', () => {
  it('leaves half of the open files to other things', () => {
    expect(affordableConnections(4096, 1024)).toBe(512);
    expect(affordableConnections(100, 1024)).toBe(100);
    expect(affordableConnections(4096, 1)).toBe(1);
    expect(affordableConnections(4096, Number.POSITIVE_INFINITY)).toBe(4096);
  });
});

describe('openFilesMax', () => {
  it('is what the system says, or no limit', () => {
    expect(openFilesMax()).toBeGreaterThan(20);
  });
});

describe('isOutOfFiles', () => {
  it('knows it from a code or a text, also of what caused the error', () => {
    const coded = Object.assign(new Error('open failed'), { code: 'EMFILE' });
    expect(isOutOfFiles(coded)).toBe(true);
    expect(isOutOfFiles(new Error('IO Error: Cannot open file: Too many open files'))).toBe(true);
    expect(isOutOfFiles(new Error('failed to read', { cause: coded }))).toBe(true);
  });

  it('takes nothing else for it', () => {
    for (const error of [new Error('no such file'), new Error('a', { cause: 'EMFILE' }), null, 5]) {
      expect(isOutOfFiles(error)).toBe(false);
    }
  });
});

const TRUSTED = ['10.0.0.0/8', 'fd00::/8'].map((text) => parseSubnet(text) as Subnet);

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
  ['2001:db8:0:1:ffff::8', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::7', '2001:db8:0:2::/64'],
  ['10.0.0.1', null],
  ['fd00::1', null],
  [undefined, 'unknown'],
])('the connections of %s are limited as those of %s', (remoteAddress, client) => {
  expect(clientOf(remoteAddress, TRUSTED)).toBe(client);
});

const LIMITS: ConnectionLimits = {
  connectionsMax: 100,
  connectionsPerAddressMax: 100,
  anonymousConnectionsMax: 100,
  pipelinedRequestsMax: 100,
  trustedProxies: [],
};

it('closes a connection itself after its last answer, and new ones at once, while it closes', () => {
  const connections = new OpenConnections(LIMITS);
  const server = new EventEmitter() as Server;
  connections.watch(server);
  const [socket, late] = [new Socket(), new Socket()];
  for (const each of [socket, late]) each.on('data', () => undefined);
  const end = vi.spyOn(socket, 'destroySoon');
  server.emit('connection', socket);
  const request = new IncomingMessage(socket);
  const [first, last] = [new ServerResponse(request), new ServerResponse(request)];
  const listen = connections.inTurn(() => undefined);
  listen(request, first);
  first.emit('close');
  listen(request, last);
  connections.closeWhenIdle();
  server.emit('connection', late);
  expect([late.destroyed, connections.count]).toEqual([true, 1]);
  expect(end).not.toHaveBeenCalled();
  last.emit('close');
  expect(end).toHaveBeenCalledOnce();
});

it('begins few costly requests in one turn of the event loop, so that others have theirs', async () => {
  const connections = new OpenConnections(LIMITS);
  vi.useFakeTimers({ toFake: ['performance'] });
  const held: ServerResponse[] = [];
  let begun = 0;
  const listener = (_request: unknown, response: ServerResponse) => {
    begun++;
    if (held.length < 10) held.push(response);
    else {
      vi.advanceTimersByTime(3);
      response.end();
    }
  };
  const server = createServer(connections.inTurn(listener));
  connections.watch(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 10 }, (): Socket => connect(port, '127.0.0.1'));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
  await expect.poll(() => [held.length, connections.pipelinedCount]).toEqual([10, 10]);
  // Ten requests have their turn at once.
  for (const response of held) response.end();
  let most = 0;
  for (let before = begun; begun < 20; before = begun) {
    await nextTurn();
    most = Math.max(most, begun - before);
  }
  expect(most).toBeLessThanOrEqual(2);
  for (const socket of sockets) socket.destroy();
  server.close();
  vi.useRealTimers();
});
