/** Admits a caller, or not: each question in its order, the first no is the answer. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Claim,
  type Claimed,
  callerOf,
  claimedIn,
  claimedNow,
  requireAllowed,
} from '../access/admission.ts';
import {
  type Caller,
  keyHashOf,
  type PersonCaller,
  requireAccount,
} from '../access/authenticate.ts';
import { csrfTokenOf, hashToken, liveSession, noteUse } from '../access/session.ts';
import { ApiError } from '../base/errors.ts';
import { openTicket, type Ticket } from '../delivery/ticket.ts';
import type { CommonServices } from '../query/reader.ts';
import type { Reservation } from '../quota/quota-counters.ts';
import type { Account } from '../store/accounts.ts';
import type { StoreTransaction } from '../store/control-store.ts';
import { ROLES, type Role } from '../store/people.ts';
import {
  beginTally,
  countWhenGone,
  type RequestTally,
  requireQuota,
  showLimits,
} from './count-request.ts';
import type { AdmissionServices, KeyedEndpoint, KeyedExchange } from './endpoint.ts';
import { requestSource } from './http-headers.ts';
import { sessionToken } from './session-cookie.ts';

/** The headers of a request that every answer to a caller depends on. */
const CALLER_HEADERS = 'Origin, X-API-KEY, Cookie';
/** Vary headers where the key may also come as a bearer token. */
const BEARER_HEADERS = `${CALLER_HEADERS}, Authorization`;

/**
 * Keeps browsers and proxies from storing the answer for somebody else, errors included; an answer
 * with a tag may be stored to be revalidated. `Vary` tells proxies that store answers anyway what
 * the answer depends on, and `nosniff` keeps browsers from taking it for a page or a script.
 */
export function forCallerAlone(reply: FastifyReply): void {
  reply
    .header('cache-control', 'no-store')
    .header('vary', CALLER_HEADERS)
    .header('x-content-type-options', 'nosniff');
}

/** Admits a caller by everything that any process has changed before the request. */
export async function admitCaller(
  services: AdmissionServices,
  endpoint: KeyedEndpoint,
  reply: FastifyReply,
): Promise<void> {
  const { request } = reply;
  forCallerAlone(reply);
  if (endpoint.isSharing) reply.header('vary', BEARER_HEADERS);
  if (endpoint.servesRows) reply.header('vary', `${CALLER_HEADERS}, Accept, Accept-Encoding`);
  const claim = claimOf(services, request, endpoint);
  const reservation = await reserve(services, endpoint, request, claim);
  let tally: RequestTally;
  try {
    tally = admitNow(services, endpoint, reply, { claim, reservation });
  } catch (error) {
    // Nobody else ends it where the request has not come to be counted.
    reservation?.release();
    throw error;
  }
  const { caller } = tally;
  showLimits(services, tally, reply);
  await requireQuota(services, tally, endpoint, reply);
  requireRight(caller, endpoint);
  // A person who changes too much is refused.
  const isReading = endpoint.method === 'GET' || endpoint.method === 'HEAD';
  const isChange = !isReading && !endpoint.isMinuteExempt;
  if (!caller.key && isChange) await services.changes.count(caller.person);
  // Whoever has a link may not be the person, so that it must not keep the session alive.
  if (!caller.key && !endpoint.takesTicket) {
    await noteUse(services.store, caller.session, services.clock.now(), services.config);
  }
}

/**
 * The account that a request of a caller counts for: what people ask for counts only where it is
 * data.
 */
function countedAccount(
  caller: Caller,
  { servesRows }: KeyedEndpoint,
  nowMs: number,
): Account | null {
  return caller.key || servesRows ? requireAccount(caller, nowMs) : null;
}

/**
 * Catches up with the store and reserves a request of a caller who is known; null where it counts
 * for nobody. The store, which may be far away, is asked for both at once: the account is the one
 * that was known before, unless what has changed meanwhile says otherwise.
 */
