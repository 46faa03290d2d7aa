/** The data owner's story, as it is, with the accounts in PostgreSQL. */
import { afterAll, describe } from 'vitest';
import { useStore } from '../place-of-tests.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';

if (isPostgresMissing()) {
  describe.skip('a data owner with PostgreSQL', () => undefined);
} else {
  const postgres = await TestPostgres.start();
  useStore(postgres.url(await postgres.newDatabase()));
  afterAll(() => postgres.remove());
  await import('./story.test.ts');
}
