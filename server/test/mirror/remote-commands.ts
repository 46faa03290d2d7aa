/** Commands against a server that listens on a real socket. */
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { systemClock } from '../../src/base/clock.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { TestService } from '../harness.ts';

export async function urlOf({ app }: TestService): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

class Kept extends Writable {
  readonly chunks: Buffer[] = [];
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(Buffer.from(chunk));
    done();
  }
}

export interface RemoteOutput {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs a command with the key of the service in the environment. */
export async function runRemote(service: TestService, ...words: string[]): Promise<RemoteOutput> {
  const env = { TICKLAKE_KEY: service.key, TICKLAKE_URL: await urlOf(service) };
  return runWith(env, ...words);
}

export async function runWith(
  env: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<RemoteOutput> {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const { signal } = new AbortController();
  const streams = { stdin: Readable.from([]), stdout, stderr };
  const line = { words, env, clock: systemClock, signal, ...streams };
  const exitCode = await runCommandLine(line, COMMANDS);
  return {
    exitCode,
    stdout: Buffer.concat(stdout.chunks),
    stderr: Buffer.concat(stderr.chunks).toString(),
  };
}
