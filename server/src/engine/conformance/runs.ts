/** How often the properties of the conformance tests are tried: the long suite asks for more. */
const FACTOR = Number(process.env.TICKLAKE_ENGINE_RUNS_FACTOR ?? 1);

export function runsOf(sampleRuns: number): number {
  return sampleRuns * FACTOR;
}
