import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AnswerRoom, QueryGate, type QueryGateOptions } from './query-gate.ts';

const never = new AbortController().signal;
const ANYONE = 1;
const [HEAVY, LIGHT, OTHER] = [1, 2, 3] as const;

const ENDLESS_ROOM: AnswerRoom = { hasRoom: () => true, onFreed: () => undefined };

/** A gate without bounds but those given. */
function openGate(options: Partial<QueryGateOptions>, room = ENDLESS_ROOM): QueryGate {
  return new QueryGate(
    { queriesMax: 100, queueMax: 100, queuePerAccountMax: 100, ...options },
    room,
  );
}

function gatedWork() {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { finish, finished };
}

/** Starts a query that goes on until it is told to finish, and notes that it got its turn. */
function startWork(gate: QueryGate, accountId: number, started: number[]) {
  const { finish, finished } = gatedWork();
  const done = gate.run(accountId, never, () => {
    started.push(accountId);
    return finished;
  });
  return {
    finish: async () => {
      finish();
      await done;
    },
    done,
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('QueryGate', () => {
  it('never runs more queries at once than allowed and runs the others in turn', async () => {
    const gate = openGate({ queriesMax: 2 });
    let running = 0;
    let peak = 0;
    const order: number[] = [];
    const work = async (id: number) => {
      peak = Math.max(peak, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(id);
      running--;
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map((id) => gate.run(ANYONE, never, () => work(id))));
    expect(peak).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('refuses past its queue, and takes work again once there is room', async () => {
    const gate = openGate({ queriesMax: 1, queueMax: 1 });
    const first = gatedWork();
    const running = gate.run(ANYONE, never, () => first.finished);
    const waiting = gate.run(ANYONE, never, async () => 'second');
    await expect(gate.run(ANYONE, never, async () => 'third')).rejects.toMatchObject({
      kind: 'unavailable',
      detail: 'Service unavailable',
    });
    expect(gate.refusedCount).toBe(1);
    first.finish();
    await running;
    expect(await waiting).toBe('second');
    expect(await gate.run(ANYONE, never, async () => 'fourth')).toBe('fourth');
  });

  it('gives up the place of a caller who went away while waiting', async () => {
    const gate = openGate({ queriesMax: 1, queueMax: 1 });
    const first = gatedWork();
    const running = gate.run(ANYONE, never, () => first.finished);
    const gone = new AbortController();
    const abandoned = gate.run(LIGHT, gone.signal, async () => 'abandoned');
    expect(gate.waitingCount).toBe(1);
    gone.abort(new Error('client went away'));
    await expect(abandoned).rejects.toThrow('client went away');
    expect(gate.waitingCount).toBe(0);
    const next = gate.run(OTHER, never, async () => 'next');
    first.finish();
    await running;
    expect(await next).toBe('next');
  });

  it('gives no turn to a caller who went away before asking', async () => {
    const gate = openGate({});
    const gone = AbortSignal.abort(new Error('client went away'));
    let isRun = false;
    const asked = gate.run(ANYONE, gone, async () => {
      isRun = true;
    });
    await expect(asked).rejects.toThrow('client went away');
    expect([isRun, gate.runningCount]).toEqual([false, 0]);
  });

  it('runs one large query at a time, and others beside it', async () => {
    const gate = openGate({ queriesMax: 3 });
    const started: string[] = [];
    const start = (name: string, accountId: number, signal = never) => {
      const { finish, finished } = gatedWork();
      const isLarge = name.startsWith('large');
      const work = () => {
        started.push(name);
        return finished;
      };
      return { finish, done: gate.run(accountId, signal, work, isLarge) };
    };
    const first = start('large 1', HEAVY);
    const gone = new AbortController();
    const left = start('large 2', HEAVY, gone.signal);
    const later = [start('large 3', HEAVY), start('small 4', HEAVY), start('large 5', LIGHT)];
    expect([gate.runningCount, gate.waitingCount]).toEqual([2, 3]);
    gone.abort(new Error('client went away'));
    await expect(left.done).rejects.toThrow('client went away');
    first.finish();
    await first.done;
    expect([gate.runningCount, gate.waitingCount]).toEqual([2, 1]);
    for (const { finish, done } of later.reverse()) {
      finish();
      await done;
    }
    expect(started).toEqual(['large 1', 'small 4', 'large 5', 'large 3']);
    expect([gate.runningCount, gate.waitingCount]).toEqual([0, 0]);
  });

  describe('keeps the turn of a large query free', () => {
    /** Queries of two accounts, which may run one each. */
    function startNamed() {
      const room = { hasRoom: (_accountId: number) => true, onFreed: () => undefined };
      const gate = openGate({ queriesMax: 3 }, room);
      const started: string[] = [];
      const start = (name: string, accountId: number, signal = never) => {
        const { finish, finished } = gatedWork();
        const work = () => {
          started.push(name);
          return finished;
        };
        const done = gate.run(accountId, signal, work, name.startsWith('large'));
        done.catch(() => undefined);
        return async () => {
          finish();
          await done;
        };
      };
      return { gate, room, start, started };
    }

    it('for the account that has waited longest, though it always has others', async () => {
      const { gate, start, started } = startNamed();
      const [endLarge, endSmall] = [start('large 1', HEAVY), start('small 2', LIGHT)];
      const [end3, end4] = [start('large 3', LIGHT), start('large 4', HEAVY)];
      const [end5, end6] = [start('small 5', LIGHT), start('small 6', HEAVY)];
      await endLarge();
      const end7 = start('large 7', HEAVY);
      await nextTurn();
      expect(started).toEqual(['large 1', 'small 2', 'small 6']);
      await endSmall();
      for (const end of [end3, end6, end4, end5, end7]) await end();
      expect(started.slice(3)).toEqual(['large 3', 'small 5', 'large 4', 'large 7']);
      expect([gate.runningCount, gate.waitingCount]).toEqual([0, 0]);
    });

    it('for nobody who goes away or leaves answers unread', async () => {
      const { gate, room, start, started } = startNamed();
      const first = start('large 1', HEAVY);
      const gone = new AbortController();
      const ends = [start('small 2', LIGHT), start('large 3', HEAVY)];
      start('large 4', LIGHT, gone.signal);
      await first();
      await nextTurn();
      expect(started).toEqual(['large 1', 'small 2']);
      gone.abort(new Error('client went away'));
      await nextTurn();
      expect(started.slice(2)).toEqual(['large 3']);
      const left = start('large 5', LIGHT);
      await ends[1]?.();
      room.hasRoom = (accountId) => accountId === HEAVY;
      ends[1] = start('large 6', HEAVY);
      await nextTurn();
      expect(started.slice(3)).toEqual(['large 6']);
      room.hasRoom = () => true;
      for (const end of [...ends, left]) await end();
      expect([gate.runningCount, gate.waitingCount]).toEqual([0, 0]);
    });
  });

  it.each([
    [1, 1],
    [3, 1],
    [7, 2],
  ])('of %i queries runs %i large ones', async (queriesMax, largeMax) => {
    const gate = openGate({ queriesMax });
    const { finish, finished } = gatedWork();
    const all = Array.from({ length: 9 }, () => gate.run(ANYONE, never, () => finished, true));
    expect(gate.runningCount).toBe(largeMax);
    finish();
    await Promise.all(all);
  });

  it('passes the turn of work that fails on', async () => {
    const gate = openGate({ queriesMax: 1 });
    const failing = gate.run(ANYONE, never, () => Promise.reject(new Error('broken')));
    const next = gate.run(ANYONE, never, async () => 'next');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
    expect([gate.runningCount, gate.waitingCount]).toEqual([0, 0]);
  });
});

describe('QueryGate between identities', () => {
  afterEach(() => void vi.useRealTimers());

  it('gives every turn to one that is alone', async () => {
    const gate = openGate({ queriesMax: 3 });
    const started: number[] = [];
    const heavy = [1, 2, 3, 4].map(() => startWork(gate, HEAVY, started));
    await nextTurn();
    expect([gate.runningCount, gate.waitingCount]).toEqual([3, 1]);
    for (const work of heavy) await work.finish();
  });

  it('keeps a turn free for one that asks again soon, and not for longer', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const gate = openGate({ queriesMax: 3 });
    const started: number[] = [];
    const heavy = [1, 2, 3, 4, 5, 6, 7].map(() => startWork(gate, HEAVY, started));
    const first = startWork(gate, LIGHT, started);
    await nextTurn();
    await heavy[0]?.finish();
    await first.finish();
    await heavy[1]?.finish();
    expect(started).toEqual([HEAVY, HEAVY, HEAVY, LIGHT]);
    await startWork(gate, LIGHT, started).finish();
    expect(started).toEqual([HEAVY, HEAVY, HEAVY, LIGHT, LIGHT]);
    vi.advanceTimersByTime(1001);
    await heavy[2]?.finish();
    await nextTurn();
    expect(gate.runningCount).toBe(3);
    for (const work of heavy) await work.finish();
    expect(gate.runningCount).toBe(0);
  });

  it('gives the next turn to whoever runs least, however many others wait', async () => {
    const gate = openGate({ queriesMax: 2 });
    const started: number[] = [];
    const heavy = Array.from({ length: 50 }, () => startWork(gate, HEAVY, started));
    const light = startWork(gate, LIGHT, started);
    await nextTurn();
    await heavy[0]?.finish();
    await nextTurn();
    expect(started).toEqual([HEAVY, HEAVY, LIGHT]);
    await light.finish();
    for (const work of heavy) await work.finish();
  });

  it('serves identities that wait in turn, each in the order of its own queries', async () => {
    const gate = openGate({ queriesMax: 1 });
    const started: string[] = [];
    const ask = (name: string, accountId: number) =>
      gate.run(accountId, never, async () => {
        started.push(name);
        await nextTurn();
      });
    await Promise.all([
      ask('a1', HEAVY),
      ask('a2', HEAVY),
      ask('a3', HEAVY),
      ask('a4', HEAVY),
      ask('b1', LIGHT),
      ask('b2', LIGHT),
      ask('c1', OTHER),
    ]);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('keeps room in the queue that one account alone may not fill', async () => {
    const gate = openGate({ queriesMax: 1, queueMax: 4, queuePerAccountMax: 2 });
    const started: number[] = [];
    const heavy = [1, 2, 3].map(() => startWork(gate, HEAVY, started));
    await expect(gate.run(HEAVY, never, async () => {})).rejects.toMatchObject({
      kind: 'unavailable',
    });
    const light = gate.run(LIGHT, never, async () => 'light');
    expect(gate.waitingCount).toBe(3);
    for (const work of heavy) await work.finish();
    expect(await light).toBe('light');
  });

  it('gives an account without room for answers no turn until it has some, and others theirs', async () => {
    const full = new Set<number>([HEAVY]);
    let freed = () => {};
    const hasRoom = (accountId: number) => !full.has(accountId);
    const onFreed = (listener: () => void) => {
      freed = listener;
    };
    const gate = openGate({ queriesMax: 4 }, { hasRoom, onFreed });
    const started: number[] = [];
    const [waiting, light] = [HEAVY, LIGHT].map((each) => startWork(gate, each, started));
    await light!.finish();
    expect([started, gate.waitingCount]).toEqual([[LIGHT], 1]);
    full.clear();
    freed();
    await nextTurn();
    expect([started, gate.waitingCount]).toEqual([[LIGHT, HEAVY], 0]);
    await waiting!.finish();
  });

  it('counts and ends right under many arrivals, failures and departures', async () => {
    vi.useFakeTimers();
    const gate = openGate({ queriesMax: 3, queueMax: 12 });
    let total = 0;
    const outcomes = { done: 0, failed: 0, gone: 0, refused: 0 };
    const ask = async (at: number) => {
      const accountId = (at * 7) % 4;
      const gone = new AbortController();
      // Allowed: by fake timers.
      if (at % 5 === 0) setTimeout(() => gone.abort(new Error('gone')), at % 7);
      try {
        await gate.run(accountId, gone.signal, async () => {
          total++;
          expect(total).toBeLessThanOrEqual(3);
          // Allowed: by fake timers.
          await new Promise((resolve) => setTimeout(resolve, at % 3));
          total--;
          if (at % 11 === 0) throw new Error('failed');
        });
        outcomes.done++;
      } catch (error) {
        const { kind, message } = error as { kind?: string; message: string };
        outcomes[kind === 'unavailable' ? 'refused' : (message as 'failed' | 'gone')]++;
      }
    };
    const asked: Promise<void>[] = [];
    for (let at = 1; at <= 300; at++) {
      asked.push(ask(at));
      if (at % 10 === 0) await vi.advanceTimersByTimeAsync(3);
    }
    await vi.runAllTimersAsync();
    await Promise.all(asked);
    vi.useRealTimers();
    expect([gate.runningCount, gate.waitingCount]).toEqual([0, 0]);
    expect(gate.refusedCount).toBe(outcomes.refused);
    expect(Object.values(outcomes).reduce((a, b) => a + b)).toBe(300);
    expect(outcomes.done).toBeGreaterThan(50);
  });
});
