import type { DataFormat } from '@ticklake/client';
import { getResponse } from '../api/client';
import { type ExplorerRequest, requestPath } from './explorer-request';

const VERSION_PARAMETER = 'dataset_version';

/** Nothing is published yet: there is no such version to ask for. */
const NO_VERSION = '0';

/** The request for a version; one that names a version already stays as it is. */
export function pinnedTo(request: ExplorerRequest, version: string | null): ExplorerRequest {
  const isNamed = request.parameters.some(({ name }) => name === VERSION_PARAMETER);
  if (version === null || isNamed) return request;
  const pin = { name: VERSION_PARAMETER, value: version, field: null };
  return { ...request, parameters: [...request.parameters, pin] };
}

/** The version that an answer was read from; null where nothing is published. */
export function versionOf({ headers }: Response): string | null {
  const version = headers.get('X-Dataset-Version');
  return version === NO_VERSION ? null : version;
}

/** The offset of the next page; null after the last one. */
export function nextOffsetOf({ headers }: Response): number | null {
  const next = headers.get('X-Pagination-Next-Offset') ?? '';
  return next === '' ? null : Number(next);
}

interface Page {
  readonly response_format: DataFormat;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Reads pages, all from one version of the dataset: the one that the request names, else that of
 * the first page that came. A dataset may be published again between two pages.
 */
export class PinnedPages {
  #version: string | null = null;

  async read(request: ExplorerRequest, page: Page, signal: AbortSignal): Promise<Response> {
    const path = requestPath(pinnedTo(request, this.#version), { ...page });
    const response = await getResponse(path, signal);
    this.#version ??= versionOf(response);
    return response;
  }
}
