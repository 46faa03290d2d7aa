/**
 * Everything that goes wrong in a page without anybody looking: collected, and judged at the end.
 */
import type { ConsoleMessage, Page, Request, Response } from 'playwright-core';

interface Announced {
  readonly status: number;
  readonly path: RegExp;
  count: number;
}

/** The browser's own words on a request; the request is judged by itself. */
const LOADING_MESSAGE = /^Failed to load resource:/;

/** Message of a screen that could not be loaded. */
const UNREACHABLE_MESSAGE = /ServerUnreachable|Failed to fetch dynamically imported module/;

/** The page gave up a request that it no longer needs. */
const ABORTED = 'net::ERR_ABORTED';

const OUTAGE_ERRORS = [
  'net::ERR_CONNECTION_REFUSED',
  'net::ERR_CONNECTION_RESET',
  'net::ERR_CONNECTION_CLOSED',
  'net::ERR_EMPTY_RESPONSE',
  'net::ERR_INCOMPLETE_CHUNKED_ENCODING',
  'net::ERR_SOCKET_NOT_CONNECTED',
];

export class Watch {
  readonly #host: string;
  readonly #faults: string[] = [];
  readonly #announced: Announced[] = [];
  #isOutage = false;

  constructor(page: Page, serverUrl: string) {
    this.#host = new URL(serverUrl).host;
    page.on('console', (message) => this.#onConsole(message));
    page.on('pageerror', (error) => this.#faults.push(`page error: ${error.stack ?? error}`));
    page.on('request', (request) => this.#onRequest(request));
    page.on('requestfailed', (request) => this.#onRequestFailed(request));
    page.on('response', (response) => this.#onResponse(response));
    page.on('crash', () => this.#faults.push('the page crashed'));
  }

  /** An answer with this status is part of the test, which fails when it does not come. */
  announce(status: number, path: RegExp): void {
    this.#announced.push({ status, path, count: 0 });
  }

  /** From now on the server may be away. */
  announceOutage(isOutage: boolean): void {
    this.#isOutage = isOutage;
  }

  /** Problems that nobody announced, and announced ones that did not happen. */
  faults(): readonly string[] {
    const missing = this.#announced.filter(({ count }) => count === 0);
    return [
      ...this.#faults,
      ...missing.map(({ status, path }) => `no answer ${status} of ${path} was seen`),
    ];
  }

  #onConsole(message: ConsoleMessage): void {
    if (message.type() !== 'error' || LOADING_MESSAGE.test(message.text())) return;
    if (this.#isOutage && UNREACHABLE_MESSAGE.test(message.text())) return;
    this.#faults.push(`console error: ${message.text()} (${message.location().url})`);
  }

  #onRequest(request: Request): void {
    const { protocol, host } = new URL(request.url());
    if (protocol === 'data:' || protocol === 'blob:' || host === this.#host) return;
    this.#faults.push(`request to another host: ${request.url()}`);
  }

  #onRequestFailed(request: Request): void {
    const { errorText } = request.failure() ?? { errorText: 'failed' };
    if (errorText === ABORTED && request.method() === 'GET') return;
    if (this.#isOutage && OUTAGE_ERRORS.includes(errorText)) return;
    this.#faults.push(`request failed: ${request.method()} ${request.url()} ${errorText}`);
  }

  #onResponse(response: Response): void {
    const status = response.status();
    if (status < 400) return;
    const { pathname, search } = new URL(response.url());
    const announced = this.#announced.find(
      (one) => one.status === status && one.path.test(`${pathname}${search}`),
    );
    if (announced) announced.count += 1;
    else this.#faults.push(`answer ${status}: ${response.request().method()} ${response.url()}`);
  }
}
