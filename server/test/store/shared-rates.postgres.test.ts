/** Servers, each with its own store client, share per-minute counts. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeRate } from '../../src/access/rate.ts';
import { SignInAttempts } from '../../src/access/sign-in-attempts.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { PostgresControlStore } from '../../src/store/postgres/control-store.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { openStore } from './control-store/postgres-store.ts';

const SERVERS = [0, 1, 2];
const shiftedBy = (
  hours: number,
) => `UPDATE ticklake.rate_moments SET last_at = last_at + ${hours} * interval '1 hour',
  moments = ARRAY(SELECT moment + ${hours} * 3600000000 FROM unnest(moments) AS moment)`;
/** As if all that was counted had been counted an hour ago. */
const AGE_ALL = shiftedBy(-1);
/** Moves all moments an hour ahead, so that none leaves its minute during the test. */
const KEEP_ALL = shiftedBy(1);

describe.skipIf(isPostgresMissing())('limits of a minute that servers share', () => {
  let server: TestPostgres;
  let database: string;
  let stores: PostgresControlStore[];

  beforeAll(async () => {
    server = await TestPostgres.start();
  });
  afterAll(() => server?.remove());
  beforeEach(async () => {
    database = await server.newDatabase();
    stores = await Promise.all(SERVERS.map(() => openStore(server.url(database))));
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  const ratesAt = (at: number) => (stores[at % SERVERS.length] as PostgresControlStore).sharedRates;
  const tryAt = (at: number, email: string, network: string, isFamiliar = false) =>
    new SignInAttempts(systemClock, ratesAt(at)).begin({ email, network, isFamiliar });
  /** How many of sixty tries are let in that come to all servers at once. */
  const letIn = async (attempt: (at: number) => Promise<unknown>) => {
    const tries = await Promise.allSettled(Array.from({ length: 60 }, (_, at) => attempt(at)));
    return tries.filter(({ status }) => status === 'fulfilled').length;
  };
  /** How many of three subjects may do nothing more. */
  const refusedCount = async () => {
    const counts = ['a', 'b', 'c'].map((each, at) => ratesAt(at).count([each], [], 1));
    return (await Promise.all(counts)).filter((moment) => moment === null).length;
  };

  it('let in ten failed tries of a person, or of a network, at whichever servers, at once', async () => {
    expect(await letIn((at) => tryAt(at, 'a', `10.0.0.${at}`))).toBe(10);
    expect(await letIn((at) => tryAt(at, `${at}`, '10.1.0.1'))).toBe(10);
    expect(await letIn((at) => tryAt(at, 'a', '10.9.0.1', true))).toBe(10);
    await server.execute(database, KEEP_ALL);
    expect(await letIn((at) => tryAt(at, 'b', '10.9.0.1'))).toBe(0);
  });

  it('let in as many more as were forgiven, at any server', async () => {
    const forgive = await tryAt(0, 'a', '10.0.0.1');
    expect(await letIn((at) => tryAt(at, 'a', '10.0.0.1'))).toBe(9);
    await forgive();
    expect(await letIn((at) => tryAt(at, 'a', '10.0.0.1'))).toBe(1);
  });

  it('let in 120 changes of a person', async () => {
    const change = (at: number) =>
      changeRate(systemClock, ratesAt(at)).count({ personId: 1, role: 'manager' });
    for (let batch = 0; batch < 2; batch++) {
      expect(await letIn(change)).toBe(60);
      await server.execute(database, KEEP_ALL);
    }
    expect(await letIn(change)).toBe(0);
  });

  it('begin anew after a minute, and are forgotten by the store', async () => {
    for (const each of ['a', 'b', 'c']) await ratesAt(0).count([], [each], 1);
    expect(await refusedCount()).toBe(3);
    await server.execute(database, AGE_ALL);
    expect(await refusedCount()).toBe(0);
    await stores[0]?.maintain();
    const dividesByZeroUnlessEmpty =
      'SELECT 1 / (count(*) = 0)::integer FROM ticklake.rate_moments';
    await server.execute(database, dividesByZeroUnlessEmpty);
  });

  it('keep no more of a subject than any limit needs', async () => {
    for (let at = 0; at < 300; at++) await ratesAt(at).count([], ['often'], 1);
    const dividesByZeroUnlessFew =
      'SELECT 1 / (max(cardinality(moments)) <= 240)::integer FROM ticklake.rate_moments';
    await server.execute(database, dividesByZeroUnlessFew);
  });
});
