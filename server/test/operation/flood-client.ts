/**
 * A client that asks and does not read: `flood-client.ts PORT CONNECTIONS REQUESTS TARGET`. Says `sent`
 * when everything is written that the server takes, and holds the connections until it is killed.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const [port, connectionCount, requestCount, target] = process.argv.slice(2);
const requests = Buffer.from(
  `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(Number(requestCount)),
);

/** The server may close a connection at any time. */
async function floodOnce(): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  socket.pause();
  const gone = once(socket, 'close');
  const written = new Promise((resolve) => socket.write(requests, resolve));
  await Promise.race([written, gone, wait(1000)]);
}

await Promise.all(Array.from({ length: Number(connectionCount) }, floodOnce));
process.stdout.write('sent\n');
await wait(600_000);
