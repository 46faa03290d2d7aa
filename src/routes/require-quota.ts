/** Whether the caller's account may still ask for something: the last question before the work. */
import type { Caller } from '../access/authenticate.ts';
import { ApiError } from '../errors.ts';
import { excessText, findExcesses, type QuotaExcess } from '../quota/quota-excess.ts';
import { utcMonth } from '../quota/utc-month.ts';
import type { Identity } from '../store/identities.ts';
import type { MomentUsage } from '../store/usage.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';

/** Clients that were refused together come back over so many seconds. */
const RETRY_SPREAD_SECONDS = 10;

/** 429, or 403 for a month's limit outside the data endpoints, when a limit is used up. */
export function requireQuota(
  services: Services,
  { identityId, limits }: Identity,
  key: Caller['key'],
  endpoint: KeyedEndpoint,
): void {
  const { usage } = services;
  const isMinuteExempt = endpoint.isMinuteExempt === true;
  const excesses = findExcesses(limits, usage.used(identityId), isMinuteExempt);
  const [first] = excesses;
  if (!first) return;
  if (first.span === 'month' && !endpoint.servesRows) {
    throw new ApiError(403, excessText(first, ' / '));
  }
  const text = excessText(first, '/');
  const waitSeconds = secondsUntilClear(services, identityId, excesses, text);
  throw new ApiError(429, text, {
    'X-RateLimit-Limit': `${first.limit}`,
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': `${waitSeconds}`,
    ...retryAfter(services, key?.keyId ?? 0, waitSeconds),
  });
}

/** Until the same request could pass, given that its refusal counts too. */
function secondsUntilClear(
  { usage, clock }: Services,
  identityId: number,
  excesses: readonly QuotaExcess[],
  text: string,
): number {
  const atMs = clock.now();
  const returnedBytes = Buffer.byteLength(JSON.stringify({ detail: text }));
  const refusal: MomentUsage = { atMs, requests: 1, scannedBytes: 0, returnedBytes };
  const clearsAtMs = excesses.map(({ span, quantity, limit }) =>
    span === 'month'
      ? utcMonth(atMs).endMs
      : usage.minuteClearsAtMs(identityId, quantity, limit, refusal),
  );
  return Math.ceil((Math.max(...clearsAtMs) - atMs) / 1000);
}

function retryAfter({ config }: Services, keyId: number, waitSeconds: number) {
  if (config.retryAfter === 'off') return {};
  return { 'Retry-After': `${waitSeconds + (keyId % RETRY_SPREAD_SECONDS)}` };
}
