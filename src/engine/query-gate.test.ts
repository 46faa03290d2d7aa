import { describe, expect, it } from 'vitest';
import { QueryGate } from './query-gate.ts';

const never = new AbortController().signal;

function gatedWork() {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { finish, finished };
}

describe('QueryGate', () => {
  it('never runs more queries at once than allowed and runs the others in turn', async () => {
    const gate = new QueryGate({ queriesMax: 2, queueMax: 10 });
    let running = 0;
    let peak = 0;
    const order: number[] = [];
    const work = async (id: number) => {
      peak = Math.max(peak, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(id);
      running--;
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map((id) => gate.run(never, () => work(id))));
    expect(peak).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('answers 503 past its queue, and takes work again once there is room', async () => {
    const gate = new QueryGate({ queriesMax: 1, queueMax: 1 });
    const first = gatedWork();
    const running = gate.run(never, () => first.finished);
    const waiting = gate.run(never, async () => 'second');
    await expect(gate.run(never, async () => 'third')).rejects.toMatchObject({
      status: 503,
      detail: 'Service unavailable',
    });
    first.finish();
    await running;
    expect(await waiting).toBe('second');
    expect(await gate.run(never, async () => 'fourth')).toBe('fourth');
  });

  it('gives up the place of a caller who went away while waiting', async () => {
    const gate = new QueryGate({ queriesMax: 1, queueMax: 1 });
    const first = gatedWork();
    const running = gate.run(never, () => first.finished);
    const gone = new AbortController();
    const abandoned = gate.run(gone.signal, async () => 'abandoned');
    gone.abort(new Error('client went away'));
    await expect(abandoned).rejects.toThrow('client went away');
    const next = gate.run(never, async () => 'next');
    first.finish();
    await running;
    expect(await next).toBe('next');
  });
});
