/** A server between client and service that lets single answers fail in a chosen way. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Fault =
  | { readonly kind: 'none' }
  /** The connection is reset when so many bytes of the body were sent. */
  | { readonly kind: 'reset'; readonly atByte: number }
  /** The body ends there, under a header that says so many bytes. */
  | { readonly kind: 'cut'; readonly atByte: number }
  /** Nothing comes any more from there on. */
  | { readonly kind: 'stall'; readonly atByte: number }
  /** One bit of the body is another. */
  | { readonly kind: 'flip'; readonly atByte: number }
  /** The range that is asked for is not heeded. */
  | { readonly kind: 'no range' }
  /** The answer to another request is given. */
  | { readonly kind: 'other'; readonly path: (asked: string) => string }
  /** Redirects to the same path at another server. */
  | { readonly kind: 'move'; readonly to: string }
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly detail?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface FaultProxy {
  readonly url: string;
  /** Method and path with query of each request that came. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** The faults of the next answers, first come first served; then none. */
  readonly faults: Fault[];
  /** Only requests whose path has this meet faults. */
  among: string;
  /** Called while an answer stalls, until it says that whoever waits for the rest has given up. */
  onStall: () => boolean;
  close(): Promise<void>;
}

const NONE: Fault = { kind: 'none' };
const LOOK_MS = 5;

function stall(answer: ServerResponse, sent: Buffer, isGivenUp: () => boolean): void {
  answer.flushHeaders();
  answer.write(sent);
  const looking = setInterval(() => isGivenUp() && clearInterval(looking), LOOK_MS);
  answer.once('close', () => clearInterval(looking));
}

function sendBody(
  answer: ServerResponse,
  body: Buffer,
  fault: Fault,
  isGivenUp: () => boolean,
): void {
  const atByte = 'atByte' in fault ? Math.min(fault.atByte, body.length) : body.length;
  const sent = body.subarray(0, atByte);
  if (fault.kind === 'reset') answer.write(sent, () => answer.socket?.resetAndDestroy());
  // A whole body has nothing missing.
  else if (fault.kind === 'stall' && atByte < body.length) stall(answer, sent, isGivenUp);
  else if (fault.kind === 'flip') {
    const flipped = Buffer.from(body);
    const at = Math.min(fault.atByte, body.length - 1);
    if (at >= 0) flipped[at] = (flipped[at] as number) ^ 4;
    answer.end(flipped);
  } else answer.end(sent);
}

async function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  to: string,
  fault: Fault,
  isGivenUp: () => boolean,
) {
  const { range: _range, ...withoutRange } = asked.headers;
  const headers = fault.kind === 'no range' ? withoutRange : asked.headers;
  const { url: path = '' } = asked;
  const target = fault.kind === 'other' ? fault.path(path) : path;
  const sent = request(`${to}${target}`, { method: asked.method, headers }).end();
  const [upstream] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await buffer(upstream);
  const own = { ...upstream.headers };
  if (fault.kind === 'cut') {
    // Without a length, only the body itself tells that it is cut off.
    delete own['content-length'];
    delete own['repr-digest'];
  }
  answer.writeHead(upstream.statusCode as number, own);
  sendBody(answer, body, fault, isGivenUp);
}

export async function startFaultProxy(to: string): Promise<FaultProxy> {
  const faults: Fault[] = [];
  const requests: FaultProxy['requests'] = [];
  const server = createServer((asked, answer) => {
    const path = `${asked.method} ${asked.url}`;
    requests.push({ path, headers: asked.headers });
    const fault = path.includes(proxy.among) ? (faults.shift() ?? NONE) : NONE;
    answer.on('error', () => undefined);
    if (fault.kind === 'refuse') {
      answer.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      answer.end(JSON.stringify({ detail: fault.detail ?? 'refused' }));
    } else if (fault.kind === 'move') {
      answer.writeHead(307, { location: `${fault.to}${asked.url}` }).end();
    } else {
      const isGivenUp = () => proxy.onStall();
      forward(asked, answer, to, fault, isGivenUp).catch(() => answer.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    among: '',
    onStall: () => false,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
