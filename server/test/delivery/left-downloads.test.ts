/** Downloads whose clients go away, over connections of their own. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openQuotaService, type QuotaService } from '../quota/quota-service.ts';

let service: QuotaService;
let port: number;

beforeAll(async () => {
  service = await openQuotaService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

/** Asks for a path, and goes away when `begun` resolves. */
async function askAndLeave(path: string, begun: Promise<void>): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await begun;
  socket.destroy();
}

async function pathOfLink(): Promise<string> {
  const [file] = (await service.get('/v1/bulk/us-equity/eq-taq')).json().files;
  return new URL(file.url).pathname;
}

it('a client that leaves while its link is judged keeps no bytes reserved', async () => {
  const path = await pathOfLink();
  const before = await service.used();
  const { lake, usage } = service.services;
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const { snapshotAt } = lake;
  const planning = vi.spyOn(lake, 'snapshotAt').mockImplementationOnce(async (...asked) => {
    begun.resolve();
    await left.promise;
    return snapshotAt.apply(lake, asked);
  });
  await askAndLeave(path, begun.promise);
  await expect.poll(() => usage.reservedCount).toBe(0);
  left.resolve();
  await planning.mock.results[0]?.value;
  await sleep(50);
  const after = await service.used();
  expect(after.month.requests).toBe(before.month.requests + 1);
  expect(after.month.returnedBytes).toBe(before.month.returnedBytes);
});
