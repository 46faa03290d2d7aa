import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
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
    remove: (location) =>
      server.dropDatabase(new URL(location.replace('@/', '@x/')).pathname.slice(1)),
  });
});
