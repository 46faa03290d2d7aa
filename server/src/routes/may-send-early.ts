/** Which pages may be sent while they are written. */
import type { FastifyRequest } from 'fastify';
import type { ContentEncoding } from '../formats/format.ts';
import type { DataRequest } from '../request/data-request.ts';

/**
 * Those of which nothing has to be known before their first byte, and whose client notices where they break off: before
 * HTTP/1.1, an answer without a length that breaks off looks like one that ends.
 */
export function maySendEarly(
  { method, raw, headers }: FastifyRequest,
  { receipt }: Pick<DataRequest, 'receipt'>,
  encoding: ContentEncoding | null,
): boolean {
  const isCutNoticed = raw.httpVersionMajor > 1 || raw.httpVersion === '1.1';
  const wantsWhole = receipt || encoding !== null || headers['want-repr-digest'] !== undefined;
  return method === 'GET' && isCutNoticed && !wantsWhole;
}
