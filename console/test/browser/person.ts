/**
 * A person's session without a browser, and calls with a key: what a test prepares and compares.
 */

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the test expects them to be
  readonly body: any;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
}

/** A GET with a key; `path` includes the prefix. */
export async function getWithKey(url: string, key: string, path: string): Promise<Answer> {
  return answerOf(await fetch(`${url}${path}`, { headers: { 'X-API-KEY': key } }));
}

export interface SignedInPerson {
  /** The session as the browser keeps it. */
  readonly cookie: { readonly name: string; readonly value: string };
  get(path: string): Promise<Answer>;
  /** Throws when the service refuses. */
  post(path: string, body?: object): Promise<Answer['body']>;
}

/** Signs in; throws when the service refuses. Paths are below the version prefix. */
export async function signInPerson(url: string, signIn: SignIn): Promise<SignedInPerson> {
  const json = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(signIn),
  });
  const session = await answerOf(response);
  if (session.status >= 300) throw new Error(`${signIn.email}: ${JSON.stringify(session.body)}`);
  const [pair = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
  const [name = '', value = ''] = pair.split('=');
  const headers = { Cookie: pair, 'X-CSRF-Token': session.body.csrf_token as string };
  return {
    cookie: { name, value },
    get: async (path) => answerOf(await fetch(`${url}/v1${path}`, { headers })),
    post: async (path, body = {}) => {
      const init = { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(body) };
      const answer = await answerOf(await fetch(`${url}/v1${path}`, init));
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}
