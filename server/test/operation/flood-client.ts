/**
 * A client that asks much: `flood-client.ts PORT FLOOD [KEY]`, with a `Flood` as JSON. Prints
 * `asking` once it asks on all connections, and holds them until it is killed.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Flood } from './flood.ts';

const [port, flood, key] = process.argv.slice(2);
const { connectionCount, requestCount, target, reads, addressCount }: Flood = JSON.parse(flood!);
const head = `GET ${target} HTTP/1.1\r\nHost: x\r\n${key ? `X-API-KEY: ${key}\r\n` : ''}`;
const requests = Buffer.from(
  reads
    ? `${`${head}\r\n`.repeat(requestCount - 1)}${head}Connection: close\r\n\r\n`
    : `${head}\r\n`.repeat(requestCount),
);

/** One of as many local addresses as were asked for; Linux has all of 127.0.0.0/8. */
function localAddress(number: number): string {
  const at = number % (addressCount ?? 1);
  return `127.0.${at >> 7}.${1 + (at & 127)}`;
}

/** The server may close a connection at any time. */
async function floodOnce(number: number): Promise<void> {
  const socket = connect({
    port: Number(port),
    host: '127.0.0.1',
    localAddress: localAddress(number),
  }).on('error', () => undefined);
  if (reads) socket.resume().once('close', () => void floodOnce(number));
  else socket.pause();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(requests);
}

await Promise.all(Array.from({ length: connectionCount }, (_, number) => floodOnce(number)));
process.stdout.write('asking\n');
// Until it is killed.
setInterval(() => undefined, 60_000);
