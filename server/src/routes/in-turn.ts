/** Work on the lake for a request, when its account's turn comes. */
import { ApiError } from '../base/errors.ts';
import type { KeyedExchange } from './endpoint.ts';

/**
 * Runs the work when the account's turn comes. Rejects with an ApiError where too many
 * wait, past the time limit and when the client goes away, which stop the work.
 */
export async function inTurn<T>(
  { services, reply, tally }: KeyedExchange,
  identityId: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(services.config.queryTimeoutMs);
  const gone = new AbortController();
  const onClose = () => gone.abort(new ApiError('client gone', 'The client went away'));
  reply.raw.once('close', onClose);
  // It may have gone while the request was planned.
  if (reply.raw.destroyed) onClose();
  const signal = AbortSignal.any([timeout, gone.signal]);
  tally.isWaiting = true;
  try {
    return await services.gate.run(identityId, signal, () => {
      tally.isWaiting = false;
      return work(signal);
    });
  } catch (error) {
    if (timeout.aborted && !gone.signal.aborted) throw new ApiError('timed out', 'Gateway timeout');
    throw error;
  } finally {
    reply.raw.off('close', onClose);
  }
}

/** The result of work that goes on after it has handed it over. Rejects where the work does so before. */
export function handedOver<T>(work: (hand: (result: T) => void) => Promise<void>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  work(resolve).catch(reject);
  return promise;
}
