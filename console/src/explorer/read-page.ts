import { getResponse } from '../api/client';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { VersionPin, versionOf } from './pinned-version';
import type { PageAnswer, ReadPage } from './row-store';

/** Reads the pages of a query, all of one version. */
export function pageReader(request: ExplorerRequest): ReadPage {
  const pin = new VersionPin();
  return (...page) => readRowsPage(request, pin, ...page);
}

/** `COUNT of LISTED: NAME, …`, percent-encoded; null where nothing is missing or known. */
export function missingText(header: string | null): string | null {
  const [count = '', names = ''] = header?.split(': ') ?? [];
  if (count === '' || count.startsWith('0 ')) return null;
  return `No rows of ${count} identifiers: ${names.split(', ').map(decodeURIComponent).join(', ')}`;
}

/** A page of rows as CSV, in which values stand exactly as the service writes them. */
async function readRowsPage(
  request: ExplorerRequest,
  pin: VersionPin,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<PageAnswer> {
  const path = requestPath(pin.apply(request), { response_format: 'csv', offset, limit });
  const response = await getResponse(path, signal);
  pin.note(response);
  const next = response.headers.get('X-Pagination-Next-Offset') ?? '';
  return {
    text: await response.text(),
    nextOffset: next === '' ? null : Number(next),
    datasetVersion: versionOf(response),
    hint: response.headers.get('X-Hint'),
    missing: missingText(response.headers.get('X-Missing')),
  };
}
