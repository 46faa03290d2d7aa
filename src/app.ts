/**
 * The HTTP face of the service: the endpoints under each version prefix and, around them, what
 * every request meets in this order: request ids, URL length, path, method, origin, key.
 */
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from 'fastify';
import { authenticate } from './access/authenticate.ts';
import { ApiError } from './errors.ts';
import { parseQueryString } from './request/query-string.ts';
import { answerClientError } from './routes/client-error.ts';
import { answerPreflight, checkOrigin } from './routes/cors.ts';
import type { Endpoint, Exchange, Services } from './routes/endpoint.ts';
import { ENDPOINTS } from './routes/endpoints.ts';
import { answerError } from './routes/error-response.ts';
import { loggerOptions } from './routes/logger.ts';

/** Room for a URL of the greatest length that can be set, and the other headers. */
const HEADER_BYTES_MAX = 128 * 1024;
const OTHER_METHODS = METHODS.filter((method) => method !== 'GET' && method !== 'CONNECT');

function setRequestIds(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-amzn-RequestId', randomUUID());
}

function checkUrlLength(request: FastifyRequest, urlBytesMax: number): void {
  if ((request.raw.url ?? '').length > urlBytesMax) {
    throw new ApiError(414, `The URL is longer than ${urlBytesMax} bytes`);
  }
}

function exchangeOf(
  services: Services,
  prefix: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Exchange {
  const [path = '', ...rest] = (request.raw.url ?? '').split('?');
  return {
    services,
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
    422,
    parameters.map(({ name, value }) => ({
      type: 'unexpected_parameter',
      loc: ['query', name],
      msg: `Unexpected parameter '${name}': this endpoint takes none`,
      input: value,
      ctx: {},
    })),
  );
}

/** Answers one exchange: the key first, then the endpoint's own work. */
function answer(endpoint: Endpoint, exchange: Exchange): unknown {
  const { services, request, queryString } = exchange;
  if (endpoint.isPublic) {
    refuseQuery(queryString);
    return endpoint.handle(exchange);
  }
  const header = request.headers['x-api-key'];
  const caller = authenticate(services.store, String(header ?? ''), services.clock.now());
  if (!endpoint.takesQuery) refuseQuery(queryString);
  return endpoint.handle({ ...exchange, caller });
}

function registerEndpoint(
  app: FastifyInstance,
  services: Services,
  prefix: string,
  endpoint: Endpoint,
): void {
  const url = `${prefix}${endpoint.path}`;
  const { corsOrigins } = services.config;
  app.route({
    method: 'GET',
    url,
    handler: async (request, reply) => {
      checkOrigin(request, reply, corsOrigins);
      return answer(endpoint, exchangeOf(services, prefix, request, reply));
    },
  });
  app.route({
    method: OTHER_METHODS as HTTPMethods[],
    url,
    // Before any body is read: the method alone decides.
    onRequest: async (request, reply) => {
      if (request.method === 'OPTIONS' && request.headers.origin !== undefined) {
        return answerPreflight(request, reply, corsOrigins);
      }
      reply.header('allow', 'GET');
      throw new ApiError(405, 'Method Not Allowed');
    },
    handler: () => undefined,
  });
}

export function buildApp(services: Services): FastifyInstance {
  const { config } = services;
  const app: FastifyInstance = fastify({
    logger: loggerOptions(config.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    routerOptions: {
      maxParamLength: HEADER_BYTES_MAX,
      querystringParser: () => ({}),
    },
    http: { maxHeaderSize: HEADER_BYTES_MAX },
    frameworkErrors: (error, request, reply) => {
      setRequestIds(request, reply);
      answerError(config, error, request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  for (const method of OTHER_METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.addHook('onRequest', async (request, reply) => {
    setRequestIds(request, reply);
    checkUrlLength(request, config.urlBytesMax);
  });
  app.setErrorHandler((error, request, reply) => answerError(config, error, request, reply));
  app.setNotFoundHandler(() => {
    throw new ApiError(404, 'Not Found');
  });
  for (const prefix of config.prefixes) {
    for (const endpoint of ENDPOINTS) registerEndpoint(app, services, prefix, endpoint);
  }
  return app;
}
