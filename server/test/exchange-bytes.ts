/** A conversation with a listening service below HTTP. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TestService } from './harness.ts';

/** Connects to the service, starting to listen on first use. `localAddress` is in 127.0.0.0/8. */
export async function connectTo({ app }: TestService, localAddress?: string): Promise<Socket> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  await once(socket, 'connect');
  return socket;
}

/** Gives requests all the time to arrive, until what is returned is called. */
export function liftArrivalLimits({ app: { server } }: TestService): () => void {
  const { headersTimeout, requestTimeout } = server;
  Object.assign(server, { headersTimeout: 0, requestTimeout: 0 });
  return () => void Object.assign(server, { headersTimeout, requestTimeout });
}

/** Sends the bytes and reads until the service closes the connection. */
export async function exchangeBytes(service: TestService, bytes: string): Promise<string> {
  const socket = await connectTo(service);
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
