/**
 * The log: JSON lines on standard error. Of a request it has what the operator needs to follow it,
 * never its headers, so never a key, and never its query.
 */
import type { FastifyServerOptions } from 'fastify';
import { systemClock } from '../base/clock.ts';
import { shownPath, withoutKeys } from '../operation/shown.ts';
import type { Config } from '../settings/config.ts';

/** An error may quote what it was about, so its texts are searched for keys. */
function loggedError(error: Error & { code?: unknown; cause?: unknown }) {
  const { name, message, stack, code, cause } = error;
  const causeStack = cause instanceof Error ? `\ncaused by: ${cause.stack}` : '';
  return {
    type: name,
    message: withoutKeys(message),
    stack: withoutKeys(`${stack}${causeStack}`),
    ...(code === undefined ? {} : { code: withoutKeys(String(code)) }),
  };
}

type LoggerOptions = Exclude<NonNullable<FastifyServerOptions['logger']>, boolean>;

export function loggerOptions(level: Config['logLevel']): LoggerOptions {
  return {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date(systemClock.now()).toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: {
      req: (request) => ({ method: request.method, path: shownPath(request.url) }),
      res: (reply) => ({ status: reply.statusCode }),
      err: loggedError,
    },
    stream: process.stderr,
  };
}
