import { describe, expect, it } from 'vitest';
import { type QuotaAmounts, type QuotaLimits, UNLIMITED } from '../store/accounts.ts';
import { noUsage, type QuotaUsage } from '../store/quantities.ts';
import { Leases } from './leases.ts';

const ACCOUNT = 7;
const NONE: QuotaUsage = { month: noUsage(), minute: noUsage() };

function limited(minute: Partial<QuotaAmounts>): QuotaLimits {
  return { ...UNLIMITED, minute: { ...UNLIMITED.minute, ...minute } };
}

/**
 * Leases after an interval with `count` requests of an account, and the next demand on the store.
 */
function afterAsking(count: number, limits = UNLIMITED, used = NONE) {
  const leases = new Leases();
  for (let at = 0; at < count; at++) leases.note(ACCOUNT, limits);
  const asked = leases.endInterval(() => used);
  return { leases, asked };
}

function granted(count: number, nowMs: number) {
  const { leases } = afterAsking(count);
  const question = leases.ask(ACCOUNT);
  leases.grant(ACCOUNT, question, nowMs);
  return { leases, question };
}

describe('leases', () => {
  it('are for accounts that ask often, and hold what is asked in two intervals', () => {
    expect(afterAsking(3).asked).toEqual([]);
    const { leases, asked } = afterAsking(40);
    expect(asked).toEqual([ACCOUNT]);
    expect(leases.ask(ACCOUNT)).toMatchObject({ number: 0, takenCount: 0, aheadCount: 80 });
  });

  it('hold a small share of what is left of a limit, and nothing near it', () => {
    const minute = { ...noUsage(), requests: 200 };
    const far = afterAsking(40, limited({ requests: 1000 }), { ...NONE, minute });
    expect(far.leases.ask(ACCOUNT).aheadCount).toBe(25);
    const near = afterAsking(40, limited({ requests: 220 }), { ...NONE, minute });
    expect(near.asked).toEqual([]);
    const over = afterAsking(40, limited({ requests: 100 }), { ...NONE, minute });
    expect(over.asked).toEqual([]);
  });

  it('are taken as far as they go, not while the store is asked, and not when they are old', () => {
    const { leases, question } = granted(8, 1000);
    for (let at = 0; at < question.aheadCount; at++) {
      expect(leases.canTake(ACCOUNT, 1000)).toBe(true);
      leases.take(ACCOUNT);
    }
    expect(leases.canTake(ACCOUNT, 1000)).toBe(false);
    const another = granted(8, 1000).leases;
    expect(another.canTake(ACCOUNT, 5000)).toBe(false);
    another.ask(ACCOUNT);
    expect(another.canTake(ACCOUNT, 1000)).toBe(false);
  });

  it('are told again as they were when an answer is lost', () => {
    const { leases, question } = granted(8, 0);
    leases.take(ACCOUNT);
    const lost = leases.ask(ACCOUNT);
    expect(lost).toMatchObject({ number: question.nextNumber, takenCount: 1 });
    const again = leases.ask(ACCOUNT);
    expect(again).toMatchObject({ number: question.nextNumber, takenCount: 1 });
    expect(again.nextNumber).toBeGreaterThan(lost.nextNumber);
  });

  it('tell what is given back and what is being sent until that is answered, and then no more', () => {
    const leases = new Leases();
    const told = () => {
      const { droppedCounts, sendingBytes } = leases.ask(ACCOUNT);
      return [droppedCounts.month, droppedCounts.minute, sendingBytes];
    };
    leases.drop(ACCOUNT, { month: 1, minute: 0 });
    leases.send(ACCOUNT, 500);
    expect(told()).toEqual([1, 0, 500]);
    const question = leases.ask(ACCOUNT);
    leases.drop(ACCOUNT, { month: 1, minute: 1 });
    leases.grant(ACCOUNT, question, 0);
    expect(leases.endInterval(() => NONE)).toEqual([ACCOUNT]);
    expect(told()).toEqual([1, 1, 500]);
    leases.grant(ACCOUNT, leases.ask(ACCOUNT), 0);
    expect(leases.endInterval(() => NONE)).toEqual([]);
    leases.send(ACCOUNT, -500);
    expect(leases.end()).toEqual([ACCOUNT]);
    expect(told()).toEqual([0, 0, 0]);
  });

  it('know of an account that comes back that all before was answered', () => {
    const { leases } = granted(8, 0);
    expect(leases.endInterval(() => NONE)).toEqual([ACCOUNT]);
    const last = leases.ask(ACCOUNT);
    leases.grant(ACCOUNT, last, 0);
    expect(leases.endInterval(() => NONE)).toEqual([]);
    expect(leases.ask(ACCOUNT).number).toBe(last.nextNumber);
  });

  it('are given back by accounts that ask no more, and at the end, and then forgotten', () => {
    const { leases } = granted(8, 0);
    expect(leases.endInterval(() => NONE)).toEqual([ACCOUNT]);
    const last = leases.ask(ACCOUNT);
    expect(last.aheadCount).toBe(0);
    leases.grant(ACCOUNT, last, 0);
    expect(leases.endInterval(() => NONE)).toEqual([]);
    expect(leases.end()).toEqual([]);
    const ended = granted(8, 0).leases;
    expect(ended.end()).toEqual([ACCOUNT]);
    expect(ended.ask(ACCOUNT).aheadCount).toBe(0);
  });
});
