/** Chooses the `Content-Encoding` of a page by the header `Accept-Encoding`. */
import { negotiate } from '@fastify/accept-negotiator';
import type { ContentEncoding } from '../formats/format.ts';
import type { DataRequest } from '../request/data-request.ts';

const AS_IT_IS = 'identity';

/**
 * Of those of the format that are wanted most, the first one; null: the page is sent as it is. So is one with a
 * receipt, whose digest people compare with what their client has unpacked.
 */
export function pageEncoding(
  acceptEncoding: string | undefined,
  { responseFormat, receipt }: Pick<DataRequest, 'responseFormat' | 'receipt'>,
): ContentEncoding | null {
  const { encodings } = responseFormat;
  if (acceptEncoding === undefined || receipt || encodings.length === 0) return null;
  const chosen = negotiate(acceptEncoding, [...encodings, AS_IT_IS]);
  return encodings.find((encoding) => encoding === chosen) ?? null;
}
