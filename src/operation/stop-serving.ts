/** How a server ends: nothing new is taken, what runs may finish for a while, then it is cut. */
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
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
  app: FastifyInstance,
  connections: OpenConnections,
  gate: QueryGate,
  timeoutMs: number,
): Promise<void> {
  const closed = app.close();
  connections.closeWhenIdle();
  const timeout = setTimeout(() => connections.breakAll(), timeoutMs);
  await closed;
  clearTimeout(timeout);
  for (let waitedMs = 0; gate.runningCount > 0 && waitedMs < QUERY_END_MS; waitedMs += POLL_MS) {
    await wait(POLL_MS);
  }
}
