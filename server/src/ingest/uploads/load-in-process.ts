/** Loads a file by the command line. */
import type { LoadAllowance } from '../../base/errors.ts';
import type { LoadMode } from '../ingest-files.ts';
import { type ProgramPlace, type RunProgram, runProgram } from './run-program.ts';
import type { LoadEnd, Upload } from './upload.ts';

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
  'replace-dates': ['--replace=dates'],
  replace: ['--replace=partitions'],
  'replace-identifiers': ['--replace=identifiers'],
  append: ['--append'],
};

function wordsOf({ datasetId, name, options }: Upload): string[] {
  const { maxBadRows, renamed, ignored, timeZone, vendor, into, reason } = options;
  return [
    'ingest',
    '--json',
    `--max-bad-rows=${maxBadRows}`,
    ...MODE_WORDS[options.mode],
    ...(options.allowsLoss ? ['--allow-loss'] : []),
    ...(options.allowsRepeats ? ['--again'] : []),
    ...(options.allowsUnended ? ['--allow-unended'] : []),
    ...(options.isDryRun ? ['--dry-run'] : []),
    ...renamed.map(([from, to]) => `--map=${from}=${to}`),
    ...(ignored.length > 0 ? [`--ignore-columns=${ignored.join(',')}`] : []),
    ...(timeZone ? [`--time-zone=${timeZone}`] : []),
    ...(vendor === null ? [] : [`--vendor=${vendor}`]),
    ...(into === null ? [] : [`--into=${into}`]),
    ...(reason === null ? [] : [`--reason=${reason}`]),
    '--',
    datasetId,
    name,
  ];
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

export function loadInProcess(place: ProgramPlace, run: RunProgram = runProgram): LoadUpload {
  return async (upload, folder, signal) => {
    const { actor, source } = upload;
    const program = { words: wordsOf(upload), folder, actor, source };
    const { exitCode, output } = await run(program, place, signal);
    return endOf(exitCode, output);
  };
}
