/** Whether a caller is let in: each question in its order, the first no is the answer. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import {
  authenticate,
  type Caller,
  type PersonCaller,
  requireAccount,
} from '../access/authenticate.ts';
import { isAllowedFrom } from '../access/ip-allow-list.ts';
import { csrfTokenOf, findSession } from '../access/session.ts';
import { ApiError } from '../base/errors.ts';
import type { Identity } from '../store/identities.ts';
import { ROLES, type Role } from '../store/people.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';
import { requestSource } from './request-source.ts';
import { sessionToken } from './session-cookie.ts';

/** The caller of a request that needs one; an ApiError for the first question that fails. */
export function admit(
  services: Services,
  request: FastifyRequest,
  endpoint: Pick<KeyedEndpoint, 'servesRows'>,
): Caller {
  const header = request.headers['x-api-key'];
  const person = header === undefined ? signedIn(services, request) : null;
  if (person) return admitPerson(services, request, person, endpoint);
  const caller = authenticate(services.store, String(header ?? ''), services.clock.now());
  request.account = caller.identity;
  requireSource(services, request, caller.identity);
  return caller;
}

/** The person whose session a request carries; null without one, or with a key, which goes first. */
export function signedIn(
  { store, clock, config }: Services,
  request: FastifyRequest,
): PersonCaller | null {
  if (request.headers['x-api-key'] !== undefined) return null;
  const token = sessionToken(request, config);
  return token === null ? null : findSession(store, token, clock.now(), config);
}

/** Whatever changes something has to come from a page that could read the session's answers. */
function admitPerson(
  services: Services,
  request: FastifyRequest,
  person: PersonCaller,
  { servesRows }: Pick<KeyedEndpoint, 'servesRows'>,
): PersonCaller {
  request.account = person.identity;
  if (request.method !== 'GET') requireCsrfToken(services, request);
  if (servesRows) requireSource(services, request, requireAccount(person));
  return person;
}

function requireCsrfToken({ config }: Services, request: FastifyRequest): void {
  const given = Buffer.from(String(request.headers['x-csrf-token'] ?? ''));
  const right = Buffer.from(csrfTokenOf(sessionToken(request, config) ?? ''));
  if (given.length === right.length && timingSafeEqual(given, right)) return;
  throw new ApiError('forbidden', "The request does not carry the session's CSRF token");
}

function requireSource({ config }: Services, request: FastifyRequest, identity: Identity): void {
  if (identity.ipSubnets.length === 0) return;
  if (isAllowedFrom(identity.ipSubnets, requestSource(request, config))) return;
  throw new ApiError('forbidden', 'Forbidden: IP address not allowed');
}

/** Refuses everyone whom the endpoint is not for. */
export function requireRight(caller: Caller, { isAdminOnly, role }: KeyedEndpoint): void {
  if (isAdminOnly && !isAdministrator(caller)) {
    throw new ApiError('forbidden', 'Only an administrator may do this');
  }
  if (role === undefined) return;
  if (caller.key) throw new ApiError('forbidden', 'Only a person who is signed in may do this');
  requireRole(caller, role);
}

function requireRole({ person, identity }: PersonCaller, role: Role): void {
  if (ROLES.indexOf(person.role) < ROLES.indexOf(role)) {
    throw new ApiError('forbidden', 'Only a manager of the account may do this');
  }
  // With a key of such an account, its manager would be one of all accounts.
  if (role === 'manager' && person.role === 'manager' && identity?.isAdmin) {
    throw new ApiError('forbidden', 'Only an owner may change an account that administers');
  }
}

function isAdministrator(caller: Caller): boolean {
  return caller.key ? caller.identity.isAdmin : caller.person.role === 'owner';
}
