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
import { ApiError } from '../base/errors.ts';
import { CONSOLE_FOLDER } from '../base/installation.ts';
import type { Config } from '../settings/config.ts';
import { storageProblem } from '../store/store-errors.ts';
import { registerConsole } from './console.ts';
import { observeRequest } from './count-request.ts';
import { type Services, takesBytes } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { answerError } from './error-response.ts';
import { proxyHeader, routedTarget } from './http-headers.ts';
import {
  answerOddRequests,
  clientErrorHandler,
  createHttpServer,
  loggerOptions,
} from './http-server.ts';
import { callerOf, type PathRegistration, registerPath } from './register-path.ts';
import { acceptJsonBodies, acceptStreamedBodies } from './request-fields.ts';
import { ROUTER_OPTIONS, ServedPaths } from './served-paths.ts';

/** The form that another system's request id must have to be used in answers. */
const EDGE_ID = /^[A-Za-z0-9._:=+/-]{1,128}$/;

/** The edge's id is kept when a trusted proxy sends one. */
function setRequestIds(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  const edgeId = proxyHeader(request, 'x-amzn-requestid', config);
  reply.header('x-request-id', request.id);
  reply.header('x-amzn-RequestId', edgeId !== null && EDGE_ID.test(edgeId) ? edgeId : randomUUID());
}

/** Checks the head of every request, before its path, method or key. */
function checkRequestHead(request: FastifyRequest, urlBytesMax: number): void {
  const { originalUrl, raw } = request;
  if (originalUrl.length > urlBytesMax) {
    throw new ApiError('too long', `The URL is longer than ${urlBytesMax} bytes`);
  }
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
    throw new ApiError('malformed', 'The request should have a Host header');
  }
  // Some along the way would go by the first, and others by the last.
  if (raw.rawHeaders.filter((text, at) => at % 2 === 0 && /^host$/i.test(text)).length > 1) {
    throw new ApiError('malformed', 'The request should have one Host header');
  }
  // Some clients and proxies cut off a fragment, others pass it on: the intent is ambiguous.
  if (originalUrl.includes('#')) {
    throw new ApiError('malformed', "A '#' in the URL should be written as %23");
  }
}

/** One line when the storage fails and one when it works again, however much fails meanwhile. */
function logProblems(app: FastifyInstance, services: Services): void {
  const { engine, upkeep, lakeUpkeep, usage } = services;
  engine.onWorkerDeath = (error) => app.log.error({ err: error }, 'a page worker died');
  lakeUpkeep.onFailure = (error) => app.log.error({ err: error }, 'tidying up the lake failed');
  upkeep.onProblem = (problem) => {
    if (problem === null) app.log.warn('The control store can be written again');
    else app.log.error(`The control store cannot be written, or only its reserve: ${problem}`);
  };
  upkeep.looks.onFailure = (error) =>
    app.log.error({ err: error }, 'looking after the store failed');
  usage.onFailure = (error) => {
    if (storageProblem(error) === null) app.log.error({ err: error }, 'usage was not stored');
  };
}

/** Registers a path, in a scope of its own where bodies are not JSON. */
function registerInScope(app: FastifyInstance, registration: PathRegistration): void {
  if (!registration.endpoints.some(takesBytes)) {
    registerPath(app, registration);
    return;
  }
  app.register(async (scope) => {
    acceptStreamedBodies(scope);
    registerPath(scope, registration);
  });
}

/** `consoleFolder` holds the built console; it may be missing. */
export function buildApp(services: Services, consoleFolder = CONSOLE_FOLDER): FastifyInstance {
  const { config, metrics, board } = services;
  const isLogged = config.logLevel === 'info' || config.logLevel === 'debug';
  const observer = { metrics, board, isLogged, callerOf };
  const meetRequest = (request: FastifyRequest, reply: FastifyReply) => {
    observeRequest(observer, request, reply);
    setRequestIds(config, request, reply);
  };
  const app: FastifyInstance = fastify({
    logger: loggerOptions(config.logLevel),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    // Requests that still arrive on a connection that is being closed are answered as usual.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    routerOptions: {
      ...ROUTER_OPTIONS,
      querystringParser: () => ({}),
    },
    rewriteUrl: ({ url = '' }) => routedTarget(url),
    serverFactory: (listener) => createHttpServer(listener, config, services.connections),
    bodyLimit: config.bodyBytesMax,
    frameworkErrors: (error, request, reply) => {
      meetRequest(request, reply);
      answerError(services, error, request, reply);
    },
    clientErrorHandler: clientErrorHandler(services.connections),
  });
  answerOddRequests(app.server, services.connections);
  const paths = new ServedPaths(config.prefixes);
  app.decorateRequest('account', null);
  app.decorateRequest('tally', null);
  app.decorateRequest('refusedPath', null);
  acceptJsonBodies(app);
  app.addHook('onRequest', (request, reply, done) => {
    meetRequest(request, reply);
    checkRequestHead(request, config.urlBytesMax);
    // Before a body is read.
    if (request.is404) paths.refuse(request, reply);
    else done();
  });
  logProblems(app, services);
  services.uploads.onFailure = (text) => app.log.error(text);
  app.setErrorHandler((error, request, reply) => answerError(services, error, request, reply));
  for (const endpoints of Map.groupBy(ENDPOINTS, ({ path }) => path).values()) {
    for (const prefix of config.prefixes) {
      registerInScope(app, { services, paths, prefix, endpoints });
    }
  }
  registerConsole(app, services, paths, consoleFolder);
  return app;
}
