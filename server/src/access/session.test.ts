import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writing } from '../../test/writing.ts';
import { openControlStore } from '../open-home.ts';
import { UNLIMITED } from '../store/accounts.ts';
import type { ControlStore } from '../store/control-store.ts';
import { StoreFullError } from '../store/store-errors.ts';
import { beginSession, hashToken, liveSession, noteUse, type SessionLimits } from './session.ts';

const START_MS = Date.parse('2025-06-20T16:00:00Z');
const HOUR_MS = 3_600_000;

let folder: string;
let store: ControlStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-session-'));
  store = await openControlStore({ home: folder });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const person = { email: 'a@example.com', passwordHash: 'none', createdAtMs: START_MS };

const begin = (personId: number, limits: SessionLimits) =>
  store.transaction((tx) => beginSession(tx, { personId, createdAtMs: START_MS }, limits));

async function find(token: string, nowMs: number, limits: SessionLimits) {
  await store.catchUp();
  return liveSession(store.replica.findSession(hashToken(token)), nowMs, limits);
}

/**
 * A session that lasts a day and ends after `sessionIdleMs` without use. `seenAt` uses it and tells
 * when it was last seen.
 */
async function openSession(sessionIdleMs: number) {
  const limits = { sessionIdleMs, sessionMs: 24 * HOUR_MS };
  const owner = { ...person, role: 'owner' as const, accountId: null };
  const token = await begin(await writing(store).people.create(owner), limits);
  return {
    seenAt: async (afterMs: number) => {
      const nowMs = START_MS + afterMs;
      const found = await find(token, nowMs, limits);
      if (!found) return null;
      return (await noteUse(store, found.session, nowMs, limits)).seenAtMs - START_MS;
    },
  };
}

describe('a session', () => {
  it.each([
    ['a minute', HOUR_MS, 60_000],
    ['a tenth of a short idle time', 60_000, 6000],
  ])('is written down as used after %s', async (_, idleMs, everyMs) => {
    const { seenAt } = await openSession(idleMs);
    expect(await seenAt(everyMs - 1)).toBe(0);
    expect(await seenAt(everyMs)).toBe(everyMs);
    expect(await seenAt(2 * everyMs - 1)).toBe(everyMs);
  });

  it('lasts as long as it is used, and is over at its idle time', async () => {
    const { seenAt } = await openSession(HOUR_MS);
    expect(await seenAt(HOUR_MS - 1)).toBe(HOUR_MS - 1);
    expect(await seenAt(2 * HOUR_MS - 2)).toBe(2 * HOUR_MS - 2);
    expect(await seenAt(3 * HOUR_MS - 2)).toBeNull();
  });

  it('is used where the store has no room to write that down; other failures are told', async () => {
    const limits = { sessionIdleMs: HOUR_MS, sessionMs: HOUR_MS };
    const owner = { ...person, role: 'owner' as const, accountId: null };
    const token = await begin(await writing(store).people.create(owner), limits);
    const found = await find(token, START_MS, limits);
    const { session } = found ?? expect.unreachable();
    const use = (failure: Error) =>
      noteUse({ transaction: () => Promise.reject(failure) }, session, START_MS + 60_000, limits);
    expect(await use(new StoreFullError('no room', 'the disk is full'))).toBe(session);
    await expect(use(new Error('another one'))).rejects.toThrow('another one');
  });

  it('is over at its end, however much it is used', async () => {
    const { seenAt } = await openSession(HOUR_MS);
    for (let hours = 0.5; hours < 24; hours += 0.5)
      expect(await seenAt(hours * HOUR_MS)).not.toBeNull();
    expect(await seenAt(24 * HOUR_MS - 1)).not.toBeNull();
    expect(await seenAt(24 * HOUR_MS)).toBeNull();
  });

  it('is over when the person or their account is ended', async () => {
    const limits = { sessionIdleMs: HOUR_MS, sessionMs: HOUR_MS };
    const { accounts, people } = writing(store);
    const accountId = await accounts.create({
      ...{ name: 'a', isAdmin: false, maxActiveApiKeys: 1, ipSubnets: [] },
      ...{ limits: UNLIMITED, createdAtMs: START_MS },
    });
    const personId = await people.create({ ...person, role: 'member', accountId });
    const token = await begin(personId, limits);
    const isLive = async () => (await find(token, START_MS, limits)) !== null;
    expect(await isLive()).toBe(true);
    await accounts.update(accountId, { isActive: false });
    expect(await isLive()).toBe(false);
    await accounts.update(accountId, { isActive: true });
    expect(await isLive()).toBe(true);
    await people.update(personId, { isActive: false });
    expect(await isLive()).toBe(false);
  });
});
