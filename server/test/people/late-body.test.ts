import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dumpOf } from '../admin/admin-service.ts';
import { writing } from '../writing.ts';
import { openPeopleService, type PeopleService } from './people-service.ts';

let service: PeopleService;
beforeAll(async () => {
  service = await openPeopleService();
});
afterAll(() => service.close());

/** Lets the head of a change arrive, then does something else, and only then sends the body. */
async function makeKeyLate(
  personId: number,
  meanwhile: () => void | Promise<void>,
): Promise<string> {
  const body = JSON.stringify({ name: 'made by a late body', expires_in: '1d' });
  const headers = Object.entries(await service.sessionOf(personId)).map(
    ([n, v]) => `${n}: ${v}\r\n`,
  );
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const arrived = once(service.app.server, 'request');
  socket.write(
    `POST /v1/account/my/api-keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers.join('')}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await arrived;
  await meanwhile();
  socket.write(body);
  return await text(socket);
}

it.each([
  ['session has ended', 401, (id: number) => writing(service.services.store).sessions.endAllOf(id)],
  [
    'person is deactivated',
    401,
    (id: number) => writing(service.services.store).people.update(id, { isActive: false }),
  ],
  [
    'role is another',
    403,
    (id: number) => writing(service.services.store).people.update(id, { role: 'member' }),
  ],
])('changes nothing when the %s before the body is there', async (_, status, revoke) => {
  const personId = await service.addPerson('manager', service.accountId);
  let before = '';
  const answer = await makeKeyLate(personId, async () => {
    await revoke(personId);
    before = dumpOf(service.services.config.home);
  });
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(dumpOf(service.services.config.home)).toBe(before);
});

it('changes the account that the person belongs to when the body is there', async () => {
  const { store } = service.services;
  const other = (await service.addAccount('moved to')).accountId;
  const personId = await service.addPerson('manager', service.accountId);
  const before = await store.keys.listOf(service.accountId);
  const answer = await makeKeyLate(personId, () =>
    writing(store).people.update(personId, { accountId: other }),
  );
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(await store.keys.listOf(service.accountId)).toEqual(before);
  expect((await store.keys.listOf(other)).map(({ name }) => name)).toContain('made by a late body');
});
