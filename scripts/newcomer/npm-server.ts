/** A server that npm runs, as a newcomer starts and stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../../server/test/until.ts';

export interface NpmServer {
  /** Output before the server listened. */
  readonly banner: string;
  /** The server's address. */
  readonly origin: string;
  readonly startMs: number;
  /** Ends npm by SIGTERM; throws unless the server is gone by then, and npm ends with 0. */
  stop(): Promise<void>;
}

async function bannerOf(child: ChildProcess, endMark: RegExp): Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    return endMark.test(text);
  });
  return text;
}

async function stop(child: ChildProcess, origin: string): Promise<void> {
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
  const banner = await bannerOf(child, endMark);
  const startMs = performance.now() - begun;
  const [, origin = ''] = /listening on (\S+)/.exec(banner) ?? [];
  return { banner, origin, startMs, stop: () => stop(child, origin) };
}
