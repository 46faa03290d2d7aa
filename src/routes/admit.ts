/** Whether a caller is let in: each question in its order, the first no is the answer. */
import type { FastifyRequest } from 'fastify';
import { authenticate, type Caller } from '../access/authenticate.ts';
import { isAllowedFrom } from '../access/ip-allow-list.ts';
import { ApiError } from '../errors.ts';
import type { Identity } from '../store/identities.ts';
import { ROLES } from '../store/people.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';
import { requestSource } from './request-source.ts';

/** The caller of a request that needs one; an ApiError for the first question that fails. */
export function admit(services: Services, request: FastifyRequest): Caller {
  const header = request.headers['x-api-key'];
  const caller = authenticate(services.store, String(header ?? ''), services.clock.now());
  requireSource(services, request, caller.identity);
  return caller;
}

function requireSource({ config }: Services, request: FastifyRequest, identity: Identity): void {
  if (identity.ipSubnets.length === 0) return;
  if (isAllowedFrom(identity.ipSubnets, requestSource(request, config))) return;
  throw new ApiError(403, 'Forbidden: IP address not allowed');
}

/** Refuses everyone whom the endpoint is not for. */
export function requireRight(caller: Caller, { isAdminOnly, role }: KeyedEndpoint): void {
  if (isAdminOnly && !isAdministrator(caller)) {
    throw new ApiError(403, 'Only an administrator may do this');
  }
  if (role === undefined) return;
  if (caller.key) throw new ApiError(403, 'Only a person who is signed in may do this');
  if (ROLES.indexOf(caller.person.role) >= ROLES.indexOf(role)) return;
  throw new ApiError(403, 'Only a manager of the account may do this');
}

function isAdministrator(caller: Caller): boolean {
  return caller.key ? caller.identity.isAdmin : caller.person.role === 'owner';
}
