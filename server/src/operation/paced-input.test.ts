import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BIT_BYTES, PacedInput } from './paced-input.ts';

/** A socket whose parser notes what it is fed with. */
function feed(hasRoom: () => boolean) {
  const socket = new PassThrough({ highWaterMark: 1024 * 1024 });
  const parsed: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => parsed.push(bytes));
  const input = new PacedInput(socket as unknown as Socket, hasRoom);
  return { socket, input, parsed };
}

it('parses all that comes in, in its order', async () => {
  const { socket, parsed } = feed(() => true);
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  socket.write(bytes.subarray(0, 70_000));
  socket.write(bytes.subarray(70_000));
  await expect.poll(() => Buffer.concat(parsed).equals(bytes)).toBe(true);
});

it('parses a little in each turn of the event loop, so that others have theirs', async () => {
  const { socket, parsed } = feed(() => true);
  socket.write(Buffer.alloc(64 * BIT_BYTES));
  let [turns, most] = [0, 0];
  for (let before = 0; before < 64; turns++) {
    await nextTurn();
    most = Math.max(most, parsed.length - before);
    before = parsed.length;
  }
  expect(parsed.every(({ length }) => length === BIT_BYTES)).toBe(true);
  expect(most).toBeLessThanOrEqual(8);
  expect(turns).toBeGreaterThanOrEqual(8);
});

it('waits for room, and reads nothing after it is stopped', async () => {
  let hasRoom = true;
  const { socket, input, parsed } = feed(() => hasRoom && parsed.length < 2);
  socket.write(Buffer.alloc(10 * BIT_BYTES));
  await expect.poll(() => parsed.length).toBe(2);
  await nextTurn();
  expect(parsed).toHaveLength(2);
  hasRoom = false;
  parsed.length = 0;
  input.resume();
  await nextTurn();
  expect(parsed).toHaveLength(0);
  hasRoom = true;
  input.resume();
  await expect.poll(() => parsed.length).toBe(2);
  input.stop();
  parsed.length = 0;
  await nextTurn();
  await nextTurn();
  expect(parsed).toHaveLength(0);
  expect(socket.readableLength).toBe(0);
});