export async function reserve(
  services: AdmissionServices,
  endpoint: KeyedEndpoint,
  request: FastifyRequest,
  claim: Claim,
): Promise<Reservation | null> {
  const account = () =>
    countedAccount(admit(services, request, claim), endpoint, services.clock.now());
  const expected = unlessRefused(account);
  const reserving = reserveFor(services, endpoint, expected);
  try {
    await Promise.all([services.store.catchUp(), reserving.catch(() => null)]);
    const known = account();
    if (known?.accountId === expected?.accountId) return await reserving;
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

/** Refuses a request, uncounted, when no more can be counted. */
async function reserveFor(
  { usage }: AdmissionServices,
  endpoint: KeyedEndpoint,
  account: Account | null,
): Promise<Reservation | null> {
  if (!account) return null;
  if (usage.isFull) throw new ApiError('unavailable', 'Service unavailable');
  return await usage.counters.reserve(account, !endpoint.isMinuteExempt);
}

/**
 * A caller who is known is counted from here on, also when the request is then refused. Waits for
 * nothing: the caller is judged by what is known after the reservation.
 */
function admitNow(
  services: AdmissionServices,
  endpoint: KeyedEndpoint,
  reply: FastifyReply,
  { claim, reservation }: Pick<RequestTally, 'claim' | 'reservation'>,
): RequestTally {
  const { request } = reply;
  // A closed reply reports no end, so its reservation would never be released.
  if (reply.raw.destroyed) throw new ApiError('client gone', 'The client went away');
  const caller = admit(services, request, claim);
  services.connections.noteCaller(request.raw.socket);
  const account = countedAccount(caller, endpoint, services.clock.now());
  const tally = beginTally({ caller, claim, account, reservation, endpoint });
  request.tally = tally;
  if (account) countWhenGone(services, tally, reply);
  return tally;
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

/** A key goes before a session. */
function hashesOf(
  { config, linkSecret, clock }: AdmissionServices,
  request: FastifyRequest,
  endpoint: JudgedEndpoint,
): Pick<Claim, 'keyHash' | 'tokenHash'> {
  if (endpoint.takesTicket) return requireTicket(request, linkSecret, clock.now());
  const key = keyOf(request, endpoint);
  if (key !== null) return { keyHash: keyHashOf(key), tokenHash: null };
  const token = sessionToken(request, config);
  return { keyHash: null, tokenHash: token === null ? null : hashToken(token) };
}

/**
 * Credentials that a request carries. Throws an ApiError 'not authenticated' if there are none, or
 * if a ticket is invalid.
 */
export function claimOf(
  services: AdmissionServices,
  request: FastifyRequest,
  endpoint: JudgedEndpoint,
): Claim {
  const { keyHash, tokenHash } = hashesOf(services, request, endpoint);
  const isReading = ['GET', 'HEAD'].includes(request.method);
  return {
    ...{ keyHash, tokenHash, asksForRows: endpoint.servesRows === true },
    hasCsrfToken: isReading || hasCsrfToken(services, request),
    source: () => requestSource(request, services.config),
  };
}

/** Whoever changes something needs a page that could read the session's answers. */
function hasCsrfToken({ config }: CommonServices, request: FastifyRequest): boolean {
  const given = Buffer.from(String(request.headers['x-csrf-token'] ?? ''));
  const right = Buffer.from(csrfTokenOf(sessionToken(request, config) ?? ''));
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Waits for nothing: what is decided with its answer before the next await is decided with it. */
function judge(
  { clock, config }: CommonServices,
  request: FastifyRequest,
  claim: Claim,
  claimed: Claimed,
): Caller {
  const nowMs = clock.now();
  const caller = callerOf(claim, claimed, nowMs, config);
  request.account = caller.account;
  requireAllowed(caller, claim, nowMs);
  return caller;
}

/** The caller by what the replica knows; an ApiError for the first question that fails. */
export function admit(services: CommonServices, request: FastifyRequest, claim: Claim): Caller {
  return judge(services, request, claim, claimedNow(services.store, claim));
}

/** Admits within a transaction, so that nothing comes between the check and the write. */
export async function admitIn(tx: StoreTransaction, exchange: KeyedExchange): Promise<Caller> {
  const { services, request, claim } = exchange;
  return judge(services, request, claim, await claimedIn(tx, claim));
}

/**
 * The person whose session a request carries; null without one, or with a key, which goes first.
 */
export function signedIn(
  { store, clock, config }: CommonServices,
  request: FastifyRequest,
): PersonCaller | null {
  if (request.headers['x-api-key'] !== undefined) return null;
  const token = sessionToken(request, config);
  if (token === null) return null;
  return liveSession(store.replica.findSession(hashToken(token)), clock.now(), config);
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

function requireRole({ person, account }: PersonCaller, role: Role): void {
  if (ROLES.indexOf(person.role) < ROLES.indexOf(role)) {
    throw new ApiError('forbidden', 'Only a manager of the account may do this');
  }
  // With a key of such an account, its manager would be one of all accounts.
  if (role === 'manager' && person.role === 'manager' && account?.isAdmin) {
    throw new ApiError('forbidden', 'Only an owner may change an administrator account');
  }
}

export function isAdministrator(caller: Caller): boolean {
  return caller.key ? caller.account.isAdmin : caller.person.role === 'owner';
}

/**
 * The ticket in the path of a request for a file; an ApiError 'forbidden' that says what is wrong
 * with it.
 */
export function requireTicket(request: FastifyRequest, linkSecret: Buffer, nowMs: number): Ticket {
  const { ticket: text } = request.params as { ticket: string };
  const ticket = openTicket(text, linkSecret);
  if (ticket === null) throw new ApiError('forbidden', "The file's link is not valid");
  if (ticket.expiresAtMs > nowMs) return ticket;
  throw new ApiError('forbidden', "The file's link has expired: ask for a new manifest");
}
