import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../store/accounts.ts';
import { reservationOf, type WaitingRequest } from './shared-counters.ts';

const LEASE = { number: 3, takenCount: 2, nextNumber: 4, aheadCount: 8 };

function waiting(requestsPerMonth: number, patientUntilMs: number, countsInMinute = true) {
  const limits = { ...UNLIMITED, month: { ...UNLIMITED.month, requests: requestsPerMonth } };
  const decided = Promise.withResolvers() as WaitingRequest['decided'];
  return { accountId: 7, limits, countsInMinute, patientUntilMs, decided };
}

const asked = (requests: readonly WaitingRequest[]) =>
  reservationOf({ accountId: 7, lease: LEASE as never, waiting: requests }, 1000);

describe('the demand on the store for an account', () => {
  it('is a request for each that waits, in the minute only for those that count there', () => {
    const { requestCounts, held, nextNumber, aheadCount } = asked([
      waiting(10, 2000),
      waiting(10, 2000, false),
    ]);
    expect(requestCounts).toEqual({ month: 2, minute: 1 });
    expect(held).toEqual({ number: 3, takenCount: 2 });
    expect([nextNumber, aheadCount]).toEqual([4, 8]);
  });

  it('has the limits that came last, while all are patient', () => {
    expect(asked([waiting(10, 2000), waiting(12, 2000)]).limits).toEqual({
      month: 12,
      minute: null,
    });
  });

  it('has no limits once one has waited long enough, and none for nobody', () => {
    const none = { month: null, minute: null };
    expect(asked([waiting(10, 1000), waiting(12, 2000)]).limits).toEqual(none);
    expect(asked([]).limits).toEqual(none);
  });
});
