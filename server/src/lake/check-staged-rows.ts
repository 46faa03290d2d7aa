/** Holds the rows of a writer, and those that stay beside them, to the checks of their dataset. */
import type { ExistingPart, PartWriter } from '../engine/engine.ts';
import { type CheckFinding, findBrokenChecks } from './check-findings.ts';
import type { CurrentParts } from './current-parts.ts';
import type { StageOptions } from './publish.ts';
import { removedOf } from './publish-mode.ts';

/** `nowMs`: UTC milliseconds of the load. */
export async function checkStagedRows(
  options: Pick<StageOptions, 'dataset' | 'mode' | 'removed' | 'places' | 'rowKeys'>,
  writer: PartWriter,
  keys: readonly string[],
  current: CurrentParts,
  nowMs: number,
): Promise<CheckFinding[]> {
  const existing = new Map<string, ExistingPart>();
  const { dataset, places, rowKeys } = options;
  const removed = removedOf(options);
  for (const key of removed ? keys : []) {
    const part = current.partOf(key);
    if (part && removed) existing.set(key, { ...part, removed });
  }
  return await findBrokenChecks({ dataset, writer, places, rowKeys, existing, nowMs });
}
