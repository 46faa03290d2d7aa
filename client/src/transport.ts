/** Sends requests: the key, retries, waits, and what has to come within which time. */
import { type About, errorOf, IntegrityError, TicklakeError, TransportError } from './errors.ts';
import { exactJson } from './exact-json.ts';
import { closesGate, type RetryRules, retryWaitMs } from './retry-rules.ts';
import { base64Of, sha256 } from './sha256.ts';
import { Gate, sleep } from './waiting.ts';

export interface TransportOptions extends RetryRules {
  readonly warn: (message: string) => void;
  readonly base: URL;
  readonly key: string;
  readonly fetch: typeof fetch;
  /** The longest silence, before an answer and within it. */
  readonly timeoutMs: number;
}

export interface Get {
  readonly url: URL;
  /** False for signed links, which may lead to another server: they get no key. */
  readonly isKeyed?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses other than 2xx that the caller reads. */
  readonly legalStatuses?: readonly number[];
  readonly signal?: AbortSignal | undefined;
  readonly about?: About;
}

/** An answer whose body is still to come. */
export interface Opened {
  readonly status: number;
  readonly headers: Headers;
  /** Rejects with a TransportError when it breaks off or falls silent. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the connection where the body is not read to its end. */
  cancel(): void;
}

const ERROR_BYTES_MAX = 1 << 20;
const OLD_SERVER = 'The server is older than this client: install the one that comes with it';
const NOT_OF_REQUEST =
  'The answer does not name this request; is there a login page or a proxy in between?';

function failureText(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return [message ?? String(error), cause?.message].filter(Boolean).join(': ');
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    byteCount += chunk.length;
  }
  const whole = new Uint8Array(byteCount);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function digestOf(bytes: Uint8Array): string {
  const hash = sha256();
  hash.update(bytes);
  return `sha-256=:${base64Of(hash.digest())}:`;
}

/** The digest of a request's address below `base`, decoded, which its answer has to name. */
function requestDigest({ pathname, search }: URL, base: URL): string {
  // A space is a plus sign here, and not for every proxy.
  const target = `${pathname.slice(base.pathname.length)}${search.replaceAll('+', ' ')}`;
  const plain = target.replace(/%([\dA-F]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return digestOf(Uint8Array.from(plain, (character) => character.charCodeAt(0)));
}

/** Aborts a request when its caller does, or when nothing has come for so long. */
class Watch {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #onAbort = () => this.cancel();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSilent = false;

  constructor(caller: AbortSignal | undefined, timeoutMs: number) {
    this.#caller = caller;
    this.#timeoutMs = timeoutMs;
    caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for something to come. Rejects with the caller's reason, or with a TransportError, even
   * if `fetch` never settles what is aborted (github.com/nodejs/node/issues/56917).
   */
  async heard<T>(coming: Promise<T>, attempts: number): Promise<T> {
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(this.signal.reason);
    });
    this.signal.addEventListener('abort', leave, { once: true });
    this.#timer = setTimeout(() => {
      this.#isSilent = true;
      this.#controller.abort();
    }, this.#timeoutMs);
    try {
      return await Promise.race([coming, left]);
    } catch (error) {
      this.#caller?.throwIfAborted();
      const text = this.#isSilent
        ? `Nothing came for ${this.#timeoutMs / 1000} seconds`
        : `The connection failed: ${failureText(error)}`;
      throw new TransportError(text, attempts, error);
    } finally {
      clearTimeout(this.#timer);
      this.signal.removeEventListener('abort', leave);
    }
  }

  end(): void {
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  cancel(): void {
    this.end();
    this.#controller.abort();
  }
}

/** The bytes of a body, as many as its header says. */
async function* watchedChunks(response: Response, watch: Watch, attempts: number) {
  const reader = response.body?.getReader();
  const isCoded = response.headers.has('content-encoding');
  const told = response.headers.get('content-length');
  let byteCount = 0;
  let isWhole = false;
  try {
    while (reader) {
      const { done, value } = await watch.heard(reader.read(), attempts);
      if (done) break;
      byteCount += value.length;
      yield value;
    }
    if (!isCoded && told !== null && byteCount !== Number(told)) {
      throw new TransportError(`${byteCount} bytes came of ${told}`, attempts);
    }
    isWhole = true;
  } finally {
    if (isWhole) watch.end();
    else watch.cancel();
  }
}

async function errorText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ERROR_BYTES_MAX) break;
  }
  return text;
}

