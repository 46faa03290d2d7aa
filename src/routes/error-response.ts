/** Failures -> answers. The caller reads what concerns the request; the log keeps the rest. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';

/** Refusals of the framework that have a documented answer. */
const FRAMEWORK_ERRORS: Readonly<Record<string, ApiError>> = {
  FST_ERR_BAD_URL: new ApiError(404, 'Not Found'),
};

const INTERNAL = new ApiError(500, 'Internal server error');

function publicError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code } = error as { code?: string };
  return FRAMEWORK_ERRORS[code ?? ''] ?? INTERNAL;
}

export function answerError(
  config: Config,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, detail, message } = publicError(error);
  if (status >= 500) request.log.error({ err: error, req: request }, 'request failed');
  const isText = status === 422 && config.validationDetail === 'string';
  return reply.code(status).send({ detail: isText ? message : detail });
}
