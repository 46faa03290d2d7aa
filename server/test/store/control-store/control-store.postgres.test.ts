import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../src/store/store-errors.ts';
import { isPostgresMissing, TestPostgres } from '../../postgres/start-postgres.ts';
import { testControlStore } from './conformance.ts';
import { openStore } from './postgres-store.ts';

describe.skipIf(isPostgresMissing())('the control store in PostgreSQL', () => {
  let server: TestPostgres;

  beforeAll(async () => {
    server = await TestPostgres.start();
  });

  afterAll(async () => {
    await server?.remove();
  });

  testControlStore({
    module: join(import.meta.dirname, 'postgres-store.ts'),
    openStore,
    newLocation: async () => server.url(await server.newDatabase()),
    remove: (location) => server.emptyDatabase(new URL(location).pathname.slice(1)),
  });

  it('gives up a server that does not answer after two seconds, not after those of a statement', async () => {
    const store = await openStore(server.url(await server.newDatabase()));
    await store.catchUp();
    server.freeze();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (const ask of [() => store.catchUp(), () => store.transaction(async () => undefined)]) {
        const timers = vi.spyOn(globalThis, 'setTimeout');
        const refused = expect(ask()).rejects.toThrow(StoreUnavailableError);
        // Other files of this process may have left timers, too.
        await expect.poll(() => timers.mock.calls.map(([, delay]) => delay)).toContain(2000);
        timers.mockRestore();
        await vi.advanceTimersByTimeAsync(2000);
        await refused;
      }
    } finally {
      vi.useRealTimers();
      server.thaw();
      await store.close();
    }
  });
});
