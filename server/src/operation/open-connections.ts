/**
 * The connections of a server: how many may be open, and whose turn it is on each of them.
 *
 * Requests of one connection are answered one after the other. A client may send many before it
 * reads the first answer (pipelining); beginning to answer all of them at once would cost as much
 * memory as the client likes. So at most one answer of each connection is in memory. A request that
 * waits for its turn is a parsed head and nothing else, and the number and size of those are
 * limited.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { isIn, peerAddress } from '../access/source-address.ts';
import { sourceNetwork } from '../access/source-network.ts';
import type { Subnet } from '../access/subnet.ts';
import { BUFFER_LIMITS } from '../base/budgets.ts';
import {
  type Exchange,
  PacedInput,
  PacedStarts,
  WaitingRequests,
  WaitingTotal,
} from './connection-pace.ts';

/** Connections may take half of them: the rest is for files of the lake and the stores. */
const CONNECTIONS_PART = 1 / 2;

const OUT_OF_FILES = /EMFILE|ENFILE|too many open files/i;

/** The process's limit of open files; infinite where the system sets none. */
export function openFilesMax(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | string } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

/** The connections that may be open: no more than half of the process's limit of open files. */
export function affordableConnections(connectionsMax: number, filesMax: number): number {
  return Math.min(connectionsMax, Math.max(1, Math.floor(filesMax * CONNECTIONS_PART)));
}

/** That error, or cause of it, which says that too many files are open; null: another failure. */
export function outOfFilesError(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  const { code = '' } = error as { code?: unknown };
  return OUT_OF_FILES.test(`${code} ${error.message}`) ? error : outOfFilesError(error.cause);
}

/** True if the process or the system had too many open files. */
export function isOutOfFiles(error: unknown): boolean {
  return outOfFilesError(error) !== null;
}

export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly anonymousConnectionsMax: number;
  readonly pipelinedRequestsMax: number;
  readonly trustedProxies: readonly Subnet[];
}

/** The limit for which a connection was closed. */
const LIMITS = ['all', 'address', 'anonymous', 'pipelined'] as const;
type Limit = (typeof LIMITS)[number];

interface Connection {
  readonly socket: Socket;
  /** See `clientOf`: connections of a trusted proxy are not limited by who uses them. */
  readonly address: string | null;
  readonly input: PacedInput;
  /** The exchange whose turn it is; the last one until the next one begins. Null: none waits. */
  answering: Exchange | null;
  /** Sent after all answers, and then the connection ends; null while it may go on. */
  finalBytes: string | null;
  /** Requests that have not got their turn. */
  readonly waiting: WaitingRequests;
}

/** Who has a connection: an IPv4 address or an IPv6 network; null for a trusted proxy. */
export function clientOf(
  remoteAddress: string | undefined,
  trustedProxies: readonly Subnet[],
): string | null {
  const peer = peerAddress(remoteAddress);
  return isIn(trustedProxies, peer) ? null : (sourceNetwork(peer) ?? 'unknown');
}

