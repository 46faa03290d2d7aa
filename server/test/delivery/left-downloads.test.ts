/** Downloads that wait, and whose clients go away meanwhile or lose what they may read. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openQuotaService, type QuotaService } from '../quota/quota-service.ts';
import { writing } from '../writing.ts';

let service: QuotaService;
let port: number;

beforeAll(async () => {
  service = await openQuotaService({ queriesMax: 1 });
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
  await expect.poll(() => usage.counters.reservedCount).toBe(0);
  left.resolve();
  await planning.mock.results[0]?.value;
  // A later request of another account is answered.
  const { key } = await service.addAccount('another account');
  await service.app.inject({ url: '/v1/account/my', headers: { 'x-api-key': key } });
  const after = await service.used();
  expect(after.month.requests).toBe(before.month.requests + 1);
  expect(after.month.returnedBytes).toBe(before.month.returnedBytes);
});

it('a file that was waited for is not made for whoever has lost its rules meanwhile', async () => {
  const path = await pathOfLink();
  const { gate, files, engine, store } = service.services;
  // Forces the file to be made anew.
  files.close();
  const turn = Promise.withResolvers<void>();
  const holding = gate.run(0, new AbortController().signal, () => turn.promise);
  const asked = service.app.inject({ url: path });
  await expect.poll(() => gate.waitingCount).toBe(1);
  const { datasetId } = service.dataset('eq_taq');
  for (const { ruleId } of store.replica.rulesOfDataset(service.accountId, datasetId)) {
    await writing(store).rules.delete(ruleId);
  }
  const making = vi.spyOn(engine, 'parquet');
  turn.resolve();
  await holding;
  expect((await asked).statusCode).toBe(403);
  expect(making).not.toHaveBeenCalled();
});
