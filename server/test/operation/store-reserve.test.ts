import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openControlStore } from '../../src/open-home.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { ControlStore } from '../../src/store/control-store.ts';
import { StoreFullError } from '../../src/store/store-errors.ts';
import type { UsageRecord } from '../../src/store/usage.ts';
import { ledgerOf } from '../ledger-of.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const MEBIBYTE = 1024 * 1024;
const RESERVE_BYTES = 8 * MEBIBYTE;
const BATCH = 500;

const USED: UsageRecord = {
  answeredAtMs: Date.parse('2025-06-20T16:00:00Z'),
  requestId: 'b66a8247-2788-45e8-9d80-c64d842ca2b2',
  accountId: 1,
  keyId: 1,
  datasetId: 'US1001',
  datasetVersion: 12,
  countsInMinute: true,
  rowCount: 1000,
  scannedBytes: 123_456_789,
  returnedBytes: 123_456,
  durationMs: 12.345678,
  status: 200,
};

const probe = mountSmallDisk(1);
probe?.remove();

// Mounting needs root.
describe.skipIf(probe === null)('the reserve of the store, on a full disk', () => {
  let disk: SmallDisk;
  let store: ControlStore;
  beforeEach(async () => {
    disk = mountSmallDisk(64) as SmallDisk;
    store = await openControlStore({ home: disk.path }, { reserveBytes: RESERVE_BYTES });
    await store.prepare();
  });
  afterEach(async () => {
    await store.close();
    disk.remove();
  });

  const addUsage = () =>
    store.transaction(({ usage }) => usage.add(Array.from({ length: BATCH }, () => USED)), 'usage');
  const addAccount = (name: string) =>
    store.transaction(({ accounts }) =>
      accounts.create({
        name,
        isAdmin: false,
        maxActiveApiKeys: 1,
        ipSubnets: [],
        limits: UNLIMITED,
        createdAtMs: 0,
      }),
    );
  /** Counts how often something can be done until the storage refuses it. */
  const timesUntilFull = async (work: (at: number) => Promise<unknown>): Promise<number> => {
    for (let at = 0; at < 100_000; at++) {
      try {
        await work(at);
      } catch (error) {
        expect(error).toBeInstanceOf(StoreFullError);
        return at;
      }
    }
    throw new Error('the disk is not full');
  };

  it('takes tens of thousands of requests, then a thousand changes, and keeps every one', async () => {
    disk.fill();
    const requests = (await timesUntilFull(addUsage)) * BATCH;
    expect(requests).toBeGreaterThan(40_000);
    const changes = await timesUntilFull((at) => addAccount(`${at}`));
    expect(changes).toBeGreaterThan(1000);
    expect(await timesUntilFull(addUsage)).toBe(0);
    expect(store.writes.failedCounts).toEqual({ usage: 2, change: 1 });
    expect(store.writes.problem()).toBe('the disk is full');

    disk.free();
    await addUsage();
    expect(store.writes.problem()).toBe(null);
    expect(await ledgerOf(store.usage, 1)).toHaveLength(requests + BATCH);
    expect(await store.accounts.list(0, 1e9)).toHaveLength(changes);
  });

  it('is not taken by others who write to the disk, and is made again when there is room', async () => {
    disk.fill();
    for (let at = 0; at < 40; at++) await addUsage();
    disk.fill();
    const before = store.reservedBytes();
    expect(before).toBeLessThan(RESERVE_BYTES - MEBIBYTE);
    await timesUntilFull(addUsage);
    await store.maintain();
    expect(store.reservedBytes()).toBeLessThan(MEBIBYTE);
    disk.free();
    await store.maintain();
    expect(store.reservedBytes()).toBeGreaterThanOrEqual(RESERVE_BYTES);
  });
});
