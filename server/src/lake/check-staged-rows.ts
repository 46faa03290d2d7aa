/** Holds the rows of a writer, and those that stay beside them, to the checks of their dataset. */
import type { ExistingPart, PartWriter } from '../engine/engine.ts';
import { type CheckFinding, findBrokenChecks } from './check-findings.ts';
import type { CurrentParts } from './current-parts.ts';
import { REMOVED, type StageOptions } from './publish.ts';

/** `nowMs`: UTC milliseconds of the load. */
export async function checkStagedRows(
  { dataset, mode, places }: Pick<StageOptions, 'dataset' | 'mode' | 'places'>,
  writer: PartWriter,
  keys: readonly string[],
  current: CurrentParts,
  nowMs: number,
): Promise<CheckFinding[]> {
  const existing = new Map<string, ExistingPart>();
  const removed = REMOVED[mode];
  for (const key of removed ? keys : []) {
    const part = current.partOf(key);
    if (part && removed) existing.set(key, { ...part, removed });
  }
  return await findBrokenChecks({ dataset, writer, places, existing, nowMs });
}
