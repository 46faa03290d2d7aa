import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/routes/endpoints.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService } from './fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

/** Headers that keep an answer out of a cache that knows nothing of keys and cookies. */
async function cachingOf(url: string, headers: Record<string, string>) {
  const answer = await service.app.inject({ url, headers });
  return { status: answer.statusCode, caching: answer.headers['cache-control'] };
}

const OWN_HEADERS = {
  vary: expect.stringMatching(
    /^Origin, X-API-KEY, Cookie(, Accept, Accept-Encoding|, Authorization)?$/,
  ),
  'x-content-type-options': 'nosniff',
};

const KEYED_PATHS = ENDPOINTS.filter(({ isPublic, method }) => !isPublic && method === 'GET').map(
  ({ path }) => `/v1${path.replaceAll(/:\w+/g, '1')}`,
);

describe('an answer that depends on who asks', () => {
  it('says so, and is taken for what it is, with or without success', async () => {
    const owner = await service.sessionOf(await service.addPerson('owner', null));
    for (const headers of [{ 'x-api-key': service.key }, { 'x-api-key': 'none' }, owner]) {
      for (const url of [...KEYED_PATHS, DAILY_PATH, '/v1/session']) {
        const answer = await service.app.inject({ url, headers });
        expect(answer.headers, url).toMatchObject(OWN_HEADERS);
      }
    }
  });
});

describe('a cache between clients and the service', () => {
  it('keeps no answer to a key, with or without success', async () => {
    expect(KEYED_PATHS.length).toBeGreaterThan(20);
    await writing(service.services.store).accounts.update(service.accountId, { isAdmin: true });
    for (const url of [...KEYED_PATHS, DAILY_PATH, '/v1/meta/datasets/US1032/query']) {
      const { caching } = await cachingOf(url, { 'x-api-key': service.key });
      expect(['no-store', 'private, no-cache'], url).toContain(caching);
    }
    expect(await cachingOf('/v1/account/my', { 'x-api-key': service.key })).toEqual({
      status: 200,
      caching: 'no-store',
    });
  });

  it('keeps no refusal, which others would be answered with', async () => {
    const { store } = service.services;
    const ended = await service.addAccount('ended');
    await writing(store).accounts.update(ended.accountId, { isActive: false });
    const elsewhere = await service.addAccount('elsewhere');
    await writing(store).accounts.update(elsewhere.accountId, { ipSubnets: ['203.0.113.0/24'] });
    const owner = await service.sessionOf(await service.addPerson('owner', null));
    for (const [url, headers, status] of [
      ['/v1/account/my', {}, 401],
      ['/v1/account/my', { 'x-api-key': ended.key }, 410],
      [DAILY_PATH, { 'x-api-key': elsewhere.key }, 403],
      [DAILY_PATH, owner, 404],
    ] as const) {
      const answer = await cachingOf(url, headers);
      expect(answer, url).toEqual({ status, caching: 'no-store' });
    }
  });
});
