/** The story of publications, told to three servers behind a load balancer, with PostgreSQL and object storage. */
import { afterAll, it } from 'vitest';
import { TestObjectStore } from '../objects/start-object-store.ts';
import { areNodesMissing } from '../objects/three-nodes.ts';
import { useStore } from '../place-of-tests.ts';
import { TestPostgres } from '../postgres/start-postgres.ts';
import { isBalancerMissing } from './balanced-servers.ts';
import { useServers } from './start-service.ts';

if (areNodesMissing || isBalancerMissing())
  it.skip('is told where there are all parts', () => undefined);
else {
  const objects = await TestObjectStore.start();
  const postgres = await TestPostgres.start();
  Object.assign(process.env, objects.environment('balanced/publications'));
  useStore(postgres.url(await postgres.newDatabase()));
  useServers(3);
  afterAll(async () => {
    await objects.stop();
    await postgres.remove();
  });
  await import('../story/publications-story.test.ts');
}
