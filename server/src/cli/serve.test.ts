import { setTimeout as wait } from 'node:timers/promises';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { QueryGate } from '../engine/query-gate.ts';
import { OpenConnections } from '../operation/open-connections.ts';
import { stopServing } from './serve.ts';

const LIMITS = {
  connectionsMax: 10,
  connectionsPerAddressMax: 10,
  anonymousConnectionsMax: 10,
  pipelinedRequestsMax: 10,
  trustedProxies: [],
};

const ROOM = { hasRoom: () => true, onFreed: () => undefined };

it('waits for the end of running queries, also of those that nobody waits for', async () => {
  const gate = new QueryGate({ queriesMax: 1, queueMax: 1, queuePerAccountMax: 1 }, ROOM);
  let isDone = false;
  const query = gate.run(1, new AbortController().signal, async () => {
    await wait(500);
    isDone = true;
  });
  await stopServing(fastify(), new OpenConnections(LIMITS), gate, 0);
  expect(isDone).toBe(true);
  await query;
});
