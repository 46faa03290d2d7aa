/** Clients that ask often and never read neither exhaust memory nor block answers to others. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONSOLE_FOLDER } from '../../src/base/installation.ts';
import { sampleOf } from '../repetitions.ts';
import { flood } from './flood.ts';
import { type Home, makeHome, startServer } from './server-process.ts';

const MEGABYTE = 1024 * 1024;
/** As the documents promise; buffering a flood would take tens of gigabytes. */
const MEMORY_MAX = 700 * MEGABYTE;

/** Path of the console's largest file; if no console was built, the path of a missing one. */
function largestAsset(): string {
  const folder = join(CONSOLE_FOLDER, 'assets');
  if (!existsSync(folder)) return '/console/assets/not-built.js';
  const size = (name: string) => statSync(join(folder, name)).size;
  return `/console/assets/${readdirSync(folder).toSorted((a, b) => size(b) - size(a))[0]}`;
}

let home: Home;
beforeAll(async () => {
  home = await makeHome(100, 100);
});
afterAll(() => home.remove());

const TARGETS = [
  ['the OpenAPI document', '/v1/openapi.json'],
  ["the console's largest file", largestAsset()],
  ['the status', '/v1/status'],
  ['a 404', '/nothing'],
  ['a 422', '/v1/status?no=1'],
  ['a 422 about thousands of parameters', `/v1/status?${'a&'.repeat(8000)}`],
] as const;

describe.skipIf(!existsSync('/proc/self/status')).each([
  { connectionCount: 60, requestCount: 2000 },
  { connectionCount: 6, requestCount: 20_000 },
])('$connectionCount connections of $requestCount requests (on Linux)', (size) => {
  it.each(sampleOf(TARGETS, { offset: size.connectionCount > 6 ? 1 : 0 }))(
    'for %s are borne',
    async (_, target) => {
      const server = await startServer(home);
      try {
        const { peakBytes, otherStatuses } = await flood(server, { ...size, target });
        expect(peakBytes).toBeLessThan(MEMORY_MAX);
        expect([...otherStatuses]).toEqual([200]);
      } finally {
        // The next one needs the home.
        server.child.kill('SIGKILL');
        await server.ended;
      }
    },
  );
});
