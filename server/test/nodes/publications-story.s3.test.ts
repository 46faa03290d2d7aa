/**
 * The story of publications on three servers behind a load balancer, PostgreSQL and object storage.
 */
import { afterAll, it } from 'vitest';
import { areSharedPlacesMissing, SharedPlaces } from '../objects/shared-places.ts';
import { isBalancerMissing } from './balanced-servers.ts';
import { useServers } from './start-service.ts';

if (areSharedPlacesMissing || isBalancerMissing())
  it.skip('is told where there are all parts', () => undefined);
else {
  const places = await SharedPlaces.start('balanced/publications');
  useServers(3);
  afterAll(() => places.stop());
  await import('../story/publications-story.test.ts');
}
