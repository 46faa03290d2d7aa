/**
 * Runs the command line in a process of its own: a load takes much memory and every processor, and requests should
 * not wait for it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { PROGRAM } from '../../base/installation.ts';

/** Requests go first. */
const NICENESS = 10;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export interface ProgramPlace {
  readonly home: string;
}

export interface Program {
  readonly words: readonly string[];
  readonly folder: string;
  /** Who asks for it, and from where, as the audit log says it. */
  readonly actor: string;
  readonly source: string;
}

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly output: string;
}

function start({ words, folder, actor, source }: Program, place: ProgramPlace): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    // So that a file has its plain name in reports.
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      TICKLAKE_HOME: place.home,
      TICKLAKE_ACTOR: actor,
      TICKLAKE_ACTOR_SOURCE: source,
      // The server has it derived when no load waits any more.
      TICKLAKE_DERIVE_AFTER_LOADS: 'off',
      // So that it ends with this process, also when this one is killed.
      TICKLAKE_LAUNCHED: '1',
    },
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  } catch {
    // It has ended already, or the system does not allow it.
  }
  return child;
}

async function outputOf(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    byteCount += chunk.length;
    if (byteCount > OUTPUT_BYTES_MAX) throw new Error('a program says more than it can');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Resolves when the program has ended, which the signal tells it to do early. */
export async function runProgram(
  program: Program,
  place: ProgramPlace,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const child = start(program, place);
  const exited = new Promise<number | null>((ended, failed) => {
    child.on('exit', ended);
    child.on('error', failed);
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, output] = await Promise.all([exited, outputOf(child)]);
    return { exitCode, output };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export type RunProgram = typeof runProgram;
