/** Endpoints of the operations on the lake. */
import type { Fault } from '../admin/field.ts';
import { type LakeOperation, lakeValues, runOnLake } from '../admin/lake-operation.ts';
import { ApiError, UsageError } from '../base/errors.ts';
import { PublisherBusy } from '../lake/publication-options.ts';
import { asOfNow, type DataServices } from '../query/reader.ts';
import { requireRight } from './admit.ts';
import type { DataExchange, KeyedEndpoint } from './endpoint.ts';
import { sourceText } from './http-headers.ts';
import { actorOf, callersError, describedEndpoint, inputOf } from './operation-endpoint.ts';

/** How long a request waits for a publication of somebody else. */
const WAIT_MS = 5000;

const BUSY = 'Another publication is under way; try again when it has ended';

/** Servers that change what is published at this moment: a second change would slow down all requests. */
const changing = new WeakSet<DataServices>();

async function oneAtATime<T>(services: DataServices, work: () => Promise<T>): Promise<T> {
  if (changing.has(services)) throw new ApiError('unavailable', BUSY);
  changing.add(services);
  try {
    return await work();
  } finally {
    changing.delete(services);
  }
}

/** What stands in the way of a change is told as a conflict; paths of the server are not told. */
function conflictOf(error: unknown): unknown {
  if (error instanceof PublisherBusy) return new ApiError('unavailable', BUSY);
  if (!(error instanceof UsageError)) return error;
  const { message } = error;
  return new ApiError('conflict', `${message.charAt(0).toUpperCase()}${message.slice(1)}`);
}

async function answerOf(operation: LakeOperation, exchange: DataExchange): Promise<unknown> {
  const { services, caller, request } = exchange;
  const { lake, catalog, config, store, clock } = services;
  const nowMs = clock.now();
  const by = { lake, catalog, policy: config, nowMs, actor: actorOf(caller), waitMs: WAIT_MS };
  const source = sourceText(request, config);
  try {
    const faults: Fault[] = [];
    const input = inputOf(operation, exchange, faults);
    const values = lakeValues(operation, by, input, faults);
    if (operation.method === 'GET') return (await operation.run(by, values)).answer;
    // A body can arrive long after the head that its sender was let in by.
    requireRight((await asOfNow(exchange)).caller, exchange.endpoint);
    const work = () => runOnLake(operation, by, values, store, source);
    return (await oneAtATime(services, work)).answer;
  } catch (error) {
    throw conflictOf(callersError(operation, error));
  }
}

export function lakeEndpoint(operation: LakeOperation): KeyedEndpoint {
  return {
    ...describedEndpoint(operation),
    isAdminOnly: true,
    handle: (exchange) => answerOf(operation, exchange),
  };
}
