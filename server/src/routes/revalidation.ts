/** Answers that clients may keep: each has a tag, and whoever has its bytes already gets a 304. */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

function opaqueTag(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** Whether a list of tags names this one or any; a tag matches its weak form too (RFC 9110). */
export function namesTag(text: string, tag: string): boolean {
  if (text.trim() === '*') return true;
  return [...text.matchAll(TAG)].some(([, held]) => held === opaqueTag(tag));
}

/** Whether the client holds what the tag stands for. */
export function matchesEntityTag(request: FastifyRequest, tag: string): boolean {
  return namesTag(request.headers['if-none-match'] ?? '', tag);
}

/** Private, because it is for one account; to be asked about again before every use. */
export function setEntityTag(reply: FastifyReply, tag: string): FastifyReply {
  return reply.header('etag', tag).header('cache-control', 'private, no-cache');
}

/** Tags an answer by its body; returns the body to send, none where the client holds it. */
export function revalidateBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
): string | null {
  const tag = `"${hash('sha256', body, 'base64url')}"`;
  setEntityTag(reply, tag);
  if (!matchesEntityTag(request, tag)) return body;
  reply.code(304).removeHeader('content-type');
  return null;
}
