/** A mail server of a test: takes what it is given, as plain SMTP, and keeps it. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface TestMailServer {
  readonly port: number;
  /** As they came, headers and all. */
  readonly messages: readonly string[];
  /** Greets nobody from now on, until the function that is returned is called. */
  hold(): () => void;
  close(): Promise<void>;
}

async function converse(socket: Socket, messages: string[], held: Promise<void>): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let message: string[] | null = null;
  await held;
  say('220 test');
  for await (const line of createInterface({ input: socket })) {
    if (message) {
      if (line !== '.') {
        message.push(line);
        continue;
      }
      messages.push(message.join('\n'));
      message = null;
      say('250 kept');
    } else if (line.startsWith('DATA')) {
      message = [];
      say('354 go on');
    } else if (line.startsWith('QUIT')) {
      say('221 bye');
      socket.end();
    } else say('250 ok');
  }
}

export async function startMailServer(): Promise<TestMailServer> {
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  let held = Promise.resolve();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    converse(socket, messages, held).catch(() => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = Promise.resolve();
        resolve();
      };
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
