/** Log lines of requests not answered with a 200: `error` only if the server is at fault. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '../eventually.ts';
import { connectTo } from '../exchange-bytes.ts';
import type { TestService } from '../harness.ts';
import { DAILY_PATH, openContractService } from './fixture.ts';

let service: TestService;
let lines: Record<string, unknown>[];
beforeEach(async () => {
  lines = [];
  service = await openContractService({ logLevel: 'info', queriesMax: 1, queueMax: 1 });
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)));
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
});

/** Takes the only turn, so that every request has to wait. */
function takeTurn(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  void service.services.gate.run(0, new AbortController().signal, () => promise);
  return resolve;
}

const levelOf = (status: number) =>
  lines.filter((line) => line.status === status).map(({ level }) => level);

it('is an error with its stack when the engine fails', async () => {
  await service.services.engine.close();
  expect((await service.get(DAILY_PATH)).statusCode).toBe(500);
  const [error] = lines.filter(({ level }) => level === 'error');
  expect(error).toMatchObject({ msg: 'request failed', err: { stack: expect.any(String) } });
});

it('names the setting when the engine is out of memory, and asks the caller to come back', async () => {
  const cause = new Error('Out of Memory Error: could not allocate block of size 256.0 KiB');
  vi.spyOn(service.services.engine, 'scan').mockImplementationOnce(() => {
    throw new Error('the engine failed to read it', { cause });
  });
  expect((await service.get(DAILY_PATH)).statusCode).toBe(503);
  const [error] = lines.filter(({ level }) => level === 'error');
  expect(error?.msg).toMatch(/out of memory; raise TICKLAKE_ENGINE_MEMORY_MB$/);
});

it('is a line about the client that went away', async () => {
  const finish = takeTurn();
  const socket = await connectTo(service);
  socket.write(`GET ${DAILY_PATH} HTTP/1.1\r\nhost: h\r\nx-api-key: ${service.key}\r\n\r\n`);
  await eventually(() => expect(service.services.gate.waitingCount).toBe(1));
  socket.destroy();
  await eventually(() => expect(levelOf(499)).toEqual(['info']));
  finish();
  expect(lines.every(({ level, err }) => level === 'info' && err === undefined)).toBe(true);
});

it('is no error when an outsider cuts off a body', async () => {
  const socket = await connectTo(service);
  const head = 'POST /v1/session HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n';
  socket.write(`${head}content-length: 1000\r\n\r\n{"email":`);
  await eventually(() => expect(service.services.board.running()).toHaveLength(1));
  socket.destroy();
  await eventually(() => expect(levelOf(499)).toEqual(['info']));
  await eventually(() => expect(service.services.board.running()).toHaveLength(0));
  expect(lines.every(({ level, err }) => level === 'info' && err === undefined)).toBe(true);
});

it('is a warning without a stack when there are too many queries or they take too long', async () => {
  const finish = takeTurn();
  const { config, gate } = service.services;
  const { queryTimeoutMs } = config;
  Object.assign(config, { queryTimeoutMs: 50 });
  expect((await service.get(DAILY_PATH)).statusCode).toBe(504);
  // From here on what waits has time.
  Object.assign(config, { queryTimeoutMs });
  const waiting = service.get(DAILY_PATH);
  await eventually(() => expect(gate.waitingCount).toBe(1));
  expect((await service.get(DAILY_PATH)).statusCode).toBe(503);
  finish();
  expect((await waiting).statusCode).toBe(200);
  for (const status of [503, 504]) expect(levelOf(status).sort()).toEqual(['info', 'warn']);
  expect(lines.filter(({ level, err }) => level === 'error' || err !== undefined)).toEqual([]);
});
