/** Clients that ask often and read nothing neither fill the memory nor keep others from answers. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flood } from './flood.ts';
import { type Home, makeHome, startServer } from './server-process.ts';

const MEGABYTE = 1024 * 1024;

let home: Home;
beforeAll(async () => {
  home = await makeHome(100, 100);
});
afterAll(() => home.remove());

describe.skipIf(!existsSync('/proc/self/status'))('a flood that nobody reads (on Linux)', () => {
  it('leaves the memory within bounds, and others are answered', async () => {
    const server = await startServer(home);
    const attack = { connectionCount: 12, requestCount: 3000, target: '/v1/openapi.json' };
    const { peakBytes, otherStatuses } = await flood(server, attack);
    expect(peakBytes).toBeLessThan(700 * MEGABYTE);
    expect([...otherStatuses]).toEqual([200]);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});
