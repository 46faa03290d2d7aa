/** Calls to the service. The session travels in a cookie that no script can read. */
import type { Problem } from '@ticklake/client';
import { ApiFailure, ServerUnreachable } from './api-failure';
import { connection } from './connection';

interface ClientState {
  /** Path of the interface on this server, such as `/v1`. */
  apiPath: string;
  /** Proves to the service that a change comes from this page; null while nobody is signed in. */
  csrfToken: string | null;
  /** Who was signed in last; null: nobody yet. */
  personId: number | null;
  onSignedOut: () => void;
  /** Whether the server can e-mail people. */
  sendsEmail: boolean;
}

export const clientState: ClientState = {
  apiPath: '/v1',
  csrfToken: null,
  personId: null,
  onSignedOut: () => undefined,
  sendsEmail: false,
};

/** The base of all addresses that people copy: `https://host/v1`. */
export function apiUrl(path = ''): string {
  return `${location.origin}${clientState.apiPath}${path}`;
}

async function failureOf(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => null);
  const detail = (body as { detail?: string | Problem[] } | null)?.detail;
  if (detail === undefined) {
    // A proxy in front of a server that does not answer.
    connection.setReachable(false);
    return new ServerUnreachable();
  }
  return new ApiFailure(response.status, detail);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(`${clientState.apiPath}${path}`, {
      ...init,
      credentials: 'same-origin',
    });
    if (response.ok) connection.setReachable(true);
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    connection.setReachable(false);
    throw new ServerUnreachable({ cause: error });
  }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (response.status === 401 && clientState.csrfToken !== null) clientState.onSignedOut();
  throw failure;
}

/** The response of a GET, whose body is not read yet; throws `ApiFailure` or `ServerUnreachable`. */
export async function getResponse(path: string, signal?: AbortSignal): Promise<Response> {
  return checked(await send(path, signal ? { signal } : {}));
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await getResponse(path, signal);
  return (await response.json()) as T;
}

export async function postJson<T>(path: string, body: object = {}): Promise<T> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (clientState.csrfToken !== null) headers['X-CSRF-Token'] = clientState.csrfToken;
  const response = await checked(
    await send(path, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
  return (await response.json()) as T;
}

/** `?a=1&b=2` of what is neither null nor undefined; '' where nothing is. */
export function queryString(
  parameters: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) search.append(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
