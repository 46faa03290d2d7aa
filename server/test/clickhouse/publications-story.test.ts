/**
 * The story of publications, unchanged, with accounts and ledger in PostgreSQL and the lake in a
 * ClickHouse cluster.
 */
import { afterAll, describe } from 'vitest';
import { usePostgresAndClickHouse } from './place.ts';

const stop = await usePostgresAndClickHouse();
if (stop === null) {
  describe.skip('publications with PostgreSQL and ClickHouse', () => undefined);
} else {
  afterAll(stop);
  await import('../story/publications-story.test.ts');
}
