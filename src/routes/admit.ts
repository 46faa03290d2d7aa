/** Whether a caller is let in: each question in its order, the first no is the answer. */
import type { FastifyRequest } from 'fastify';
import { authenticate, type Caller } from '../access/authenticate.ts';
import { isAllowedFrom } from '../access/ip-allow-list.ts';
import { ApiError } from '../errors.ts';
import type { Services } from './endpoint.ts';
import { requestSource } from './request-source.ts';

/** The caller of a request that needs a key; an ApiError for the first question that fails. */
export function admit(services: Services, request: FastifyRequest): Caller {
  const header = request.headers['x-api-key'];
  const caller = authenticate(services.store, String(header ?? ''), services.clock.now());
  requireSource(services, request, caller);
  return caller;
}

/** Refuses everyone but administrators. */
export function requireAdmin({ identity }: Caller): void {
  if (!identity.isAdmin) throw new ApiError(403, 'Only an administrator may do this');
}

function requireSource({ config }: Services, request: FastifyRequest, { identity }: Caller): void {
  if (identity.ipSubnets.length === 0) return;
  if (isAllowedFrom(identity.ipSubnets, requestSource(request, config))) return;
  throw new ApiError(403, 'Forbidden: IP address not allowed');
}
