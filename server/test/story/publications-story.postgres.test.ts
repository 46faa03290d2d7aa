/** The story of publications, as it is, with accounts, ledger and index in PostgreSQL. */
import { afterAll, describe } from 'vitest';
import { useStore } from '../place-of-tests.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';

if (isPostgresMissing()) {
  describe.skip('publications with PostgreSQL', () => undefined);
} else {
  const postgres = await TestPostgres.start();
  useStore(postgres.url(await postgres.newDatabase()));
  afterAll(() => postgres.remove());
  await import('./publications-story.test.ts');
}
