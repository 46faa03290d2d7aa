/**
 * Hands the bytes of a connection to Node's parser a bit at a time. Node parses all that a read has
 * brought, which may be thousands of requests, before anybody can say that they are too many.
 */
import type { Socket } from 'node:net';

/** Most requests are shorter, and few are so short that there are a hundred of them in it. */
export const BIT_BYTES = 4096;

/** After this many, other connections get their turn, however much has arrived on this one. */
const TURN_BITS = 4;

const NOTHING = Buffer.alloc(0);

type Parse = (bytes: Buffer) => void;

export class PacedInput {
  readonly #socket: Socket;
  readonly #hasRoom: () => boolean;
  /** Null when nothing more is to be parsed. */
  #parse: Parse | null;
  #unread: Buffer = NOTHING;
  /** Whether reading waits for room or a turn. Node also pauses the socket, for reasons of its own. */
  #isResting = false;

  /** Takes over from the parser, which has to listen already. Without room, reading waits. */
  constructor(socket: Socket, hasRoom: () => boolean) {
    this.#socket = socket;
    this.#hasRoom = hasRoom;
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
      this.#parseBit(this.#parse);
    }
    if (!this.#parse || this.#unread.length === 0) this.#unread = NOTHING;
  }

  #canParse(): boolean {
    // Parsing may have had Node pause it.
    if (this.#socket.isPaused() || !this.#socket.writable) return false;
    if (this.#hasRoom()) return true;
    this.#rest();
    return false;
  }

  #rest(): void {
    this.#isResting = true;
    this.#socket.pause();
  }

  #parseBit(parse: Parse): void {
    const bit = this.#unread.subarray(0, BIT_BYTES);
    this.#unread = this.#unread.subarray(BIT_BYTES);
    parse(bit);
  }
}
