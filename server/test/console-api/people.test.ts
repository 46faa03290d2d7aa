/** Forms, scans and what owners watch, as people who are signed in meet them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContractService, TICK_PATH } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';

let service: TestService;
let member: Record<string, string>;
let owner: Record<string, string>;
beforeAll(async () => {
  service = await openContractService();
  member = await service.sessionOf(await service.addPerson('member', service.accountId));
  owner = await service.sessionOf(await service.addPerson('owner', null));
});
afterAll(() => service.close());

const ask = (url: string, headers: Record<string, string>) => service.app.inject({ url, headers });
const scanPath = TICK_PATH.replace('/data/', '/data-scan/');

describe('a person', () => {
  it('gets the form of a dataset with the rules of the own account', async () => {
    const url = '/v1/meta/datasets/US1032/query';
    const ofKey = (await service.get(url)).json();
    expect((await ask(url, member)).json()).toEqual(ofKey);
    expect(ofKey.is_entitled).toBe(true);
    const ofOwner = (await ask(url, owner)).json();
    expect(ofOwner).toEqual({
      ...ofKey,
      is_entitled: false,
      rules: [],
      variants: [{ ...ofKey.variants[0], is_entitled: false }],
    });
  });

  it('gets the scan of a page, uncounted, and no page where there is no account', async () => {
    const before = (await service.services.usage.counters.read(service.accountId)).month;
    const answer = await ask(scanPath, member);
    expect(answer.json()).toMatchObject({ dataset_id: 'US1032', rows_scanned: 5 });
    expect((await service.services.usage.counters.read(service.accountId)).month).toEqual(before);
    const page = await ask(TICK_PATH, member);
    expect(page.statusCode).toBe(200);
    const { scannedBytes, requests } = (
      await service.services.usage.counters.read(service.accountId)
    ).month;
    expect(requests).toBe(before.requests + 1);
    expect(scannedBytes - before.scannedBytes).toBe(answer.json().bytes_scanned);
    for (const path of [scanPath, TICK_PATH]) {
      const refused = await ask(path, owner);
      expect([refused.statusCode, refused.json()], path).toEqual([
        404,
        { detail: 'You do not belong to an account' },
      ]);
    }
  });

  it('sees publications and requests as an owner alone', async () => {
    const manager = await service.sessionOf(await service.addPerson('manager', service.accountId));
    for (const path of ['/v1/publication-status', '/v1/requests']) {
      for (const headers of [member, manager]) {
        const answer = await ask(path, headers);
        expect([answer.statusCode, answer.json()], path).toEqual([
          403,
          { detail: 'Only an administrator may do this' },
        ]);
      }
      expect((await ask(path, owner)).statusCode, path).toBe(200);
      expect((await ask(path, { cookie: 'ticklake_session=nobody' })).statusCode).toBe(401);
    }
  });

  it('is seen among the requests that were refused by the own account', async () => {
    await ask('/v1/data/us-equity/eq-taq/2025-06-18/AAA?People=1', member);
    await ask('/v1/data/us-equity/eq-taq/2025-06-18/AAA?People=1', owner);
    const { refused } = (await ask('/v1/requests', owner)).json();
    expect(refused[0]).toMatchObject({ identity_id: null, status: 404 });
    expect(refused[1]).toMatchObject({ identity_id: service.accountId, status: 422 });
  });

  it('is seen among the requests that run, with no word of the session', async () => {
    const personId = await service.addPerson('member', service.accountId);
    const headers = await service.sessionOf(personId);
    const { gate } = service.services;
    const releases: (() => void)[] = [];
    const turns = Array.from({ length: service.services.config.queriesMax }, (_, at) =>
      gate.run(
        900 + at,
        new AbortController().signal,
        () => new Promise<void>((resolve) => releases.push(resolve)),
      ),
    );
    const asked = ask(`${TICK_PATH}?limit=2`, headers);
    await expect.poll(() => gate.waitingCount).toBe(1);
    const board = await ask('/v1/requests', owner);
    expect(board.json().running).toMatchObject([
      { identity_id: service.accountId, key_id: null, person_id: personId, state: 'waiting' },
    ]);
    expect(board.body).not.toContain(headers['x-csrf-token']);
    expect(board.body).not.toContain(headers.cookie.slice('ticklake_session='.length));
    for (const release of releases) release();
    await Promise.all(turns);
    expect((await asked).statusCode).toBe(200);
  });
});
