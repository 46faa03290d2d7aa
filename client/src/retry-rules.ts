/** Which failures are tried again, and after how long. Pure. */
import {
  APIError,
  IntegrityError,
  QuotaExceededError,
  RateLimitError,
  TransportError,
} from './errors.ts';

export interface RetryRules {
  /** Attempts after the first one. */
  readonly maxRetries: number;
  /** A wait that would be longer is none: the error is raised at once. */
  readonly maxWaitMs: number;
  /** The first wait where the service names none; each further one is twice as long. */
  readonly firstWaitMs: number;
}

const WAIT_MS_MAX = 8000;
const JITTER = 0.25;

/** Retries by status, up to the client's own number; other statuses are final. */
const RETRIES: Readonly<Record<number, number>> = {
  408: Number.POSITIVE_INFINITY,
  429: Number.POSITIVE_INFINITY,
  500: 1,
  502: Number.POSITIVE_INFINITY,
  503: Number.POSITIVE_INFINITY,
};

function retriesOf(failure: unknown): number {
  if (failure instanceof TransportError) return Number.POSITIVE_INFINITY;
  // Damaged answers are asked for once more.
  if (failure instanceof IntegrityError) return 1;
  if (!(failure instanceof APIError) || failure instanceof QuotaExceededError) return 0;
  return RETRIES[failure.status] ?? 0;
}

function backoffMs(firstWaitMs: number, attempt: number, random: number): number {
  const waitMs = Math.min(WAIT_MS_MAX, firstWaitMs * 2 ** (attempt - 1));
  return waitMs * (1 + JITTER * (2 * random - 1));
}

/**
 * Milliseconds to wait before the next attempt; null: none. `attempt` counts from 1, `random` is
 * from 0 to 1.
 */
export function retryWaitMs(
  failure: unknown,
  attempt: number,
  { maxRetries, maxWaitMs, firstWaitMs }: RetryRules,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): number | null {
  if (attempt > Math.min(maxRetries, retriesOf(failure))) return null;
  const toldMs = failure instanceof APIError ? failure.retryAtMs : null;
  const waitMs =
    toldMs === null ? backoffMs(firstWaitMs, attempt, random) : Math.max(0, toldMs - nowMs);
  return waitMs > maxWaitMs ? null : waitMs;
}

/** Refused requests count, too: while a limit of the minute is used up, all requests wait. */
export function closesGate(failure: unknown): boolean {
  return failure instanceof RateLimitError;
}
