/**
 * The HTTP face of the service: the endpoints under each version prefix and, around them, what
 * every request meets first: request ids, URL length, path. What follows in `register-path.ts` is
 * the method, the origin, and whether the caller is let in.
 */
import { randomUUID } from 'node:crypto';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from './config.ts';
import { ApiError } from './errors.ts';
import { answerClientError } from './routes/client-error.ts';
import type { Services } from './routes/endpoint.ts';
import { ENDPOINTS } from './routes/endpoints.ts';
import { answerError } from './routes/error-response.ts';
import { loggerOptions } from './routes/logger.ts';
import { HTTP_METHODS, registerPath } from './routes/register-path.ts';
import { proxyHeader } from './routes/request-source.ts';

/** Room for a URL of the greatest length that can be set, and the other headers. */
const HEADER_BYTES_MAX = 128 * 1024;

/** What a request id of another system may look like, to be taken over into answers. */
const EDGE_ID = /^[A-Za-z0-9._:=+/-]{1,128}$/;

/** The edge's id is kept when a trusted proxy sends one. */
function setRequestIds(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  const edgeId = proxyHeader(request, 'x-amzn-requestid', config);
  reply.header('x-request-id', request.id);
  reply.header('x-amzn-RequestId', edgeId !== null && EDGE_ID.test(edgeId) ? edgeId : randomUUID());
}

function checkUrlLength(request: FastifyRequest, urlBytesMax: number): void {
  if ((request.raw.url ?? '').length > urlBytesMax) {
    throw new ApiError(414, `The URL is longer than ${urlBytesMax} bytes`);
  }
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
      setRequestIds(config, request, reply);
      answerError(config, error, request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  for (const method of HTTP_METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.addHook('onRequest', async (request, reply) => {
    setRequestIds(config, request, reply);
    checkUrlLength(request, config.urlBytesMax);
  });
  app.setErrorHandler((error, request, reply) => answerError(config, error, request, reply));
  app.setNotFoundHandler(() => {
    throw new ApiError(404, 'Not Found');
  });
  for (const endpoints of Map.groupBy(ENDPOINTS, ({ path }) => path).values()) {
    for (const prefix of config.prefixes) registerPath(app, services, prefix, endpoints);
  }
  return app;
}
