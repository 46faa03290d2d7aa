/** Stops a server: nothing new is accepted, running requests get time to finish, and then they are cut off. */
import { setTimeout as wait } from 'node:timers/promises';
import type { QueryGate } from '../engine/query-gate.ts';
import type { OpenConnections } from './open-connections.ts';

/** How long stopped queries may take to notice. */
const QUERY_END_MS = 5000;
const POLL_MS = 10;

/**
 * Resolves when every request is answered or, `timeoutMs` after the call, broken off: its
 * connection is closed, which stops its query.
 */
export async function stopServing(
  app: { close(): PromiseLike<unknown> },
  connections: OpenConnections,
  gate: QueryGate,
  timeoutMs: number,
): Promise<void> {
  const closed = app.close();
  const timeout = setTimeout(() => connections.breakAll(), timeoutMs);
  await closed;
  clearTimeout(timeout);
  // At least once, so that what a broken-off request used is counted before the counter is closed.
  for (let waitedMs = 0; waitedMs < QUERY_END_MS; waitedMs += POLL_MS) {
    await wait(POLL_MS);
    if (gate.runningCount === 0) return;
  }
}
