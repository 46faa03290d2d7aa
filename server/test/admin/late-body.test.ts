import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writing } from '../writing.ts';
import { type AdminService, dumpOf, openAdminService } from './admin-service.ts';

let service: AdminService;
let port: number;
beforeAll(async () => {
  service = await openAdminService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

/** Lets the head of a change arrive, then does something else, and only then sends the body. */
async function changeWithLateBody(
  key: string,
  meanwhile: () => void | Promise<void>,
): Promise<string> {
  const body = JSON.stringify({ name: 'made by a late body' });
  const socket = connect(port, '127.0.0.1');
  const arrived = once(service.app.server, 'request');
  socket.write(
    `POST /v1/identities HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-KEY: ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await arrived;
  await meanwhile();
  socket.write(body);
  return await text(socket);
}

async function newAdmin(name: string) {
  const { store } = service.services;
  const admin = await service.addAccount(name);
  await writing(store).accounts.update(admin.accountId, { isAdmin: true });
  const [key] = await store.keys.listOf(admin.accountId);
  return { ...admin, keyId: key?.keyId as number };
}

type Admin = Awaited<ReturnType<typeof newAdmin>>;

it.each([
  [
    'key is deleted',
    401,
    ({ keyId }: Admin) => writing(service.services.store).keys.delete(keyId),
    'Invalid API key',
  ],
  [
    'account is deactivated',
    410,
    ({ accountId }: Admin) =>
      writing(service.services.store).accounts.update(accountId, { isActive: false }),
    'The account is deactivated',
  ],
  [
    'admin flag is taken away',
    403,
    ({ accountId }: Admin) =>
      writing(service.services.store).accounts.update(accountId, { isAdmin: false }),
    'Only an administrator may do this',
  ],
])('changes nothing when the %s before the body is there', async (what, status, revoke, detail) => {
  const admin = await newAdmin(what);
  let before = '';
  const answer = await changeWithLateBody(admin.key, async () => {
    await revoke(admin);
    before = dumpOf(service.services.config.home);
  });
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toContain(JSON.stringify({ detail }));
  expect(dumpOf(service.services.config.home)).toBe(before);
});

it('does what a late body asks for when its sender may still ask', async () => {
  const answer = await changeWithLateBody(service.admin.key, () => {});
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
});
