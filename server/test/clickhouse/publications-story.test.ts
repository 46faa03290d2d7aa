/**
 * The story of publications, unchanged, with accounts and ledger in PostgreSQL and the lake in a
 * ClickHouse cluster. A sample leaves it out: it has the data owner's story.
 */
import { afterAll, describe } from 'vitest';
import { SAMPLED_SHARE } from '../repetitions.ts';
import { usePostgresAndClickHouse } from './place.ts';

const stop = SAMPLED_SHARE < 1 ? null : await usePostgresAndClickHouse();
if (stop === null) {
  describe.skip('publications with PostgreSQL and ClickHouse', () => undefined);
} else {
  afterAll(stop);
  await import('../story/publications-story.test.ts');
}