export class OpenConnections {
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  /** Anonymous connections, except of trusted proxies; the oldest first. */
  readonly #anonymous = new Set<Connection>();
  readonly #countOfAddress = new Map<string, number>();
  /** Work that may begin, for requests by account and for waiting ones by address. */
  readonly starts = new PacedStarts();
  readonly #closedCounts = new Map<Limit, number>(LIMITS.map((limit) => [limit, 0]));
  readonly #waiting = new WaitingTotal();
  #isClosing = false;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#connections.size;
  }

  get countMax(): number {
    return this.#limits.connectionsMax;
  }

  get anonymousCount(): number {
    return this.#anonymous.size;
  }

  /** Requests that wait behind another one on their connection. */
  get pipelinedCount(): number {
    return this.#waiting.count;
  }

  /** Connections closed since the start, by the limit that they were closed for. */
  get closedCounts(): ReadonlyMap<string, number> {
    return this.#closedCounts;
  }

  /** Answers that their clients have not fetched to the end. */
  get unsentAnswerCount(): number {
    return [...this.#connections.keys()].filter((socket) => socket.writableLength > 0).length;
  }

  /** Watches the connections of a server from their beginning to their end. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#admit(socket));
    // Called when the server closes. Node's own would cut connections whose answer is handed over
    // but not sent yet.
    server.closeIdleConnections = () => this.closeWhenIdle();
  }

  /** Hands on each request when the one before it on its connection is answered. */
  inTurn(listener: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.#connections.get(request.socket);
      // The rest of what a connection has sent is still read after it was closed.
      if (!connection || request.socket.destroyed) return;
      if (connection.answering) this.#queue(connection, { request, response });
      else this.#answer(connection, { request, response }, listener);
    };
  }

  /** Somebody was let in on this connection. */
  noteCaller(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection) this.#anonymous.delete(connection);
  }

  /**
   * Ends a connection on which something came that is no request, with an answer to it. It reads no
   * more; what it asked for before is answered first, and no answer is broken by this one.
   */
  endWith(socket: Socket, answer: string): void {
    const connection = this.#connections.get(socket);
    if (!connection || !socket.writable) {
      socket.destroy();
      return;
    }
    if (connection.finalBytes !== null) return;
    connection.input.stop();
    const { answering, waiting } = connection;
    // A request that is still arriving has begun to get its own answer, or gets this one.
    if (waiting.last?.request.complete === false) waiting.takeLast();
    const isArriving = answering?.request.complete === false;
    const isAnswered = isArriving && answering.response.headersSent;
    connection.finalBytes = isAnswered ? '' : answer;
    if (!answering || (isArriving && !isAnswered)) socket.end(answer);
  }

  /** Closes those without a request at once, and each other one after its last answer. */
  closeWhenIdle(): void {
    this.#isClosing = true;
    for (const { socket, answering } of this.#connections.values()) {
      if (!answering) socket.destroySoon();
    }
  }

  /** Breaks all connections, also in the middle of an answer. */
  breakAll(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #admit(socket: Socket): void {
    this.starts.noteArrival();
    const address = clientOf(socket.remoteAddress, this.#limits.trustedProxies);
    if (this.#isClosing) socket.destroy();
    else if (this.#hasRoomFor(socket, address)) this.#add(socket, address);
  }

  /** Makes room by closing an anonymous connection; without one, closes the new one. */
  #hasRoomFor(socket: Socket, address: string | null): boolean {
    const { connectionsMax, connectionsPerAddressMax, anonymousConnectionsMax } = this.#limits;
    const ownCount = address === null ? 0 : (this.#countOfAddress.get(address) ?? 0);
    if (ownCount >= connectionsPerAddressMax) return this.#close(socket, 'address');
    if (address !== null && this.#anonymous.size >= anonymousConnectionsMax) {
      this.#closeAnonymous('anonymous');
    }
    if (this.#connections.size >= connectionsMax) this.#closeAnonymous('all');
    return this.#connections.size < connectionsMax || this.#close(socket, 'all');
  }

  #close(socket: Socket, limit: Limit): false {
    this.#closedCounts.set(limit, (this.#closedCounts.get(limit) ?? 0) + 1);
    this.#forget(socket);
    socket.destroy();
    return false;
  }

  /** The oldest one that is idle, or else the oldest one. */
  #closeAnonymous(limit: Limit): void {
    const [oldest] = this.#anonymous;
    const idle = this.#anonymous.values().find(({ answering }) => !answering);
    const chosen = idle ?? oldest;
    if (chosen) this.#close(chosen.socket, limit);
  }

  #add(socket: Socket, address: string | null): void {
    const waiting = new WaitingRequests(this.#waiting);
    const input = new PacedInput(socket, {
      // Leaves a flood unread in its sockets: clients whose connections are closed only come back.
      hasRoom: () => waiting.hasRoom && (waiting.count === 0 || this.#waitingShare < 1 / 2),
      isInBody: () => connection.answering?.request.complete === false,
    });
    const parts = { socket, address, input, waiting };
    const connection: Connection = { ...parts, answering: null, finalBytes: null };
    this.#connections.set(socket, connection);
    if (address !== null) {
      this.#anonymous.add(connection);
      this.#countOfAddress.set(address, (this.#countOfAddress.get(address) ?? 0) + 1);
    }
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    const { address, waiting } = connection;
    this.#connections.delete(socket);
    this.#anonymous.delete(connection);
    waiting.clear();
    if (address === null) return;
    const count = (this.#countOfAddress.get(address) ?? 0) - 1;
    if (count > 0) this.#countOfAddress.set(address, count);
    else this.#countOfAddress.delete(address);
  }

  #queue({ waiting }: Connection, exchange: Exchange): void {
    waiting.add(exchange);
    if (this.#waitingShare > 1) this.#closeGreediest();
  }

  /** The share of their limits that waiting requests take up. */
  get #waitingShare(): number {
    const { count, byteCount } = this.#waiting;
    return Math.max(
      count / this.#limits.pipelinedRequestsMax,
      byteCount / BUFFER_LIMITS.waitingRequests,
    );
  }

  /**
   * The connection with the most of the address with the most waiting requests. A well-behaved
   * client may have one wait, too: the next one can arrive just before its answer is known to be
   * sent.
   */
  #closeGreediest(): void {
    const connections = [...this.#connections.values()].filter(({ waiting }) => waiting.count > 0);
    const byAddress = Map.groupBy(connections, ({ address, socket }) => address ?? socket).values();
    const bytesOf = (each: readonly Connection[]) =>
      each.reduce((sum, { waiting }) => sum + waiting.byteCount, 0);
    const [most = []] = [...byAddress].sort((one, other) => bytesOf(other) - bytesOf(one));
    const [greediest] = most.sort((one, other) => other.waiting.byteCount - one.waiting.byteCount);
    if (greediest) this.#close(greediest.socket, 'pipelined');
  }

  #answer(connection: Connection, exchange: Exchange, listener: RequestListener): void {
    const { request, response } = exchange;
    connection.answering = exchange;
    response.once('close', () => this.#afterAnswer(connection, listener));
    listener(request, response);
  }

  #afterAnswer(connection: Connection, listener: RequestListener): void {
    if (connection.waiting.count > 0) {
      const source = `address ${connection.address}`;
      this.starts.add(source, () => this.#beginNext(connection, listener));
      return;
    }
    connection.answering = null;
    if (connection.finalBytes !== null) connection.socket.end(connection.finalBytes);
    else if (this.#isClosing) connection.socket.destroySoon();
  }

  #beginNext(connection: Connection, listener: RequestListener): void {
    const next = connection.waiting.takeFirst();
    // The connection was closed meanwhile.
    if (!next) return;
    if (connection.socket.writable) this.#answer(connection, next, listener);
    connection.input.resume();
  }
}
