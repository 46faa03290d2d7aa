import { afterAll, beforeAll, describe } from 'vitest';
import { useStore } from '../place-of-tests.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { testKilledDownloads } from './killed-downloads.ts';

describe.skipIf(isPostgresMissing())('with a store in PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await TestPostgres.start();
    useStore(postgres.url(await postgres.newDatabase()));
  });
  afterAll(() => postgres?.remove());

  testKilledDownloads();
});
