/** The requests of one connection that wait behind another one, and how much they hold in memory. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BIT_BYTES } from './paced-input.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Reading from a connection pauses while this many of its requests wait, or this many bytes. */
const READ_AHEAD_MAX = 32;
const READ_AHEAD_BYTES_MAX = 64 * 1024;

/** Approximate bytes of a request besides the text of its head. */
const OBJECT_BYTES = 1024;
/** Bytes that are read at once: so much of a body may already be in memory. */
const BODY_BYTES = BIT_BYTES;

/** The text of a head may be a hundred times as long as most are. */
function bytesOf({ request }: Exchange): number {
  const { url = '', headers, rawHeaders } = request;
  const hasBody = 'content-length' in headers || 'transfer-encoding' in headers;
  const besides = OBJECT_BYTES + (hasBody ? BODY_BYTES : 0);
  return rawHeaders.reduce((sum, text) => sum + text.length, besides + url.length);
}

/** The requests that wait on all connections. */
export class WaitingTotal {
  count = 0;
  byteCount = 0;
}

export class WaitingRequests {
  readonly #total: WaitingTotal;
  /** In the order of their arrival. */
  readonly #exchanges: Exchange[] = [];
  #byteCount = 0;

  constructor(total: WaitingTotal) {
    this.#total = total;
  }

  get count(): number {
    return this.#exchanges.length;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** A body is not read before its request has its turn. */
  get hasRoom(): boolean {
    if (this.last?.request.complete === false) return false;
    return this.count < READ_AHEAD_MAX && this.#byteCount < READ_AHEAD_BYTES_MAX;
  }

  get last(): Exchange | undefined {
    return this.#exchanges.at(-1);
  }

  add(exchange: Exchange): void {
    this.#exchanges.push(exchange);
    this.#count(1, bytesOf(exchange));
  }

  takeFirst(): Exchange | undefined {
    return this.#taken(this.#exchanges.shift());
  }

  takeLast(): Exchange | undefined {
    return this.#taken(this.#exchanges.pop());
  }

  clear(): void {
    this.#count(-this.count, -this.#byteCount);
    this.#exchanges.length = 0;
  }

  #taken(exchange: Exchange | undefined): Exchange | undefined {
    if (exchange) this.#count(-1, -bytesOf(exchange));
    return exchange;
  }

  #count(requests: number, bytes: number): void {
    this.#byteCount += bytes;
    this.#total.count += requests;
    this.#total.byteCount += bytes;
  }
}