export class Transport {
  readonly rules: RetryRules;
  readonly #options: TransportOptions;
  readonly #gate = new Gate();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.rules = options;
  }

  /** Tells the program what it should know of an answer. */
  warn(message: string): void {
    this.#options.warn(message);
  }

  /** Below the prefix of the interface. `path` is encoded already. */
  urlOf(path: string, query: readonly (readonly [string, string])[] = []): URL {
    const { base } = this.#options;
    const url = new URL(base);
    url.pathname = `${base.pathname}/${path}`;
    url.search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
    return url;
  }

  /** An address that the service has named. Throws where it lies elsewhere: it gets no request. */
  ownUrl(text: string, from: URL): URL {
    const url = new URL(text, from);
    const { origin } = this.#options.base;
    if (url.origin === origin) return url;
    throw new TicklakeError(
      `The service names an address at ${url.origin}, but the client speaks to ${origin} alone: ` +
        'give the client the address that the service has as its public one',
    );
  }

  /** Sends one request, once. Rejects with a TransportError, or an APIError for its status. */
  async #open(get: Get, attempts: number): Promise<Opened> {
    const { base, fetch, key, timeoutMs } = this.#options;
    await this.#gate.pass(get.signal);
    get.signal?.throwIfAborted();
    const watch = new Watch(get.signal, timeoutMs);
    const isKeyed = get.isKeyed !== false;
    const own = isKeyed ? { 'X-API-KEY': key } : {};
    const init = {
      headers: { ...get.headers, ...own },
      signal: watch.signal,
      cache: 'no-store',
      // The key would go along to wherever the answer leads.
      redirect: isKeyed ? 'manual' : 'follow',
    } as const;
    const response = await watch.heard(fetch(get.url, init), attempts);
    const chunks = watchedChunks(response, watch, attempts);
    const { status, headers } = response;
    if (response.ok || get.legalStatuses?.includes(status)) {
      // Connections and caches may mix up answers; files are known by their own digests.
      if (isKeyed && headers.get('x-request-digest') !== requestDigest(get.url, base)) {
        watch.cancel();
        // Older servers give an id, but do not name the request.
        const isOld = !headers.has('x-request-digest') && headers.has('x-request-id');
        throw new TransportError(isOld ? OLD_SERVER : NOT_OF_REQUEST, attempts);
      }
      return { status, headers, chunks, cancel: () => watch.cancel() };
    }
    if (response.redirected) {
      watch.cancel();
      const { host } = new URL(response.url);
      throw new TransportError(`${host}, where the service leads to, answered ${status}`, attempts);
    }
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      watch.cancel();
      const target = headers.get('location') ?? 'elsewhere';
      throw new TicklakeError(`The service leads to ${target}, which the client does not follow`);
    }
    const situation = { ...get.about, attempts, nowMs: Date.now(), random: Math.random() };
    throw errorOf(response, await errorText(chunks), situation);
  }

  /** Sends a request until `read` has made something of its answer, or trying again is no use. */
  async send<T>(get: Get, read: (opened: Opened, attempts: number) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.#open(get, attempt), attempt);
      } catch (failure) {
        await this.waitAfter(failure, attempt, get.signal);
      }
    }
  }

  /** Waits for the next attempt; rejects with the failure if there is none. */
  async waitAfter(failure: unknown, attempt: number, signal?: AbortSignal): Promise<void> {
    const moment = { nowMs: Date.now(), random: Math.random() };
    const waitMs = retryWaitMs(failure, attempt, this.rules, moment);
    if (waitMs === null) throw failure;
    if (closesGate(failure)) this.#gate.closeUntil(moment.nowMs + waitMs);
    await sleep(waitMs, signal);
  }

  /** A JSON answer of an endpoint without rows. */
  async json<T>(
    path: string,
    query: readonly (readonly [string, string])[] = [],
    rest: Pick<Get, 'signal' | 'about'> = {},
  ): Promise<T> {
    const url = this.urlOf(path, query);
    return this.send({ ...rest, url }, async ({ headers, chunks }) => {
      const bytes = await bytesOf(chunks);
      if (headers.get('repr-digest') !== digestOf(bytes)) {
        throw new IntegrityError(
          `The bytes of the answer to ${path} do not have the digest that it names`,
        );
      }
      return exactJson<T>(new TextDecoder().decode(bytes));
    });
  }
}
