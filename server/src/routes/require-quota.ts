/** Whether the caller's account may still ask for something: the last question before the work. */
import type { FastifyReply } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { excessText, findExcesses, type QuotaExcess } from '../quota/quota-excess.ts';
import { utcMonth } from '../quota/utc-month.ts';
import { noUsage } from '../store/quantities.ts';
import type { MomentUsage } from '../store/usage.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';
import type { RequestTally } from './request-tally.ts';

/** Clients that were refused together come back over so many seconds. */
const RETRY_SPREAD_SECONDS = 10;

/** Refuses with 'too many requests', or 'forbidden' for a month's limit outside the data endpoints, when a limit was used up before. */
export function requireQuota(
  services: Services,
  { account, caller, usedBefore, countsInMinute }: RequestTally,
  endpoint: KeyedEndpoint,
  reply: FastifyReply,
): void {
  if (!account || !usedBefore) return;
  const { identityId, limits } = account;
  const excesses = findExcesses(limits, usedBefore, !countsInMinute);
  const [first] = excesses;
  if (!first) return;
  if (first.span === 'month' && !endpoint.servesRows) {
    throw new ApiError('forbidden', excessText(first, ' / '));
  }
  const text = excessText(first, '/');
  const waitSeconds = secondsUntilClear(services, identityId, excesses, text);
  reply.headers({
    'X-RateLimit-Limit': `${first.limit}`,
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': `${waitSeconds}`,
    ...retryAfter(services, caller.key?.keyId ?? 0, waitSeconds),
  });
  throw new ApiError('too many requests', text);
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
  // As a request it is reserved already.
  const refusal: MomentUsage = { ...noUsage(), atMs, returnedBytes };
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
