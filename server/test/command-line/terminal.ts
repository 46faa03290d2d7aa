/** Runs the program on a terminal of its own, by `script` of util-linux. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { shellWord } from '../../src/cli/command.ts';
import { PROGRAM } from '../program.ts';

/** False where there is no `script` that is known to work like this one. */
export const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
if (!hasTerminal) process.stderr.write('SKIPPED: no terminal, which needs script of util-linux\n');

/** A text to type once the terminal shows the prompt that it answers. */
export type Reply = readonly [shown: string, typed: string];

export interface TerminalRun {
  readonly exitCode: number | null;
  /** All that the terminal showed, also what it echoed. */
  readonly shown: string;
}

/** `redirect` is shell text behind the command, such as `> file`. */
export function runAtTerminal(
  home: string,
  words: readonly string[],
  replies: readonly Reply[] = [],
  redirect = '',
): Promise<TerminalRun> {
  const command = [process.execPath, PROGRAM, ...words].map(shellWord).join(' ');
  const { PATH } = process.env;
  const env = { PATH, TICKLAKE_HOME: home };
  return runShellAtTerminal(`${command} ${redirect}`, { env }, replies);
}

/** Runs shell text on a terminal, in the folder `cwd`. */
export async function runShellAtTerminal(
  command: string,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
  replies: readonly Reply[],
): Promise<TerminalRun> {
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'dumb', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = [...replies];
  let [shown, read] = ['', 0];
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    const [next] = waiting;
    const at = next ? shown.indexOf(next[0], read) : -1;
    if (!next || at < 0) return;
    read = at + next[0].length;
    waiting.shift();
    child.stdin.write(next[1]);
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, shown: shown.replaceAll('\r\n', '\n') };
}
