/** A server that npm runs, as a newcomer starts and stops it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { until } from '../../server/test/until.ts';

export interface NpmServer {
  /** Output before the server listened. */
  readonly banner: string;
  /** The server's address. */
  readonly origin: string;
  readonly startMs: number;
  /** Resolves when the server has printed what the pattern matches. */
  printed(pattern: RegExp): Promise<void>;
  /** Ends npm by SIGTERM; throws unless the server is gone by then, and npm ends with 0. */
  stop(): Promise<void>;
}

type Child = ChildProcessByStdio<null, Readable, null>;

async function stop(child: Child, origin: string): Promise<void> {
  child.kill('SIGTERM');
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  if (code !== 0) throw new Error(`npm ended with ${code}, not 0`);
  const isThere = await fetch(origin).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`npm has ended, and ${origin} still answers`);
}

/** Resolves when the server has printed the line that `endMark` matches. */
export async function startUnderNpm(
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  endMark: RegExp,
): Promise<NpmServer> {
  const begun = performance.now();
  const child = spawn('npm', words, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const printed = (pattern: RegExp) =>
    until(() => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      return pattern.test(text);
    });
  await printed(endMark);
  const startMs = performance.now() - begun;
  const [, origin = ''] = /listening on (\S+)/.exec(text) ?? [];
  return { banner: text, origin, startMs, printed, stop: () => stop(child, origin) };
}
