/** Answers that are the same for everybody: made once, and sent from one buffer that all share. */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { digestField, namesTag } from './http-headers.ts';

export interface StaticAnswer {
  readonly body: Buffer;
  readonly contentType: string;
  readonly tag: string;
  readonly digest: string;
}

export function staticAnswer(body: Buffer, contentType: string): StaticAnswer {
  const tag = `"${hash('sha256', body, 'base64url')}"`;
  return { body, contentType, tag, digest: digestField(body) };
}

/** Browsers and proxies may keep it, but have to ask about it before each use. */
const ASK_FIRST = 'public, no-cache';

/** Sends the answer, or a 304 to a client that holds it; an ApiError 'precondition failed' if it wants another. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, contentType, tag, digest }: StaticAnswer,
  cacheControl = ASK_FIRST,
): FastifyReply {
  const { 'if-match': wanted = '*', 'if-none-match': held = '' } = request.headers;
  if (!namesTag(wanted, tag)) throw new ApiError('precondition failed', 'Precondition Failed');
  reply.header('etag', tag).header('cache-control', cacheControl);
  if (namesTag(held, tag)) return reply.code(304).send();
  return reply.header('Repr-Digest', digest).type(contentType).send(body);
}
