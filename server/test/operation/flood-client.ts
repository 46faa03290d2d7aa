/**
 * A client that asks and does not read: `flood-client.ts PORT CONNECTIONS REQUESTS TARGET`. Prints
 * `asking` once it asks on all connections, and holds them until it is killed.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const [port, connectionCount, requestCount, target] = process.argv.slice(2);
const requests = Buffer.from(
  `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(Number(requestCount)),
);

/** The server may close a connection at any time. */
async function floodOnce(): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  socket.pause();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(requests);
}

await Promise.all(Array.from({ length: Number(connectionCount) }, floodOnce));
process.stdout.write('asking\n');
// Until it is killed.
setInterval(() => undefined, 60_000);
