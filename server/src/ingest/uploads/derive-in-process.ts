/** Derives what uploads have made stale, by the command line. */
import { type ProgramPlace, type RunProgram, runProgram } from './run-program.ts';

/**
 * Derives what comes from datasets, by their ids, as far as it is stale. Rejects with what the operator should know where
 * that failed or was refused; the signal ends it, and nothing is published then.
 */
export type DeriveFrom = (datasetIds: ReadonlySet<string>, signal: AbortSignal) => Promise<void>;

export interface DerivationPlace extends ProgramPlace {
  /** The text ids of the datasets that come from others, by their ids. */
  readonly dependents: (datasetIds: ReadonlySet<string>) => readonly string[];
}

const EXIT_DONE = 0;
const EXIT_UNCHANGED = 3;

export function deriveInProcess(place: DerivationPlace, run: RunProgram = runProgram): DeriveFrom {
  return async (datasetIds, signal) => {
    const dependents = place.dependents(datasetIds);
    if (dependents.length === 0) return;
    const reason = `after uploads into ${[...datasetIds].toSorted().join(', ')}`;
    const words = ['derive', '--stale', '--json', `--reason=${reason}`, '--', ...dependents];
    const program = { words, folder: place.home, actor: 'server', source: 'uploads' };
    const { exitCode, output } = await run(program, place, signal);
    if (signal.aborted || exitCode === EXIT_DONE || exitCode === EXIT_UNCHANGED) return;
    const { error = null, refusal = null } = output === '' ? {} : JSON.parse(output);
    const said = error ?? refusal ?? `it ended with exit code ${exitCode}`;
    throw new Error(`nothing was derived ${reason}: ${said}`);
  };
}
