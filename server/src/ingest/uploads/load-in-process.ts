/**
 * Loads a file in a process of its own, by the command line: a load takes much memory and every
 * processor, and requests should not wait for it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadAllowance } from '../../base/errors.ts';
import type { LoadMode } from '../ingest-files.ts';
import type { LoadEnd, Upload } from './upload.ts';

/** Requests go first. */
const NICENESS = 10;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
/** The program beside the sources, or beside what is built from them. */
const PROGRAM = fileURLToPath(new URL(`../../cli${import.meta.url.slice(-3)}`, import.meta.url));

export interface LoadPlace {
  readonly home: string;
  /** The folder of the operator's own definitions, if it is not the home's. */
  readonly definitions: string | null;
}

/**
 * Loads a complete upload that lies in a folder under its name; null: the signal ended it, and nothing was
 * published. Rejects where it failed without a fault of the file.
 */
export type LoadUpload = (
  upload: Upload,
  folder: string,
  signal: AbortSignal,
) => Promise<LoadEnd | null>;

const EXIT_INTERRUPTED = 130;

const STATES: Readonly<Record<number, LoadEnd['state']>> = {
  0: 'published',
  2: 'refused',
  3: 'unchanged',
};

const MODE_WORDS: Readonly<Record<LoadMode, readonly string[]>> = {
  replace: [],
  'replace-identifiers': ['--replace=identifiers'],
  append: ['--append'],
};

function wordsOf({ datasetId, name, options }: Upload): string[] {
  const { maxBadRows, renamed, ignored, vendor, into, reason } = options;
  return [
    'ingest',
    '--json',
    `--max-bad-rows=${maxBadRows}`,
    ...MODE_WORDS[options.mode],
    ...(options.allowsLoss ? ['--allow-loss'] : []),
    ...(options.allowsRepeats ? ['--again'] : []),
    ...(options.isDryRun ? ['--dry-run'] : []),
    ...renamed.map(([from, to]) => `--map=${from}=${to}`),
    ...(ignored.length > 0 ? [`--ignore-columns=${ignored.join(',')}`] : []),
    ...(vendor === null ? [] : [`--vendor=${vendor}`]),
    ...(into === null ? [] : [`--into=${into}`]),
    ...(reason === null ? [] : [`--reason=${reason}`]),
    '--',
    datasetId,
    name,
  ];
}

function start(upload: Upload, folder: string, { home, definitions }: LoadPlace): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...wordsOf(upload)], {
    // So that the file has its plain name in reports.
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      TICKLAKE_HOME: home,
      ...(definitions === null ? {} : { TICKLAKE_DEFINITIONS: resolve(definitions) }),
      TICKLAKE_ACTOR: upload.actor,
      TICKLAKE_ACTOR_SOURCE: upload.source,
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
    if (byteCount > OUTPUT_BYTES_MAX) throw new Error('a load says more than it can');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface CommandOutput {
  readonly error?: string;
  readonly allowed_by?: LoadAllowance | null;
}

function endOf(exitCode: number | null, output: string): LoadEnd | null {
  if (exitCode === EXIT_INTERRUPTED) return null;
  const state = STATES[exitCode ?? 1];
  const said = output === '' ? {} : (JSON.parse(output) as CommandOutput);
  if (state === undefined) {
    throw new Error(`the load has ended with exit code ${exitCode}: ${said.error ?? 'no reason'}`);
  }
  const { error = null, allowed_by: allowedBy = null } = said;
  return { state, report: error === null ? said : null, error, allowedBy };
}

export function loadInProcess(place: LoadPlace): LoadUpload {
  return async (upload, folder, signal) => {
    const child = start(upload, folder, place);
    const exited = new Promise<number | null>((ended, failed) => {
      child.on('exit', ended);
      child.on('error', failed);
    });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    try {
      const [exitCode, output] = await Promise.all([exited, outputOf(child)]);
      return endOf(exitCode, output);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}
