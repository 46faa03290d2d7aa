/** Makes one question to the store of all requests of an account that wait. Pure. */
import type { QuotaLimits } from '../store/accounts.ts';
import type { AccountReservation, AdmittedRequest } from '../store/shared.ts';
import type { LeaseQuestion } from './leases.ts';
import type { Reservation } from './quota-counters.ts';

export interface LimitedRequest extends AdmittedRequest {
  readonly limits: QuotaLimits;
}

export interface WaitingRequest extends LimitedRequest {
  readonly decided: PromiseWithResolvers<Reservation>;
  readonly patientUntilMs: number;
}

export interface AskedAccount {
  readonly accountId: number;
  readonly lease: LeaseQuestion;
  readonly waiting: readonly WaitingRequest[];
}

/** `nowMs` is of the clock of `patientUntilMs`. */
export function reservationOf(
  { accountId, lease, waiting }: AskedAccount,
  nowMs: number,
): AccountReservation {
  const { number, takenCount, ...asked } = lease;
  const minute = waiting.filter(({ countsInMinute }) => countsInMinute).length;
  const requestCounts = { month: waiting.length, minute };
  const limits = limitsOf(waiting, nowMs);
  return {
    accountId,
    requestCounts,
    limits,
    held: { number, takenCount },
    ...asked,
  };
}

const NO_LIMITS = { month: null, minute: null };

/**
 * The limits that requests of an account may be put off for; none once one of them has waited long
 * enough.
 */
function limitsOf(waiting: readonly WaitingRequest[], nowMs: number): AccountReservation['limits'] {
  const last = waiting.at(-1);
  const isOver = waiting.some(({ patientUntilMs }) => nowMs >= patientUntilMs);
  if (!last || isOver) return NO_LIMITS;
  return { month: last.limits.month.requests, minute: last.limits.minute.requests };
}
