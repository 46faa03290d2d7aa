/** Checks the head of every request, before its path, method or key. */
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';

/** Throws an ApiError 400 or 414. */
export function checkRequestHead(request: FastifyRequest, urlBytesMax: number): void {
  const { originalUrl, raw } = request;
  if (originalUrl.length > urlBytesMax) {
    throw new ApiError(414, `The URL is longer than ${urlBytesMax} bytes`);
  }
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
    throw new ApiError(400, 'The request should have a Host header');
  }
  // It is cut off by some and sent on by others along the way: nobody can tell what is meant.
  if (originalUrl.includes('#')) {
    throw new ApiError(400, "A '#' in the URL should be written as %23");
  }
}
