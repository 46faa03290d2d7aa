/** What a log line says of a request: never its headers, so never a key, and never its query. */
import type { FastifyServerOptions } from 'fastify';
import type { Config } from '../config.ts';

export function loggerOptions(
  level: Config['logLevel'],
): NonNullable<FastifyServerOptions['logger']> {
  return {
    level,
    serializers: {
      req: (request) => ({ method: request.method, path: request.url.split('?')[0] }),
      res: (reply) => ({ status: reply.statusCode }),
    },
    stream: process.stderr,
  };
}
