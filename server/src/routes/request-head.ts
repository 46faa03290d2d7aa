/** Checks the head of every request, before its path, method or key. */
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';

/** Throws an ApiError 'malformed' or 'too long'. */
export function checkRequestHead(request: FastifyRequest, urlBytesMax: number): void {
  const { originalUrl, raw } = request;
  if (originalUrl.length > urlBytesMax) {
    throw new ApiError('too long', `The URL is longer than ${urlBytesMax} bytes`);
  }
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
    throw new ApiError('malformed', 'The request should have a Host header');
  }
  // It is cut off by some and sent on by others along the way: nobody can tell what is meant.
  if (originalUrl.includes('#')) {
    throw new ApiError('malformed', "A '#' in the URL should be written as %23");
  }
}
