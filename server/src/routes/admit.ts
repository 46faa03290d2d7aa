/** Admits a caller, or not: each question in its order, the first no is the answer. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Caller,
  keyHashOf,
  type PersonCaller,
  requireAccount,
  requireLiveKey,
} from '../access/authenticate.ts';
import { isAllowedFrom } from '../access/ip-allow-list.ts';
import { csrfTokenOf, hashToken, liveSession, noteUse } from '../access/session.ts';
import { ApiError } from '../base/errors.ts';
import type { Reservation } from '../quota/quota-counters.ts';
import type { StoreTransaction } from '../store/control-store.ts';
import type { Credential } from '../store/credentials.ts';
import type { Identity } from '../store/identities.ts';
import { ROLES, type Role } from '../store/people.ts';
import type { SessionHolder } from '../store/sessions.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';
import { requestSource } from './request-source.ts';
import { beginTally, countTally, type RequestTally, requireQuota } from './request-tally.ts';
import { requireTicket } from './request-ticket.ts';
import { sessionToken } from './session-cookie.ts';

/** The headers of a request that every answer to a caller depends on. */
const CALLER_HEADERS = 'Origin, X-API-KEY, Cookie';
/** The same of requests that may bring their key as a token. */
const BEARER_HEADERS = `${CALLER_HEADERS}, Authorization`;

/**
 * Keeps browsers and proxies from storing the answer for somebody else, errors included; an answer with
 * a tag may be stored to be revalidated. `Vary` tells proxies that store answers anyway what the answer
 * depends on, and `nosniff` keeps browsers from taking it for a page or a script.
 */
export function forCallerAlone(reply: FastifyReply): void {
  reply
    .header('cache-control', 'no-store')
    .header('vary', CALLER_HEADERS)
    .header('x-content-type-options', 'nosniff');
}

/** Admits a caller by everything that any process has changed before the request. */
export async function admitCaller(
  services: Services,
  endpoint: KeyedEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  forCallerAlone(reply);
  if (endpoint.isSharing) reply.header('vary', BEARER_HEADERS);
  if (endpoint.servesRows) reply.header('vary', `${CALLER_HEADERS}, Accept, Accept-Encoding`);
  const claim = claimOf(services, request, endpoint);
  const reservation = await reserve(services, endpoint, request, claim);
  let tally: RequestTally;
  try {
    tally = admitNow(services, endpoint, request, reply, claim, reservation);
  } catch (error) {
    // Nobody else ends it where the request has not come to be counted.
    reservation?.release();
    throw error;
  }
  const { caller } = tally;
  await requireQuota(services, tally, endpoint, reply);
  requireRight(caller, endpoint);
  await requirePace(services, caller, endpoint);
  // Whoever has a link may not be the person, so that it must not keep the session alive.
  if (!caller.key && !endpoint.takesTicket) {
    await noteUse(services.store, caller.session, services.clock.now(), services.config);
  }
}

/** The account that a request of a caller counts for: what people ask for counts only where it is data. */
function countedAccount(
  caller: Caller,
  { servesRows }: KeyedEndpoint,
  nowMs: number,
): Identity | null {
  return caller.key || servesRows ? requireAccount(caller, nowMs) : null;
}

/**
 * Catches up with the store and reserves a request of a caller who is known; null where it counts for nobody. The
 * store, which may be far away, is asked for both at once: the account is the one that was known before, unless
 * what has changed meanwhile says otherwise.
 */
export async function reserve(
  services: Services,
  endpoint: KeyedEndpoint,
  request: FastifyRequest,
  claim: Claim,
): Promise<Reservation | null> {
  const account = () =>
    countedAccount(admit(services, request, endpoint, claim), endpoint, services.clock.now());
  const expected = unlessRefused(account);
  const reserving = reserveFor(services, endpoint, expected);
  try {
    await Promise.all([services.store.catchUp(), reserving.catch(() => null)]);
    const known = account();
    if (known?.identityId === expected?.identityId) return await reserving;
    await giveBack(reserving);
    return await reserveFor(services, endpoint, known);
  } catch (error) {
    void giveBack(reserving);
    throw error;
  }
}

async function giveBack(reserving: Promise<Reservation | null>): Promise<void> {
  (await reserving.catch(() => null))?.release();
}

