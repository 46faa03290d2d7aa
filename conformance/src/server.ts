/** Asks the server that is tried, and compares what came. */

export interface Answer {
  /** Such as `GET /v1/status`. */
  readonly asked: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
}

export interface Asking {
  /** Null asks without one. */
  readonly key?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Server {
  readonly key: string;
  /** Belongs to an account with narrower rules and few requests a minute; null if there is none. */
  readonly restrictedKey: string | null;
  /** A path below the version prefix, with the first key unless told otherwise. */
  ask(path: string, asking?: Asking): Promise<Answer>;
  /** A path below the origin of the server. */
  askOrigin(path: string, asking?: Asking): Promise<Answer>;
  lastAsked(): string;
  /** True when the first request or the last two got no answer. */
  isSilent(): boolean;
}

/** An answer that is not what it should be. */
export class Deviation extends Error {
  readonly found: { readonly asked: string; readonly expected: string; readonly came: string };

  constructor(asked: string, expected: string, came: string) {
    super(expected);
    this.found = { asked, expected, came };
  }
}

/** Why a check cannot be made. */
export class Skipped extends Error {}

const ANSWER_MS = 60_000;

/** `url` ends with the version prefix; without a path it gets `/v1`. */
export function openServer(
  url: URL,
  keys: Pick<Server, 'key' | 'restrictedKey'>,
  fetching: typeof fetch,
): Server {
  const prefix = url.pathname === '/' ? '/v1' : url.pathname.replace(/\/$/, '');
  let asked = '';
  // Counts from the last answer; the first request counts twice.
  let unansweredCount = 1;
  const askOrigin: Server['askOrigin'] = async (path, asking = {}) => {
    const { key = keys.key, method = 'GET', headers = {} } = asking;
    asked = [method, path, ...Object.entries(headers).flat()].join(' ');
    const request = {
      method,
      headers: { 'accept-encoding': 'identity', ...(key && { 'x-api-key': key }), ...headers },
      // A key never follows to another place.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    } as const;
    try {
      const response = await fetching(`${url.origin}${path}`, request);
      const bytes = new Uint8Array(await response.arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      unansweredCount = 0;
      return { asked, status: response.status, headers: response.headers, bytes, text };
    } catch (error) {
      unansweredCount++;
      const { message, cause } = error as Error;
      throw new Deviation(asked, 'an answer', [message, cause].filter(Boolean).join(': '));
    }
  };
  return {
    ...keys,
    askOrigin,
    ask: (path, asking) => askOrigin(`${prefix}${path}`, asking),
    lastAsked: () => asked,
    isSilent: () => unansweredCount > 1,
  };
}

const textOf = (value: unknown) =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');

export function expectThat(answer: Answer, holds: boolean, expected: string, came: unknown): void {
  if (!holds) throw new Deviation(answer.asked, expected, textOf(came));
}

/** Equal as JSON. */
export function expectSame(answer: Answer, what: string, came: unknown, expected: unknown): void {
  const isSame = JSON.stringify(came) === JSON.stringify(expected);
  expectThat(answer, isSame, `${what}: ${textOf(expected)}`, came);
}

export function expectStatus(answer: Answer, status: number): void {
  const came = `${answer.status} ${answer.text}`;
  expectThat(answer, answer.status === status, `status ${status}`, came);
}

// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the server sends
export type Json = any;

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** A number that is not in its shortest form becomes a text, which equals no number. */
const markNumber = (token: string) =>
  token.startsWith('"') || String(Number(token)) === token ? token : `"written ${token}"`;

export function jsonOf(answer: Answer): Json {
  const [type] = (answer.headers.get('content-type') ?? '').split(';');
  expectSame(answer, 'Content-Type', type, 'application/json');
  try {
    return JSON.parse(answer.text.replace(TOKEN, markNumber));
  } catch {
    throw new Deviation(answer.asked, 'JSON', answer.text);
  }
}

export async function askJson(server: Server, path: string, asking?: Asking) {
  const answer = await server.ask(path, asking);
  expectStatus(answer, 200);
  return [answer, jsonOf(answer)] as const;
}

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(`${value}`),
  time: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(`${value}`),
};

/** `fields` are words of a path and a kind, with `?` where null is legal, or a path and a value. */
export function expectFields(answer: Answer, body: Json, fields: string): void {
  for (const [words, path = '', kind = '', optional] of fields.matchAll(
    /([\w.]+) ([\w-]+)(\?)?/g,
  )) {
    const value = path.split('.').reduce((object, name) => object?.[name], body);
    const fits = KINDS[kind] ? KINDS[kind](value) : `${value}` === kind;
    expectThat(answer, fits || (optional === '?' && value === null), words, value ?? body);
  }
}

/** The key of an account that may read KTA alone, and only from 2025-03-03 to 2025-03-07. */
export function restrictedKeyOf({ restrictedKey }: Server): string {
  if (restrictedKey === null) throw new Skipped('there is no restricted key');
  return restrictedKey;
}

/** A detail of 422 may have more words around those of the pattern. */
export function expectRefusal(answer: Answer, status: number, pattern: string): void {
  expectStatus(answer, status);
  const { detail } = jsonOf(answer);
  const isList = status === 422 && Array.isArray(detail);
  const entries: Json[] = isList ? detail : [{ msg: detail }];
  if (isList)
    for (const entry of entries) expectFields(answer, entry, 'msg string, type string, loc array');
  const legal = new RegExp(status === 422 ? pattern : `^${pattern}$`);
  const fits = entries.some(({ msg }) => typeof msg === 'string' && legal.test(msg));
  expectThat(answer, fits, `detail ${pattern}`, answer.text);
}
