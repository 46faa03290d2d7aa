import { getResponse } from '../api/client';
import { type ExplorerRequest, requestPath } from './explorer-request';
import type { PageAnswer } from './row-store';

/** A page of rows as CSV, in which values stand exactly as the service writes them. */
export async function readRowsPage(
  request: ExplorerRequest,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<PageAnswer> {
  const path = requestPath(request, { response_format: 'csv', offset, limit });
  const response = await getResponse(path, signal);
  const next = response.headers.get('X-Pagination-Next-Offset') ?? '';
  return { text: await response.text(), nextOffset: next === '' ? null : Number(next) };
}