function unlessRefused<T>(judge: () => T): T | null {
  try {
    return judge();
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Where no more can be counted, a request is refused uncounted. */
async function reserveFor(
  { usage }: Services,
  endpoint: KeyedEndpoint,
  account: Identity | null,
): Promise<Reservation | null> {
  if (!account) return null;
  if (usage.isFull) throw new ApiError('unavailable', 'Service unavailable');
  return await usage.reserve(account, !endpoint.isMinuteExempt);
}

/**
 * A caller who is known is counted from here on, also when the request is then refused. Waits for nothing:
 * the caller is judged by what is known after the reservation.
 */
function admitNow(
  services: Services,
  endpoint: KeyedEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  claim: Claim,
  reservation: Reservation | null,
): RequestTally {
  // Its end would not be told any more, and what it reserves never be given back.
  if (reply.raw.destroyed) throw new ApiError('client gone', 'The client went away');
  const caller = admit(services, request, endpoint, claim);
  services.connections.noteCaller(request.raw.socket);
  const account = countedAccount(caller, endpoint, services.clock.now());
  const tally = beginTally(caller, account, reservation, endpoint);
  request.tally = tally;
  if (account) {
    // A client that goes away may leave nothing to be answered.
    reply.raw.once('close', () => countTally(services, tally, request, reply, undefined));
  }
  return tally;
}

/** Counts what a person changes, and refuses one who changes too much. */
async function requirePace(
  services: Services,
  caller: Caller,
  endpoint: KeyedEndpoint,
): Promise<void> {
  const isReading = endpoint.method === 'GET' || endpoint.method === 'HEAD';
  const isChange = !isReading && !endpoint.isMinuteExempt;
  if (!caller.key && isChange) await services.changes.count(caller.person);
}

/** A request's claim of who its caller is: the hashes by which the store knows the caller. */
export interface Claim {
  readonly keyHash: string | null;
  readonly tokenHash: string | null;
}

/** The caller whom the store knows by a claim. */
interface Found {
  readonly credential: Credential | null;
  readonly holder: SessionHolder | null;
}

type JudgedEndpoint = Pick<KeyedEndpoint, 'servesRows' | 'takesTicket' | 'isSharing'>;

/** The key that a request has, as a header of its own or as a token. */
function keyOf({ headers }: FastifyRequest, { isSharing }: JudgedEndpoint): string | null {
  const own = headers['x-api-key'];
  if (own !== undefined) return String(own);
  if (!isSharing) return null;
  const [, token = null] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return token;
}

/** A key goes before a session. An ApiError 'not authenticated' without any, or for a ticket that is no good. */
export function claimOf(
  { config, linkSecret, clock }: Services,
  request: FastifyRequest,
  endpoint: JudgedEndpoint,
): Claim {
  if (endpoint.takesTicket) return requireTicket(request, linkSecret, clock.now());
  const key = keyOf(request, endpoint);
  if (key !== null) return { keyHash: keyHashOf(key), tokenHash: null };
  const token = sessionToken(request, config);
  return { keyHash: null, tokenHash: token === null ? null : hashToken(token) };
}

/** Waits for nothing: what is decided with its answer before the next await is decided with it. */
function judge(
  services: Services,
  request: FastifyRequest,
  endpoint: JudgedEndpoint,
  { keyHash }: Claim,
  { credential, holder }: Found,
): Caller {
  const { clock, config } = services;
  const nowMs = clock.now();
  const person = liveSession(holder, nowMs, config);
  if (person) return admitPerson(services, request, person, endpoint);
  if (keyHash === null) throw new ApiError('not authenticated', 'Not authenticated');
  const caller = requireLiveKey(credential, nowMs);
  request.account = caller.identity;
  requireSource(services, request, caller.identity);
  return caller;
}

/**
 * The caller of a request that needs one, by what the replica knows; an ApiError for the first question
 * that fails.
 */
export function admit(
  services: Services,
  request: FastifyRequest,
  endpoint: JudgedEndpoint,
  claim = claimOf(services, request, endpoint),
): Caller {
  const { replica, outage } = services.store;
  const { keyHash, tokenHash } = claim;
  const found = {
    credential: keyHash === null ? null : replica.findCredential(keyHash),
    holder: tokenHash === null ? null : replica.findSession(tokenHash),
  };
  // Whom the store may know by now: only it could tell.
  if (outage && !found.credential && !found.holder && (keyHash ?? tokenHash) !== null) {
    throw new ApiError('unavailable', 'Service unavailable');
  }
  return judge(services, request, endpoint, claim, found);
}

/** The same by what a transaction reads, so that nothing comes between it and what is written. */
export async function admitIn(
  tx: StoreTransaction,
  services: Services,
  request: FastifyRequest,
  endpoint: JudgedEndpoint,
): Promise<Caller> {
  const claim = claimOf(services, request, endpoint);
  const { keyHash, tokenHash } = claim;
  return judge(services, request, endpoint, claim, {
    credential: keyHash === null ? null : await tx.findCredential(keyHash),
    holder: tokenHash === null ? null : await tx.findSession(tokenHash),
  });
}

/** The person whose session a request carries; null without one, or with a key, which goes first. */
export function signedIn(
  { store, clock, config }: Services,
  request: FastifyRequest,
): PersonCaller | null {
  if (request.headers['x-api-key'] !== undefined) return null;
  const token = sessionToken(request, config);
  if (token === null) return null;
  return liveSession(store.replica.findSession(hashToken(token)), clock.now(), config);
}

/** Whatever changes something has to come from a page that could read the session's answers. */
function admitPerson(
  services: Services,
  request: FastifyRequest,
  person: PersonCaller,
  { servesRows }: JudgedEndpoint,
): PersonCaller {
  request.account = person.identity;
  if (!['GET', 'HEAD'].includes(request.method)) requireCsrfToken(services, request);
  if (servesRows) requireSource(services, request, requireAccount(person, services.clock.now()));
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
    throw new ApiError('forbidden', 'Only an owner may change an administrator account');
  }
}

export function isAdministrator(caller: Caller): boolean {
  return caller.key ? caller.identity.isAdmin : caller.person.role === 'owner';
}
