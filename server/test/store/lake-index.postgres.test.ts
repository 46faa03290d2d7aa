/**
 * The lake's index in PostgreSQL: guarantees of every index, and recovery from lost connections.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LakeIndex } from '../../src/store/lake-index.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { testLakeIndex } from './lake-index-conformance.ts';
import { openIndex } from './postgres-index.ts';

/** Ends the connections that have locks beyond transactions, and waits until they have ended. */
const KILL_HOLDERS = `SELECT DISTINCT ON (pid) pid, pg_terminate_backend(pid, 300000)
  FROM pg_locks WHERE locktype = 'advisory'`;

describe.skipIf(isPostgresMissing())('the index in PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await TestPostgres.start();
  });
  afterAll(() => server?.remove());

  const databaseOf = (location: string) =>
    new URL(location.replace('@/', '@socket/')).pathname.slice(1);

  testLakeIndex({
    module: join(import.meta.dirname, 'postgres-index.ts'),
    openIndex,
    newLocation: async () => server.url(await server.newDatabase()),
    remove: (location) => server.emptyDatabase(databaseOf(location)),
    // The database has to notice that a connection is gone.
    isDeathToldLate: true,
  });

  it('lets publishers of different datasets have their locks at once, and nobody the whole lake', async () => {
    const database = await server.newDatabase();
    const [one, two, three] = (await Promise.all(
      [1, 2, 3].map(() => openIndex(server.url(database))),
    )) as [LakeIndex, LakeIndex, LakeIndex];
    const a = await one.publishers.tryLock(['a']);
    const bAndC = await two.publishers.tryLock(['c', 'b']);
    expect([a?.isAlone, bAndC?.isAlone]).toEqual([false, false]);
    for (const asked of [['a'], ['d', 'a'], ['c'], []]) {
      expect(await three.publishers.tryLock(asked)).toBeNull();
    }
    await one.space.addPending(['one'], 0);
    await two.space.addPending(['two'], 0);
    await a?.release();
    // Whoever got none of what was asked for together has kept none of it.
    const aAndD = await three.publishers.tryLock(['a', 'd']);
    expect(aAndD).not.toBeNull();
    for (const lock of [aAndD, bAndC]) await lock?.release();
    const whole = await one.publishers.tryLock();
    expect(whole?.isAlone).toBe(true);
    expect(await two.publishers.tryLock(['d'])).toBeNull();
    await whole?.release();
    for (const index of [one, two, three]) await index.close();
    await server.emptyDatabase(database);
  });

  it('loses the lock of a dataset with its connection, and commits nothing more under it', async () => {
    const database = await server.newDatabase();
    const [publisher, other] = [
      await openIndex(server.url(database)),
      await openIndex(server.url(database)),
    ];
    const lost = await publisher.publishers.tryLock(['a']);
    await server.execute(database, KILL_HOLDERS);
    const wait = { timeoutMs: 300_000, timeoutError: () => new Error('still held') };
    const next = await other.publishers.lock(wait, ['a']);
    await expect(publisher.commit(1, 0)).rejects.toThrow('publishing lock was lost');
    for (const lock of [lost, next]) await lock?.release();
    for (const index of [publisher, other]) await index.close();
    await server.emptyDatabase(database);
  });

  it('takes nothing from a publisher whose connection was lost, until it has the lock anew', async () => {
    const database = await server.newDatabase();
    const [publisher, other] = [
      await openIndex(server.url(database)),
      await openIndex(server.url(database)),
    ];
    const lost = await publisher.publishers.tryLock();
    const mark = await publisher.publishers.holdLife();
    const held = await publisher.publishers.holdParts();
    expect(await other.publishers.arePartsHeld()).toBe(true);
    await publisher.space.addPending(['one'], 0);
    await server.execute(database, KILL_HOLDERS);
    await expect.poll(() => other.publishers.isAlive(mark.name)).toBe(false);
    expect(await other.publishers.arePartsHeld()).toBe(false);
    await expect(publisher.space.addPending(['two'], 0)).rejects.toThrow(
      'publishing lock was lost',
    );
    await expect(publisher.commit(1, 0)).rejects.toThrow('publishing lock was lost');
    const next = await other.publishers.tryLock();
    expect(next).not.toBeNull();
    for (const lock of [lost, mark, held]) await lock?.release();
    expect(await publisher.publishers.tryLock()).toBeNull();
    expect((await other.space.leftovers(0)).pending).toEqual(['one']);
    await next?.release();
    const anew = await publisher.publishers.tryLock();
    await publisher.space.addPending(['two'], 0);
    await anew?.release();
    for (const index of [publisher, other]) await index.close();
    await server.emptyDatabase(database);
  });
});
