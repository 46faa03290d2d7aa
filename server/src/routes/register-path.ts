/**
 * Registers the endpoints of one path: their methods are served, every other one is refused. A
 * caller is let in, or not, before any body is read.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import { ApiError } from '../base/errors.ts';
import { parseQueryString } from '../request/query-string.ts';
import { admitCaller } from './admit.ts';
import { answerPreflight, checkOrigin } from './cors.ts';
import { byteLength, countTally } from './count-request.ts';
import { type Endpoint, type Exchange, isSharing, type Services } from './endpoint.ts';
import {
  digestField,
  requestDigest,
  requestTarget,
  revalidateBody,
  sourceText,
} from './http-headers.ts';
import { refuseMethod, type ServedPaths } from './served-paths.ts';

/** A sign-in is far shorter, and its body is read before anybody knows who sends it. */
const PUBLIC_BODY_BYTES_MAX = 16 * 1024;

/**
 * The last ones that were made of others, which stay the same for as long as the catalogue does.
 */
const made = new WeakMap<Services, Services>();

/** The services as a request takes them: with the definitions that are current when it begins. */
function servicesNow(services: Services): Services {
  const { current } = services.catalogs;
  if (services.catalog === current) return services;
  const known = made.get(services);
  if (known?.catalog === current) return known;
  const now = { ...services, catalog: current };
  made.set(services, now);
  return now;
}

/** The caller of a request; undefined where nobody is known. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return request.tally?.caller;
}

/** Who takes turns with others: an account, a person without one, or whoever is at an address. */
function holderOf({ config }: Services, request: FastifyRequest): string {
  const caller = callerOf(request);
  if (caller?.account) return `account ${caller.account.accountId}`;
  return caller?.key === null
    ? `person ${caller.person.personId}`
    : `address ${sourceText(request, config)}`;
}

function exchangeOf(
  services: Services,
  prefix: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Exchange<Services> {
  const [path = '', ...rest] = requestTarget(request.originalUrl).split('?');
  return {
    services: servicesNow(services),
    request,
    reply,
    path: path.slice(prefix.length),
    queryString: rest.join('?'),
  };
}

function refuseQuery(queryString: string): void {
  const parameters = parseQueryString(queryString);
  if (parameters.length === 0) return;
  throw new ApiError(
    'invalid',
    parameters.map(({ name, value }) => ({
      type: 'unexpected_parameter',
      loc: ['query', name],
      msg: `Unexpected parameter '${name}': this endpoint takes no parameters`,
      input: value,
      ctx: {},
    })),
  );
}

function answer(endpoint: Endpoint, exchange: Exchange<Services>): unknown {
  if (endpoint.isPublic || !endpoint.takesQuery) refuseQuery(exchange.queryString);
  if (endpoint.isPublic) return endpoint.handle(exchange);
  const { tally } = exchange.request;
  if (!tally) throw new Error(`${endpoint.path} was reached without a caller`);
  const { caller, claim } = tally;
  const { reply, request } = exchange;
  const keyed = { endpoint, caller, claim, tally, client: reply.raw, log: request.log };
  return endpoint.handle({ ...exchange, ...keyed });
}

/** The body to send, held for the client until it has been fetched. */
function bodyToSend(
  { unsent }: Services,
  endpoint: Endpoint,
  reply: FastifyReply,
  body: unknown,
): unknown {
  const { request } = reply;
  // All clients share the one body of a static answer.
  if (endpoint.isStatic && reply.statusCode === 200) return body;
  const holder = request.tally?.account?.accountId ?? null;
  const isPage = !endpoint.isPublic && endpoint.servesRows && reply.statusCode === 200;
  // For a page there was room before it was read.
  if (!isPage) unsent.requireRoomFor(holder, byteLength(body));
  const isTaggable = endpoint.isTagged && reply.statusCode === 200 && typeof body === 'string';
  const sent = isTaggable ? revalidateBody(request, reply, body) : body;
  if (reply.statusCode === 200 && typeof sent === 'string') {
    reply.header('Repr-Digest', digestField(sent));
  }
  unsent.hold(holder, byteLength(sent), reply.raw);
  return sent;
}

function registerEndpoint(
  app: FastifyInstance,
  services: Services,
  prefix: string,
  endpoint: Endpoint,
): void {
  const { bodyBytesMax } = services.config;
  app.route({
    method: endpoint.method,
    url: `${prefix}${endpoint.path}`,
    config: { isSharing: isSharing(endpoint) },
    bodyLimit: endpoint.isPublic ? Math.min(bodyBytesMax, PUBLIC_BODY_BYTES_MAX) : bodyBytesMax,
    onRequest: (request, reply, done) => {
      const target = requestTarget(request.originalUrl).slice(prefix.length);
      reply.header('X-Request-Digest', requestDigest(target));
      checkOrigin(request, reply, services.config);
      const begin = () => {
        if (reply.raw.destroyed) done(new ApiError('client gone', 'The client went away'));
        else done();
      };
      const start = () => services.connections.starts.add(holderOf(services, request), begin);
      if (endpoint.isPublic) start();
      else admitCaller(services, endpoint, reply).then(start, done);
    },
    onSend: (request, reply, body, done) => {
      const sent = bodyToSend(services, endpoint, reply, body);
      // A body read while it is sent is counted when its connection is done with it.
      const { tally } = request;
      if (tally && !tally.sending) countTally(services, tally, reply, sent);
      done(null, sent);
    },
    handler: async (request, reply) =>
      answer(endpoint, exchangeOf(services, prefix, request, reply)),
  });
}

export interface PathRegistration {
  readonly services: Services;
  readonly paths: ServedPaths;
  readonly prefix: string;
  /** All of one path. */
  readonly endpoints: readonly Endpoint[];
}

export function registerPath(
  app: FastifyInstance,
  { services, paths, prefix, endpoints }: PathRegistration,
): void {
  for (const endpoint of endpoints) registerEndpoint(app, services, prefix, endpoint);
  const served = endpoints.map(({ method }) => method);
  const [first] = endpoints as readonly [Endpoint];
  paths.add({
    url: `${prefix}${first.path}`,
    isSharing: isSharing(first),
    refuse: (request, reply) => {
      if (request.method === 'OPTIONS' && request.headers.origin !== undefined) {
        answerPreflight(request, reply, services.config, served);
      } else refuseMethod(reply, served);
    },
  });
}
