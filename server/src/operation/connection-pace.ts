/**
 * Lets requests begin a few at a time, in turns by whom they are from: a client that asks for much
 * waits behind itself, and nobody else does.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Lane } from '../access/fair-turns.ts';

/** The time for which requests begin in one turn of the event loop. */
const BEGIN_MS = 1;

export class PacedStarts {
  readonly #waiting = new Lane<() => void>();
  #isBeginning = false;
  /** Clients have connected since requests began last. */
  #hasArrivals = false;
  #arrivalsUntilMs = 0;
  #turnSinceMs = 0;

  /** Calls `begin` in the source's turn. */
  add(source: string, begin: () => void): void {
    this.#waiting.add(source, begin);
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    this.#beginLater();
  }

  /**
   * A turn of the event loop accepts only one connection. Those that wait behind this one get turns
   * in which nothing begins, for as long as what began last has taken.
   */
  noteArrival(): void {
    this.#hasArrivals = true;
  }

  #beginLater(): void {
    setImmediate(() => {
      const nowMs = performance.now();
      const isForArrivals = this.#hasArrivals && nowMs < this.#arrivalsUntilMs;
      this.#hasArrivals = false;
      this.#turnSinceMs = nowMs;
      if (isForArrivals) this.#beginLater();
      else this.#beginNext();
    });
  }

  #beginNext(): void {
    try {
      this.#waiting.next()?.();
    } finally {
      // Runs after all that the request does before it waits for something.
      queueMicrotask(() => process.nextTick(() => this.#goOn()));
    }
  }

  #goOn(): void {
    const nowMs = performance.now();
    const tookMs = nowMs - this.#turnSinceMs;
    this.#arrivalsUntilMs = nowMs + tookMs;
    this.#isBeginning = this.#waiting.count > 0;
    if (!this.#isBeginning) return;
    if (tookMs < BEGIN_MS) this.#beginNext();
    else this.#beginLater();
  }
}

/** A step of a body. */
export const BIT_BYTES = 4096;
/** A step of heads: a dozen of the shortest, each of which takes up a hundred times its text. */
const HEAD_BIT_BYTES = 512;

/** After this many, other connections get their turn, however much has arrived on this one. */
const TURN_BITS = 4;

const NOTHING = Buffer.alloc(0);

type Parse = (bytes: Buffer) => void;

/** The requests that have arrived on a connection. */
interface Arrivals {
  /** Without room, reading waits. */
  hasRoom(): boolean;
  isInBody(): boolean;
}

export class PacedInput {
  readonly #socket: Socket;
  readonly #arrivals: Arrivals;
  /** Null when nothing more is to be parsed. */
  #parse: Parse | null;
  #unread: Buffer = NOTHING;
  /** True while reading waits for room or a turn; Node pauses sockets for other reasons too. */
  #isResting = false;

  /** Takes over from the parser, which has to listen already. */
  constructor(socket: Socket, arrivals: Arrivals) {
    this.#socket = socket;
    this.#arrivals = arrivals;
    const [parse] = socket.listeners('data') as [Parse];
    this.#parse = parse;
    socket.on('data', (bytes: Buffer) => {
      this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
      this.#read();
    });
    socket.removeListener('data', parse);
    socket.on('resume', () => this.#read());
  }

  /** To be called when there is room again. */
  resume(): void {
    // Only its own rest may end here: Node's parser throws when it is fed while Node pauses it.
    if (this.#isResting) this.#socket.resume();
  }

  /** Parses nothing more. Node may give the parser to another connection. */
  stop(): void {
    this.#parse = null;
    // Bytes that still arrive are dropped, so that the end of the connection is noticed.
    this.#socket.resume();
  }

  #read(): void {
    // The event of a resumption comes a little later; it may have been paused again by then.
    if (this.#socket.isPaused()) return;
    this.#isResting = false;
    for (let bits = 0; this.#parse && this.#unread.length > 0 && this.#canParse(); bits++) {
      if (bits === TURN_BITS) {
        this.#rest();
        setImmediate(() => this.resume());
        break;
      }
      const byteCount = this.#arrivals.isInBody() ? BIT_BYTES : HEAD_BIT_BYTES;
      const bit = this.#unread.subarray(0, byteCount);
      this.#unread = this.#unread.subarray(byteCount);
      this.#parse(bit);
    }
    if (!this.#parse || this.#unread.length === 0) this.#unread = NOTHING;
  }

  #canParse(): boolean {
    // Parsing may have had Node pause it.
    if (this.#socket.isPaused() || !this.#socket.writable) return false;
    if (this.#arrivals.hasRoom()) return true;
    this.#rest();
    return false;
  }

  #rest(): void {
    this.#isResting = true;
    this.#socket.pause();
  }
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Reading from a connection pauses while this many of its requests wait, or this many bytes. */
const READ_AHEAD_MAX = 16;
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
