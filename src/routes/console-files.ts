/**
 * The web console: files that a build made, and one page for every screen, which the console itself
 * tells apart by the path.
 */
import { existsSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { SERVICE_VERSION } from '../version.ts';
import { HTTP_METHODS } from './register-path.ts';

/** Where the build puts the console, whether this runs from `src` or from `dist`. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist/', import.meta.url));

const CONSOLE_PATH = '/console/';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer below the console's path. */
const SECURITY_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Names of files that builds make: no folder or file begins with a dot. */
const FILE_PATH = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

/** The page of every screen. */
const PAGE = 'index.html';

/** Files here are named by what is in them. */
const HASHED_FILES = 'assets/';

const CACHING = {
  always: { cacheControl: true, immutable: true, maxAge: '365d' },
  asked: { cacheControl: true, immutable: false, maxAge: 0 },
} as const;

const NO_STORE = 'no-store';
const SERVED_METHODS = ['GET', 'HEAD'] as const;

function sendPage(reply: FastifyReply, folder: string): FastifyReply {
  reply.header('cache-control', NO_STORE);
  if (existsSync(join(folder, PAGE))) return reply.sendFile(PAGE);
  return reply
    .code(404)
    .type('text/plain; charset=utf-8')
    .send('The console has not been built: npm run build:console\n');
}

/** A path whose last segment has an extension is a file, any other one a screen. */
function sendConsole(folder: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { '*': path = '' } = request.params as { '*'?: string };
  if (extname(path) === '' || path === PAGE) return sendPage(reply, folder);
  if (!FILE_PATH.test(path)) throw new ApiError(404, 'Not Found');
  const caching = path.startsWith(HASHED_FILES) ? CACHING.always : CACHING.asked;
  return reply.sendFile(path, caching);
}

/** Of what a request may ask of a file, such as `If-Match`, without which it does not want it. */
function refusalOf(error: unknown): FastifyError {
  const { statusCode: status = 500 } = error as FastifyError;
  const isRefusal = !(error instanceof ApiError) && status >= 400 && status < 500;
  const known = isRefusal ? new ApiError(status, STATUS_CODES[status] ?? 'Bad Request') : error;
  return known as FastifyError;
}

function refuseMethod(reply: FastifyReply): never {
  reply.header('allow', SERVED_METHODS.join(', '));
  throw new ApiError(405, 'Method Not Allowed');
}

/** One path for reading alone: every other method is refused before a body is read. */
function registerReading(
  scope: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  scope.route({ method: [...SERVED_METHODS], url, handler: async (...both) => handler(...both) });
  scope.route({
    method: HTTP_METHODS.filter((method) => !SERVED_METHODS.some((served) => served === method)),
    url,
    onRequest: async (_request, reply) => refuseMethod(reply),
    handler: () => undefined,
  });
}

/** Serves the console from `folder`, and `/`, which leads there. */
export function registerConsole(app: FastifyInstance, { prefixes }: Config, folder: string): void {
  app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: folder,
      serve: false,
      acceptRanges: false,
      index: false,
      cacheControl: false,
      dotfiles: 'ignore',
      preCompressed: true,
      suppressWarning: true,
    });
    scope.setErrorHandler((error, request, reply) =>
      app.errorHandler(refusalOf(error), request, reply),
    );
    // When it is sent, so that it is on what is refused before a route is begun, too.
    scope.addHook('onSend', (_request, reply, _body, done) => {
      reply.headers(SECURITY_HEADERS);
      done();
    });
    const send = (request: FastifyRequest, reply: FastifyReply) =>
      sendConsole(folder, request, reply);
    registerReading(scope, '/', (_request, reply) => reply.redirect(CONSOLE_PATH));
    registerReading(scope, `${CONSOLE_PATH}config.json`, (_request, reply) =>
      reply.header('cache-control', NO_STORE).send({ api: prefixes[0], version: SERVICE_VERSION }),
    );
    registerReading(scope, CONSOLE_PATH.slice(0, -1), send);
    registerReading(scope, `${CONSOLE_PATH}*`, send);
  });
}
