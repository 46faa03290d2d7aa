/**
 * Files at `http` and `https` addresses, read as streams. What may be secret of an address, the
 * user and password and the query, is shown nowhere.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { UsageError } from '../base/errors.ts';

const REDIRECTS_MAX = 5;
/** Without a byte for so long, the server counts as gone. */
const SILENCE_MS_MAX = 60_000;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** A page that says something to a person, in place of a file. */
const NO_FILE =
  /^\s*(text\/html|application\/xhtml\+xml|application\/(?:[\w.-]+\+)?(?:json|xml)|text\/xml)\b/i;

export function isUrl(given: string): boolean {
  return /^https?:\/\//i.test(given);
}

function parsedUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new UsageError(
    `${text.replace(/[?#].*/s, '').replace(/\/\/[^/]*@/, '//')} is not a valid address`,
  );
}

/** The address without user, password, query and fragment. Throws a `UsageError`. */
export function shownUrl(given: string): string {
  const { origin, pathname } = parsedUrl(given);
  return `${origin}${pathname}`;
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

export interface UrlOptions {
  readonly signal: AbortSignal;
  readonly silenceMsMax?: number;
}

function networkFailure(error: NodeJS.ErrnoException): Error {
  const reason = error.code ?? error.message;
  return new Error(`the server cannot be reached, or its answer broke off (${reason}); try again`);
}

function answerOf(url: URL, { signal, silenceMsMax = SILENCE_MS_MAX }: UrlOptions) {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  // The bytes are to come as they are stored.
  const headers = { 'accept-encoding': 'identity', ...credentialsOf(url) };
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return new Promise<IncomingMessage>((resolve, reject) => {
    let answer: IncomingMessage | null = null;
    const request = send(bare, { headers, signal, agent: false }, (response) => {
      answer = response;
      resolve(response);
    });
    request.setTimeout(silenceMsMax, () => {
      const seconds = silenceMsMax / 1000;
      const error = new Error(`the server has sent nothing for ${seconds} seconds; try again`);
      answer?.destroy(error);
      request.destroy(error);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isTold = signal.aborted || error.code === undefined;
      reject(isTold ? error : networkFailure(error));
    });
    request.end();
  });
}

/** The target of a redirect; null for other answers. */
function redirectOf(url: URL, { statusCode, headers }: IncomingMessage): URL | null {
  if (!REDIRECTS.includes(statusCode ?? 0)) return null;
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, url)) {
    throw new UsageError(`the server answers with status ${statusCode}, but does not say where to`);
  }
  const next = new URL(location, url);
  if (!/^https?:$/.test(next.protocol)) {
    throw new UsageError(
      `the server redirects to ${next.protocol}, which is neither http nor https`,
    );
  }
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new UsageError(
      'the server redirects from https to http; if that is what you want, use the http address',
    );
  }
  // Credentials are for the server that they were given for.
  if (next.origin === url.origin && next.username === '') {
    next.username = url.username;
    next.password = url.password;
  }
  return next;
}

function requireFile({ statusCode = 0, statusMessage, headers }: IncomingMessage): void {
  const said = `the server answers ${[statusCode, statusMessage].filter(Boolean).join(' ')}`;
  if (statusCode === 429 || statusCode >= 500) throw new Error(`${said}; try again later`);
  if (statusCode === 401 || statusCode === 403) {
    throw new UsageError(`${said}: this address needs other credentials`);
  }
  if (statusCode !== 200) throw new UsageError(`${said} instead of a file; check the address`);
  const type = headers['content-type'] ?? '';
  if (!NO_FILE.test(type)) return;
  throw new UsageError(`the server answers with ${type.trim()}, which is not a data file`);
}

async function finalAnswer(url: URL, options: UrlOptions): Promise<IncomingMessage> {
  let next = url;
  for (let count = 0; count <= REDIRECTS_MAX; count++) {
    const answer = await answerOf(next, options);
    try {
      const redirect = redirectOf(next, answer);
      if (redirect === null) {
        requireFile(answer);
        return answer;
      }
      next = redirect;
    } catch (error) {
      answer.destroy();
      throw error;
    }
    answer.destroy();
  }
  throw new UsageError(`the server redirects more than ${REDIRECTS_MAX} times`);
}

async function* readAnswer(url: URL, options: UrlOptions): AsyncGenerator<Buffer> {
  const answer = await finalAnswer(url, options);
  try {
    for await (const chunk of answer) yield chunk as Buffer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : networkFailure(error as Error);
  } finally {
    answer.destroy();
  }
}

/**
 * The bytes at an address, as they are stored there. Throws a `UsageError` where the address is at
 * fault, and another error where a later try may succeed.
 */
export async function* readUrl(given: string, options: UrlOptions): AsyncGenerator<Buffer> {
  try {
    yield* readAnswer(parsedUrl(given), options);
  } catch (error) {
    if (options.signal.aborted || error instanceof UsageError) throw error;
    throw new Error(`${shownUrl(given)}: ${(error as Error).message}`);
  }
}
