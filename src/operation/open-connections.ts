/**
 * The connections of a server and which of them are in the middle of a request. Node takes a
 * connection for idle as soon as its answer is handed over, and cuts it though most of a long
 * answer may still have to be sent; so closing the idle ones is done here.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class OpenConnections {
  /** Each with the number of its requests that are not answered yet. */
  readonly #requestCounts = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#add(socket));
    // The server calls it when it is closed.
    server.closeIdleConnections = () => this.closeWhenIdle();
    server.prependListener('request', ({ socket }, response) => this.#begin(socket, response));
  }

  /** Closes those without a request at once, and each other one after its last answer. */
  closeWhenIdle(): void {
    this.#isClosing = true;
    for (const [socket, count] of this.#requestCounts) if (count === 0) socket.destroySoon();
  }

  /** Breaks all connections, also in the middle of an answer. */
  breakAll(): void {
    for (const socket of this.#requestCounts.keys()) socket.destroy();
  }

  #add(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#requestCounts.set(socket, 0);
    socket.once('close', () => this.#requestCounts.delete(socket));
  }

  #begin(socket: Socket, response: ServerResponse): void {
    this.#change(socket, 1);
    response.once('close', () => {
      if (this.#change(socket, -1) === 0 && this.#isClosing) socket.destroySoon();
    });
  }

  #change(socket: Socket, by: number): number {
    const count = (this.#requestCounts.get(socket) ?? 0) + by;
    if (this.#requestCounts.has(socket)) this.#requestCounts.set(socket, count);
    return count;
  }
}
