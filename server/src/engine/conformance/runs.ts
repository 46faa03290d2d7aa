import { repetitions } from '../../../test/repetitions.ts';

/** How often the properties of the conformance tests are tried: the long suite asks for more. */
const FACTOR = repetitions('TICKLAKE_ENGINE_RUNS_FACTOR', 1);

export function runsOf(sampleRuns: number): number {
  return sampleRuns * FACTOR;
}
