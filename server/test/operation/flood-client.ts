/**
 * A client that asks and does not read: `flood-client.ts PORT CONNECTIONS REQUESTS TARGET [KEY]`.
 * Prints `asking` once it asks on all connections, and holds them until it is killed. With a key it
 * reads, and asks the same on a new connection for each that was answered.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const [port, connectionCount, requestCount, target, key] = process.argv.slice(2);
const head = `GET ${target} HTTP/1.1\r\nHost: x\r\n${key ? `X-API-KEY: ${key}\r\n` : ''}`;
const count = Number(requestCount);
const requests = Buffer.from(
  key
    ? `${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`
    : `${head}\r\n`.repeat(count),
);

/** The server may close a connection at any time. */
async function floodOnce(): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  if (key) socket.resume().once('close', () => void floodOnce());
  else socket.pause();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(requests);
}

await Promise.all(Array.from({ length: Number(connectionCount) }, floodOnce));
process.stdout.write('asking\n');
// Until it is killed.
setInterval(() => undefined, 60_000);
