/** Where the parts of a lake lie: in one place, which every process that opens the lake has to name. */
import { UsageError } from '../base/errors.ts';
import type { LakeIndex } from '../store/lake-index.ts';

/** The folder of the home. */
export const IN_HOME = 'the home';

/** What is wrong with a place that somebody looks for parts in; null: they are there. */
export async function placeProblem(
  { moves }: Pick<LakeIndex, 'moves'>,
  place: string,
): Promise<string | null> {
  const noted = await moves.settlePlace(place);
  if (noted === place) return null;
  return `its parts are in ${noted}, not in ${place}; correct TICKLAKE_LAKE, or move them with ticklake engine copy`;
}

/** Rejects with a `UsageError` where the parts are in another place: two places would share one index. */
export async function requirePlace(index: Pick<LakeIndex, 'moves'>, place: string): Promise<void> {
  const problem = await placeProblem(index, place);
  if (problem !== null) throw new UsageError(`the lake cannot be opened: ${problem}`);
}
