/**
 * Keeps the pages of one query to one version of the dataset: the one that it names, else that of
 * the first page that came. A dataset may be published again between two pages.
 */
import type { ExplorerRequest } from './explorer-request';

const VERSION_PARAMETER = 'dataset_version';

/** Nothing is published yet: there is no such version to ask for. */
const NO_VERSION = '0';

function namesVersion({ parameters }: ExplorerRequest): boolean {
  return parameters.some(({ name }) => name === VERSION_PARAMETER);
}

/** The request for a version; one that names a version already stays as it is. */
export function pinnedTo(request: ExplorerRequest, version: string | null): ExplorerRequest {
  if (version === null || namesVersion(request)) return request;
  const pin = { name: VERSION_PARAMETER, value: version, field: null };
  return { ...request, parameters: [...request.parameters, pin] };
}

/** The version that an answer was read from; null where nothing is published. */
export function versionOf(response: Response): string | null {
  const version = response.headers.get('X-Dataset-Version');
  return version === NO_VERSION ? null : version;
}

export class VersionPin {
  #version: string | null = null;

  apply(request: ExplorerRequest): ExplorerRequest {
    return pinnedTo(request, this.#version);
  }

  note(response: Response): void {
    this.#version ??= versionOf(response);
  }
}
