/** Guarantees of servers that count in one PostgreSQL, each with its own store client. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LimitedAccount } from '../../src/quota/quota-counters.ts';
import { daysOf, utcMonth } from '../../src/quota/quota-excess.ts';
import { SharedCounters } from '../../src/quota/shared-counters.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { PostgresControlStore } from '../../src/store/postgres/control-store.ts';
import { PostgresDatabase } from '../../src/store/postgres/database.ts';
import type { AccountReservation, HeldLease } from '../../src/store/shared.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import type { UsageRecord } from '../../src/store/usage.ts';
import { ledgerOf } from '../ledger-of.ts';
import { openLossy } from '../postgres/lossy-network.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { openStore } from './control-store/postgres-store.ts';

const NOW_MS = Date.parse('2026-11-18T15:00:00Z');
const MINUTE_MS = 60_000;
const SERVERS = [0, 1, 2];
const NO_REQUESTS = { month: 0, minute: 0 };
const ONE_REQUEST = { month: 1, minute: 1 };

function recordOf(accountId: number, answeredAtMs: number, isReserved: boolean): UsageRecord {
  return {
    ...{ answeredAtMs, requestId: 'request', accountId, keyId: 1, datasetId: 'daily' },
    ...{ datasetVersion: 1, countsInMinute: true, rowCount: 1, scannedBytes: 10 },
    ...{ returnedBytes: 100, durationMs: 1, status: 200, isReserved },
  };
}

const account = (accountId: number) => ({ accountId, limits: UNLIMITED });
const timeAt = (nowMs: number) => ({ nowMs, month: daysOf(utcMonth(nowMs)) });

describe.skipIf(isPostgresMissing())('servers that count in one PostgreSQL', () => {
  let server: TestPostgres;
  let database: string;
  let stores: PostgresControlStore[];
  let nowMs: number;
  let reading: PostgresDatabase;
  let lastAccountId = 0;

  beforeAll(async () => {
    server = await TestPostgres.start();
  });
  afterAll(() => server?.remove());

  beforeEach(async () => {
    database = await server.newDatabase();
    stores = await Promise.all(SERVERS.map(() => openStore(server.url(database))));
    for (const store of stores) await store.prepare();
    reading = new PostgresDatabase(server.address(database), 1);
    nowMs = NOW_MS;
  });
  afterEach(async () => {
    for (const counters of opened.splice(0)) await counters.close();
    for (const store of stores) await store.close();
    await reading.close();
  });

  const storeAt = (at: number) => stores[at % stores.length] as PostgresControlStore;
  const usageOf = (at: number, accountId: number) =>
    storeAt(at).sharedUsage.read(accountId, timeAt(nowMs));
  let lastNumber = 0;
  /** Reserves nothing and holds nothing, and knows that all before it was answered. */
  const nothing = (accountId: number): AccountReservation => ({
    ...{ accountId, requestCounts: NO_REQUESTS, droppedCounts: NO_REQUESTS, sendingBytes: 0 },
    ...{ limits: { month: null, minute: null }, held: { number: lastNumber, takenCount: 0 } },
    ...{ nextNumber: ++lastNumber, aheadCount: 0 },
  });
  const reserve = async (
    { sharedUsage }: PostgresControlStore,
    accountId: number,
    asked: Partial<AccountReservation>,
  ) => {
    const [decided] = await sharedUsage.reserve(
      [{ ...nothing(accountId), ...asked }],
      timeAt(nowMs),
    );
    return decided?.used;
  };
  /** Has a server reserve one request, with no lease. */
  const ask = (store: PostgresControlStore, accountId: number) =>
    reserve(store, accountId, { requestCounts: ONE_REQUEST });
  const add = (at: number, ...records: UsageRecord[]) =>
    storeAt(at).transaction(({ usage }) => usage.add(records), 'usage');
  const opened: SharedCounters[] = [];
  const countersOf = (store: PostgresControlStore) => {
    const onFailure = (error: unknown) => {
      throw error;
    };
    const { sharedUsage: shared } = store;
    return new SharedCounters({ store, shared, clock: { now: () => nowMs }, onFailure });
  };
  const countersAt = (at: number) => {
    const counters = countersOf(storeAt(at));
    opened.push(counters);
    return counters;
  };

  it('let exactly as many requests pass as a limit allows, however many ask at once', async () => {
    const counters = SERVERS.map(countersAt);
    const asked = await Promise.all(
      Array.from({ length: 300 }, (_, at) => counters[at % 3]?.reserve(account(7), true)),
    );
    // There may be places between them: what was reserved ahead, if some of this took long.
    const places = asked.map((reservation) => reservation?.usedBefore.minute.requests);
    expect(new Set(places).size).toBe(300);
    expect((await usageOf(0, 7)).month.requests).toBe(300);
    expect((await usageOf(1, 8)).month.requests).toBe(0);
  });

  /** A busy account: its server reserves requests of it ahead. */
  const makeBusy = async (
    counters: SharedCounters,
    who: LimitedAccount,
    lease: () => Promise<number>,
  ) => {
    let count = 0;
    await expect
      .poll(async () => {
        await Promise.all(Array.from({ length: 20 }, () => counters.reserve(who, true)));
        count += 20;
        return lease();
      })
      .toBeGreaterThan(0);
    return count;
  };
  const aheadOf = async (accountId: number) => {
    const row = await reading.get(
      `SELECT sum(ahead)::int AS ahead FROM ticklake.usage_reserved WHERE identity_id = ${accountId}`,
    );
    return Number(row?.ahead);
  };

  it('let exactly as many pass where some have requests ahead, and refuse none that the limit allows', async () => {
    const counters = SERVERS.map(countersAt);
    for (let round = 0; round < 3; round++) {
      const accountId = 100 + round;
      const month = { ...UNLIMITED.month, requests: 1500 };
      const who = { accountId, limits: { ...UNLIMITED, month } };
      let passed = await makeBusy(counters[round] as SharedCounters, who, () => aheadOf(accountId));
      const asking = async (each: SharedCounters, count: number) => {
        for (let at = 0; at < count; at++) {
          const { usedBefore } = await each.reserve(who, true);
          if (usedBefore.month.requests < 1500) passed++;
        }
      };
      // Many at once, of all servers, and on past the limit.
      await Promise.all(
        Array.from({ length: 60 }, (_, at) => asking(counters[at % 3] as SharedCounters, 40)),
      );
      expect(passed).toBe(1500);
    }
  });

  it('give back what they have ahead when nobody asks any more, and when they end', async () => {
    const counters = countersAt(0);
    const made = await makeBusy(counters, account(110), () => aheadOf(110));
    // Nobody sees it as used.
    expect((await counters.read(110)).month.requests).toBe(made);
    await expect.poll(() => aheadOf(110)).toBe(0);
    expect((await usageOf(1, 110)).month.requests).toBe(made);
    const more = await makeBusy(counters, account(110), () => aheadOf(110));
    await counters.close();
    expect(await aheadOf(110)).toBe(0);
    expect((await usageOf(1, 110)).month.requests).toBe(made + more);
  });

  it('reserve nothing ahead near a limit', async () => {
    const counters = countersAt(0);
    const minute = { ...UNLIMITED.minute, requests: 1000 };
    const who = { accountId: 120, limits: { ...UNLIMITED, minute } };
    for (let at = 0; at < 970; at++) await counters.reserve(who, true);
    await expect.poll(() => aheadOf(120)).toBe(0);
    const asked = vi.spyOn(storeAt(0).sharedUsage, 'reserve');
    const askedAhead = (accountId: number) =>
      asked.mock.calls
        .flatMap(([accounts]) => accounts)
        .filter((each) => each.accountId === accountId)
        .map(({ aheadCount }) => aheadCount);
    // Another account, without a limit, asks as often in the same intervals.
    await Promise.all(
      [who, account(121)].flatMap((each) =>
        Array.from({ length: 20 }, () => counters.reserve(each, true)),
      ),
    );
    await expect.poll(() => Math.max(...askedAhead(121))).toBeGreaterThan(0);
    expect(new Set(askedAhead(120))).toEqual(new Set([0]));
  });

  it('find what was reserved ahead by a question whose answer was lost', async () => {
    const asking = (held: HeldLease, nextNumber: number, aheadCount: number) =>
      reserve(storeAt(0), 130, { held, nextNumber, aheadCount });
    const used = async () => (await ask(storeAt(1), 130))?.month.requests;
    await asking({ number: 0, takenCount: 0 }, 1, 50);
    expect(await used()).toBe(50);
    // Three were taken, and this answer never came.
    await asking({ number: 1, takenCount: 3 }, 2, 70);
    expect(await used()).toBe(3 + 70 + 1);
    await asking({ number: 1, takenCount: 3 }, 3, 10);
    expect(await used()).toBe(3 + 10 + 2);
    await asking({ number: 3, takenCount: 10 }, 4, 0);
    expect(await used()).toBe(3 + 10 + 3);
  });

  describe('take back what was reserved by a question whose answer was lost', () => {
    const used = async (accountId: number) => (await usageOf(1, accountId)).month.requests;
    const asking = (number: number, nextNumber: number, accountId: number, requests = 3) =>
      reserve(storeAt(0), accountId, {
        ...{ requestCounts: { month: requests, minute: requests }, nextNumber },
        held: { number, takenCount: 0 },
      });

    it('once, also of several in a row, and nothing of those that were answered', async () => {
      await asking(0, 1, 140);
      await asking(1, 2, 140);
      expect(await used(140)).toBe(6);
      // The answers to these two are lost.
      await asking(2, 3, 140, 50);
      await asking(2, 4, 140, 70);
      expect(await used(140)).toBe(6 + 70);
      expect((await asking(2, 5, 140))?.month.requests).toBe(6);
      await asking(5, 6, 140);
      expect(await used(140)).toBe(12);
    });

    it('and let one that comes late, by a connection that was given up, change nothing', async () => {
      await asking(0, 1, 141);
      await asking(1, 3, 141);
      await asking(1, 2, 141, 50);
      expect(await used(141)).toBe(6);
      await asking(3, 4, 141);
      expect(await used(141)).toBe(9);
    });

    it('with requests that it gave back and bytes that it told of', async () => {
      await asking(0, 1, 142);
      const droppedCounts = ONE_REQUEST;
      const lost = { droppedCounts, sendingBytes: 500, held: { number: 1, takenCount: 0 } };
      await reserve(storeAt(0), 142, { ...lost, nextNumber: 2 });
      await reserve(storeAt(0), 142, { ...lost, nextNumber: 3 });
      expect((await usageOf(1, 142)).month).toEqual({
        ...{ requests: 2, scannedBytes: 0, returnedBytes: 500 },
      });
    });

    it('if the connection is cut after the commit, without another request', async () => {
      const isCommitted = async () => (await used(145)) === 1;
      const meanwhile = async () => void (await expect.poll(isCommitted).toBe(true));
      const lossy = await openLossy(server, () => true, meanwhile, 'usage_reserve');
      const address = { ...server.address(database), host: lossy.folder };
      const store = await PostgresControlStore.open(address);
      const counters = countersOf(store);
      try {
        await expect(counters.reserve(account(145), true)).rejects.toThrow(StoreUnavailableError);
        expect(lossy.lostCount).toBe(1);
        await expect.poll(() => used(145)).toBe(0);
        await counters.reserve(account(145), true);
        expect(await used(145)).toBe(1);
      } finally {
        await counters.close();
        await store.close();
        await lossy.close();
      }
    });

    it('for each account separately', async () => {
      await asking(0, 1, 143);
      await asking(0, 2, 144);
      await asking(0, 3, 143);
      expect([await used(143), await used(144)]).toEqual([3, 3]);
    });
  });

  it('know the same usage, whichever admits, counts, and drops a request', async () => {
    const step = fc.record({
      kind: fc.constantFrom('ask', 'count', 'drop', 'wait'),
      at: fc.nat(2),
      which: fc.nat(9),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const accountId = ++lastAccountId + 1000;
        nowMs = NOW_MS;
        const running: number[] = [];
        const countedAtMs: number[] = [];
        for (const { kind, at, which } of steps) {
          if (kind === 'wait') nowMs += 7000 * (which + 1);
          if (kind === 'ask') {
            const used = await ask(storeAt(at), accountId);
            const recent = countedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS).length;
            expect(used?.month.requests).toBe(running.length + countedAtMs.length);
            expect(used?.minute.requests).toBe(running.length + recent);
            expect(used?.month.scannedBytes).toBe(10 * countedAtMs.length);
            running.push(at);
          }
          if (kind !== 'count' && kind !== 'drop') continue;
          const [owner] = running.splice(which % (running.length || 1), 1);
          if (owner === undefined) continue;
          if (kind === 'drop') {
            await reserve(storeAt(owner), accountId, { droppedCounts: ONE_REQUEST });
          } else {
            await add(owner, recordOf(accountId, nowMs, true));
            countedAtMs.push(nowMs);
          }
        }
        const total = await storeAt(0).usage.total(accountId, timeAt(nowMs).month);
        expect(total.requests).toBe(countedAtMs.length);
        const used = await usageOf(1, accountId);
        expect(used.month.requests).toBe(running.length + countedAtMs.length);
        expect(used.month.returnedBytes).toBe(100 * countedAtMs.length);
      }),
      { numRuns: 40 },
    );
  });

  it('begin with what the days of a month hold, and count on from there', async () => {
    await add(0, recordOf(5, NOW_MS - 10 * 86_400_000, false), recordOf(5, NOW_MS, false));
    await server.execute(
      database,
      'TRUNCATE ticklake.usage_month, ticklake.usage_second, ticklake.usage_recent',
    );
    expect((await usageOf(1, 5)).month.requests).toBe(2);
    await add(2, recordOf(5, NOW_MS, false));
    expect((await usageOf(0, 5)).month).toEqual({
      requests: 3,
      scannedBytes: 30,
      returnedBytes: 300,
    });
  });

  it('sum up to the ledger, however many count the same account at once', async () => {
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        await ask(storeAt(at), 9);
        await add(at, recordOf(9, nowMs + at, true));
      }),
    );
    nowMs += 100;
    const ledger = await ledgerOf(storeAt(0).usage, 9);
    expect(ledger).toHaveLength(60);
    const { month, minute } = await usageOf(2, 9);
    expect(month).toEqual({ requests: 60, scannedBytes: 600, returnedBytes: 6000 });
    expect(minute).toEqual(month);
  });

  it('count bytes that are being sent until they are given back', async () => {
    const counters = countersAt(0);
    const reserved = counters.reserveBytes(3, 5000);
    await expect.poll(async () => (await usageOf(1, 3)).month.returnedBytes).toBe(5000);
    reserved.giveBack(2000);
    await expect.poll(async () => (await usageOf(1, 3)).month.returnedBytes).toBe(3000);
    reserved.release();
    reserved.release();
    await expect.poll(async () => (await usageOf(1, 3)).month.returnedBytes).toBe(0);
  });

  it('forget what one reserved that died, once it was silent for long enough', async () => {
    const dead = storeAt(0);
    await ask(dead, 4);
    await storeAt(1).maintain();
    expect((await usageOf(1, 4)).month.requests).toBe(1);
    await server.execute(
      database,
      `UPDATE ticklake.usage_server SET heard_at = heard_at - interval '61 seconds'
       WHERE server_id = '${dead.sharedUsage.serverId}'`,
    );
    await storeAt(1).maintain();
    expect((await usageOf(1, 4)).month.requests).toBe(0);
    // Should it live after all, it gives back what is not there any more.
    await add(0, recordOf(4, nowMs, true));
    expect((await usageOf(1, 4)).month.requests).toBe(1);
    // And what it lets in from then on is seen.
    await ask(dead, 4);
    expect((await usageOf(1, 4)).month.requests).toBe(2);
  });

  it('admit requests while another transaction writes what was counted of the same account', async () => {
    await ask(storeAt(0), 11);
    await storeAt(0).transaction(async ({ usage }) => {
      await usage.add([recordOf(11, nowMs, true)]);
      for (const store of stores) await ask(store, 11);
    }, 'usage');
    expect((await usageOf(1, 11)).month.requests).toBe(1 + SERVERS.length);
  });

  it('forget the seconds of a minute one after the other, also of what was written late', async () => {
    const ages = [70_000, 61_000, 50_000, 20_000, 0];
    for (const age of ages) await add(0, recordOf(12, NOW_MS - age, false));
    const minuteAfter = async (laterMs: number) => {
      nowMs = NOW_MS + laterMs;
      return (await usageOf(1, 12)).minute.requests;
    };
    expect(await minuteAfter(0)).toBe(3);
    expect(await minuteAfter(15_000)).toBe(2);
    expect(await minuteAfter(45_000)).toBe(1);
    expect(await minuteAfter(60_000)).toBe(0);
    // Together with another account's, which are two minutes younger.
    await add(0, recordOf(12, NOW_MS, false), recordOf(13, NOW_MS + 120_000, false));
    expect(await minuteAfter(120_000)).toBe(0);
    expect((await usageOf(1, 12)).month.requests).toBe(6);
  });

  it('tell when a minute clears, with the requests that are under way', async () => {
    const [here, there] = [countersAt(0), countersAt(1)];
    await add(0, recordOf(6, NOW_MS, false));
    await add(1, recordOf(6, NOW_MS + 20_000, false));
    nowMs = NOW_MS + 30_000;
    await there.reserve(account(6), true);
    const next = { atMs: nowMs, requests: 0, scannedBytes: 0, returnedBytes: 0 };
    expect(await here.minuteClearsAtMs(6, 'requests', 3, next)).toBe(NOW_MS + MINUTE_MS);
    expect(await here.minuteClearsAtMs(6, 'requests', 2, next)).toBe(NOW_MS + 20_000 + MINUTE_MS);
  });
});
