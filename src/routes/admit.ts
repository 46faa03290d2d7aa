/** Whether a caller is let in: each question in its order, the first no is the answer. */
import type { FastifyRequest } from 'fastify';
import { authenticate, type Caller } from '../access/authenticate.ts';
import type { Services } from './endpoint.ts';

/** The caller of a request that needs a key; an ApiError for the first question that fails. */
export function admit(services: Services, request: FastifyRequest): Caller {
  const header = request.headers['x-api-key'];
  return authenticate(services.store, String(header ?? ''), services.clock.now());
}
