import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openControlStore } from '../open-store.ts';
import type { ControlStore } from '../store/control-store.ts';
import { UNLIMITED } from '../store/identities.ts';
import { beginSession, findSession } from './session.ts';

const START_MS = Date.parse('2025-06-20T16:00:00Z');
const HOUR_MS = 3_600_000;

let folder: string;
let store: ControlStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-session-'));
  store = openControlStore(folder);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const person = { email: 'a@example.com', passwordHash: 'none', createdAtMs: START_MS };

/** A session that lasts a day and is idle for so long; `seenAt` uses it and says when it was seen. */
function openSession(sessionIdleMs: number) {
  const limits = { sessionIdleMs, sessionMs: 24 * HOUR_MS };
  const personId = store.people.create({ ...person, role: 'owner', identityId: null });
  const token = beginSession(store, personId, START_MS, limits);
  return {
    seenAt: (afterMs: number) => {
      const found = findSession(store, token, START_MS + afterMs, limits);
      return found && found.session.seenAtMs - START_MS;
    },
  };
}

describe('a session', () => {
  it.each([
    ['a minute', HOUR_MS, 60_000],
    ['a tenth of a short idle time', 60_000, 6000],
  ])('is written down as used after %s', (_, idleMs, everyMs) => {
    const { seenAt } = openSession(idleMs);
    expect(seenAt(everyMs - 1)).toBe(0);
    expect(seenAt(everyMs)).toBe(everyMs);
    expect(seenAt(2 * everyMs - 1)).toBe(everyMs);
  });

  it('lasts as long as it is used, and is over at its idle time', () => {
    const { seenAt } = openSession(HOUR_MS);
    expect(seenAt(HOUR_MS - 1)).toBe(HOUR_MS - 1);
    expect(seenAt(2 * HOUR_MS - 2)).toBe(2 * HOUR_MS - 2);
    expect(seenAt(3 * HOUR_MS - 2)).toBeNull();
  });

  it('is over at its end, however much it is used', () => {
    const { seenAt } = openSession(HOUR_MS);
    for (let hours = 0.5; hours < 24; hours += 0.5) expect(seenAt(hours * HOUR_MS)).not.toBeNull();
    expect(seenAt(24 * HOUR_MS - 1)).not.toBeNull();
    expect(seenAt(24 * HOUR_MS)).toBeNull();
  });

  it('is over when the person or their account is ended', () => {
    const limits = { sessionIdleMs: HOUR_MS, sessionMs: HOUR_MS };
    const identityId = store.identities.create({
      ...{ name: 'a', isAdmin: false, maxActiveApiKeys: 1, ipSubnets: [] },
      ...{ limits: UNLIMITED, createdAtMs: START_MS },
    });
    const personId = store.people.create({ ...person, role: 'member', identityId });
    const token = beginSession(store, personId, START_MS, limits);
    const isLive = () => findSession(store, token, START_MS, limits) !== null;
    expect(isLive()).toBe(true);
    store.identities.update(identityId, { isActive: false });
    expect(isLive()).toBe(false);
    store.identities.update(identityId, { isActive: true });
    expect(isLive()).toBe(true);
    store.people.update(personId, { isActive: false });
    expect(isLive()).toBe(false);
  });
});
