/**
 * Loads and derives by the command line, in a process of its own: that takes much memory and every
 * processor, and requests should not wait for it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { atEnd } from '../../base/at-end.ts';
import type { LoadAllowance } from '../../base/errors.ts';
import { PROGRAM } from '../../base/installation.ts';
import type { LoadMode } from '../ingest-files.ts';
import type { DeriveFrom } from './due-derivations.ts';
import type { LoadEnd, Upload, UploadOptions } from './upload.ts';

/** Exit codes of the command line. */
const EXIT = { done: 0, refused: 2, nothingToDo: 3, interrupted: 130 } as const;

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
    // The process has ended already, or the system does not allow this.
  }
  return child;
}

async function outputOf(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    byteCount += chunk.length;
    if (byteCount > OUTPUT_BYTES_MAX) throw new Error('the program printed more than 16 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Resolves when the program has ended, which the signal tells it to do early. */
export async function runProgram(
  program: Program,
  place: ProgramPlace,
  signal: AbortSignal,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const child = start(program, place);
  const exited = new Promise<number | null>((ended, failed) => {
    child.on('exit', ended);
    child.on('error', failed);
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  using _signal = atEnd(() => signal.removeEventListener('abort', stop));
  const [exitCode, output] = await Promise.all([exited, outputOf(child)]);
  return { exitCode, output };
}

export type RunProgram = typeof runProgram;

/**
 * Loads a complete upload that lies in a folder under its name; null: the signal ended it, and
 * nothing was published. Rejects where it failed without a fault of the file.
 */
export type LoadUpload = (
  upload: Upload,
  folder: string,
  signal: AbortSignal,
) => Promise<LoadEnd | null>;

const STATES: Readonly<Record<number, LoadEnd['state']>> = {
  [EXIT.done]: 'published',
  [EXIT.refused]: 'refused',
  [EXIT.nothingToDo]: 'unchanged',
};

const MODE_WORDS: Readonly<Record<LoadMode, readonly string[]>> = {
  'replace-dates': ['--replace=dates'],
  replace: ['--replace=partitions'],
  'replace-identifiers': ['--replace=identifiers'],
  append: ['--append'],
};

/** A flag that is false has no word. */
function optionWords([name, value]: readonly [string, UploadOptions[string]]): string[] {
  const option = `--${name.replaceAll('_', '-')}`;
  if (typeof value === 'boolean') return value ? [option] : [];
  return [value ?? []].flat().map((each) => `${option}=${each}`);
}

function wordsOf({ datasetId, name, options: { mode, ...others } }: Upload): string[] {
  return [
    'ingest',
    '--json',
    ...(mode === undefined ? [] : MODE_WORDS[mode]),
    ...Object.entries(others).flatMap(optionWords),
    '--',
    ...(others.as === undefined ? [datasetId] : []),
    name,
  ];
}

interface CommandOutput {
  readonly error?: string;
  readonly allowed_by?: LoadAllowance | null;
}

function endOf(exitCode: number | null, output: string): LoadEnd | null {
  if (exitCode === EXIT.interrupted) return null;
  const state = STATES[exitCode ?? 1];
  const said = output === '' ? {} : (JSON.parse(output) as CommandOutput);
  if (state === undefined) {
    throw new Error(`the load has ended with exit code ${exitCode}: ${said.error ?? 'no reason'}`);
  }
  const { error = null, allowed_by: allowedBy = null } = said;
  return { state, report: error === null ? said : null, error, allowedBy };
}

export function loadInProcess(place: ProgramPlace, run: RunProgram = runProgram): LoadUpload {
  return async (upload, folder, signal) => {
    const { actor, source } = upload;
    const program = { words: wordsOf(upload), folder, actor, source };
    const { exitCode, output } = await run(program, place, signal);
    return endOf(exitCode, output);
  };
}

export interface DerivationPlace extends ProgramPlace {
  /** The text ids of the datasets that come from others, by their ids. */
  readonly dependents: (datasetIds: ReadonlySet<string>) => readonly string[];
}

export function deriveInProcess(place: DerivationPlace, run: RunProgram = runProgram): DeriveFrom {
  return async (datasetIds, signal) => {
    const dependents = place.dependents(datasetIds);
    if (dependents.length === 0) return;
    const reason = `after uploads into ${[...datasetIds].toSorted().join(', ')}`;
    const words = ['derive', '--stale', '--json', `--reason=${reason}`, '--', ...dependents];
    const program = { words, folder: place.home, actor: 'server', source: 'uploads' };
    const { exitCode, output } = await run(program, place, signal);
    if (signal.aborted || exitCode === EXIT.done || exitCode === EXIT.nothingToDo) return;
    const { error = null, reason: refusal = null } = output === '' ? {} : JSON.parse(output);
    const said = error ?? refusal ?? `it ended with exit code ${exitCode}`;
    throw new Error(`nothing was derived ${reason}: ${said}`);
  };
}
