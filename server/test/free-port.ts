/** For programs that cannot be told to choose a port themselves. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of ephemeral ports, so no other program is handed one first. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
/** Other processes of the tests begin elsewhere. */
let tried = process.pid * 37;

export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (tried++ % PORT_COUNT);
    if (await isFree(port)) return port;
  }
}
