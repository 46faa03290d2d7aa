/** A service that listens, people with passwords, and browsers for them. */
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Role } from '../../src/store/people.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

/** Everybody's password; hashed once. */
export const PASSWORD = 'correct horse battery staple';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the answer holds
  readonly body: any;
}

export interface PeopleService extends TestService {
  readonly url: string;
  /** A person of an account who can sign in with PASSWORD. */
  newPerson(role: Role, accountId: number | null): Promise<{ personId: number; email: string }>;
  browser(): Browser;
  /** A browser in which a person has signed in. */
  signedIn(email: string): Promise<Browser>;
}

function send(
  url: string,
  method: string,
  headers: OutgoingHttpHeaders,
  body: string | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      text(answer).then((value) => {
        // The answer to a HEAD has none.
        const body = value === '' ? null : JSON.parse(value);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
      }, reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Acts as a browser: keeps the cookie that it is given, and tells whose page a POST is from. */
export class Browser {
  readonly #url: string;
  /** `name=value`; '' without one. */
  cookie = '';
  csrfToken = '';

  constructor(url: string) {
    this.#url = url;
  }

  get headers(): OutgoingHttpHeaders {
    return this.cookie === '' ? {} : { cookie: this.cookie };
  }

  async get(path: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.#kept(
      await send(`${this.#url}/v1${path}`, 'GET', { ...this.headers, ...headers }, undefined),
    );
  }

  /** `headers` go before those that the page would send; undefined leaves one out. */
  async post(path: string, body: unknown = {}, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return await this.change('POST', path, body, headers);
  }

  /** Like `post`, with any method. */
  async change(
    method: string,
    path: string,
    body: unknown,
    headers: OutgoingHttpHeaders = {},
  ): Promise<Answer> {
    const all = {
      ...this.headers,
      origin: this.#url,
      'content-type': 'application/json',
      'x-csrf-token': this.csrfToken,
      ...headers,
    };
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    return this.#kept(
      await send(`${this.#url}/v1${path}`, method, Object.fromEntries(given), sent),
    );
  }

  async signIn(email: string, password = PASSWORD): Promise<Answer> {
    return this.post('/session', { email, password });
  }

  #kept(answer: Answer): Answer {
    const [cookie] = answer.headers['set-cookie'] ?? [];
    if (cookie !== undefined) {
      this.cookie = cookie.includes('Max-Age=0') ? '' : (cookie.split(';')[0] as string);
    }
    if (typeof answer.body?.csrf_token === 'string') this.csrfToken = answer.body.csrf_token;
    return answer;
  }
}

export async function openPeopleService(
  settings?: Parameters<typeof openTestService>[0],
): Promise<PeopleService> {
  const service = await openTestService(settings);
  const { store, passwords } = service.services;
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const passwordHash = await passwords.hash(PASSWORD);
  const browser = () => new Browser(url);
  return {
    ...service,
    url,
    browser,
    newPerson: async (role, accountId) => {
      const email = `${randomUUID()}@people.example`;
      const createdAtMs = service.clock.now();
      return {
        email,
        personId: await writing(store).people.create({
          email,
          role,
          accountId,
          passwordHash,
          createdAtMs,
        }),
      };
    },
    signedIn: async (email) => {
      const one = browser();
      const { status, body } = await one.signIn(email);
      if (status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(body)}`);
      return one;
    },
  };
}
