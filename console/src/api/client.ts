import type { Problem } from '@ticklake/client';
import { Store } from './store';

export class ApiFailure extends Error {
  readonly status: number;
  /** Empty where the service gave a single text. */
  readonly problems: readonly Problem[];
  /** Until a limit lets requests pass again; 0 where none is used up. */
  readonly waitSeconds: number;

  constructor(status: number, detail: string | readonly Problem[], waitSeconds = 0) {
    super(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
    this.name = 'ApiFailure';
    this.status = status;
    this.problems = typeof detail === 'string' ? [] : detail;
    this.waitSeconds = waitSeconds;
  }
}

/** The service could not be reached, or answered with something that is not its own. */
export class ServerUnreachable extends Error {
  constructor(options?: ErrorOptions) {
    super('Can’t reach the server', options);
    this.name = 'ServerUnreachable';
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The monthly limits of an account, which a 429 names. */
function isMonthlyLimit({ status, message }: ApiFailure): boolean {
  return status === 429 && message.startsWith('Monthly');
}

/** False for a request that was refused for what it asks or who asks. */
export function mayHelpToRetry(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return true;
  if (error.status === 429) return !isMonthlyLimit(error);
  return error.status >= 500 || error.status === 408;
}

/** Beside a field its name needs no telling: `'name' is missing` is `This is missing` there. */
function messageBeside(field: string, { msg }: Problem): string {
  const prefix = `'${field}' `;
  return msg.startsWith(prefix) ? `This ${msg.slice(prefix.length)}` : msg;
}

/** Messages by field, those of one field joined; an error of no field has its text under ''. */
export function messagesByField(
  error: unknown,
  tell: (problem: Problem) => readonly [field: string, message: string],
): Readonly<Record<string, string>> {
  if (error === null || error === undefined) return {};
  if (!(error instanceof ApiFailure) || error.problems.length === 0) {
    return { '': errorText(error) };
  }
  const told = Map.groupBy(error.problems.map(tell), ([field]) => field);
  return Object.fromEntries(
    [...told].map(([field, texts]) => [field, texts.map(([, text]) => text).join('; ')]),
  );
}

/** The messages for a form with these fields; what belongs to none of them is under ''. */
export function fieldMessages(error: unknown, fields: readonly string[]) {
  return messagesByField(error, (problem) => {
    const name = problem.loc[1] ?? '';
    const field = fields.includes(name) ? name : '';
    return [field, messageBeside(field, problem)];
  });
}

/** False while the server does not answer. */
export const connection = new Store(true);

interface ClientState {
  apiPath: string;
  /** Proves to the service that a change comes from this page; null while nobody is signed in. */
  csrfToken: string | null;
  /** Who was signed in last; null: nobody yet. */
  personId: number | null;
  onSignedOut: () => void;
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
    connection.set(false);
    return new ServerUnreachable();
  }
  const waitSeconds = Number(response.headers.get('x-ratelimit-reset'));
  return new ApiFailure(response.status, detail, waitSeconds);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(`${clientState.apiPath}${path}`, {
      ...init,
      credentials: 'same-origin',
    });
    if (response.ok) connection.set(true);
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    connection.set(false);
    throw new ServerUnreachable({ cause: error });
  }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (response.status === 401 && clientState.csrfToken !== null) clientState.onSignedOut();
  throw failure;
}

/** Throws `ApiFailure` or `ServerUnreachable`; the body is not read yet. */
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

export type QueryParameters = Readonly<Record<string, string | number | null | undefined>>;

/** `?a=1&b=2` of what is neither null nor undefined; '' where nothing is. */
export function queryString(parameters: QueryParameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) search.append(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

const PAGE_ROWS = 1000;

interface PageOf<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly next_after: number | null };
}

export async function everyRow<Row>(
  path: string,
  parameters: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const query = queryString({ ...parameters, after, limit: PAGE_ROWS });
    const page: PageOf<Row> = await getJson<PageOf<Row>>(`${path}${query}`, signal);
    rows.push(...page.data);
    after = page.pagination.next_after;
  }
  return rows;
}

export interface SiteConfig {
  readonly api: string;
  readonly version: string;
  /** The owner's, of the service. */
  readonly name: string;
  readonly text: string | null;
  /** Paths or addresses; null without one. */
  readonly logo: string | null;
  readonly contact: string | null;
  readonly has_public_catalogue: boolean;
  readonly sends_email: boolean;
}

/** Null where the server does not answer. */
export async function loadSiteConfig(): Promise<SiteConfig | null> {
  try {
    const response = await fetch(`${import.meta.env.BASE_URL}config.json`);
    const config = (await response.json()) as SiteConfig;
    clientState.apiPath = config.api;
    clientState.sendsEmail = config.sends_email;
    return config;
  } catch {
    return null;
  }
}
