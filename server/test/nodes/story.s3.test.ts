/** The story of accounts on three servers behind a load balancer, PostgreSQL and object storage. */
import { afterAll, it } from 'vitest';
import { areSharedPlacesMissing, SharedPlaces } from '../objects/shared-places.ts';
import { isBalancerMissing } from './balanced-servers.ts';
import { useServers } from './start-service.ts';

if (areSharedPlacesMissing || isBalancerMissing())
  it.skip('is told where there are all parts', () => undefined);
else {
  const places = await SharedPlaces.start('balanced/accounts');
  useServers(3);
  afterAll(() => places.stop());
  await import('../story/story.test.ts');
}
