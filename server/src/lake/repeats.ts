/** What a load repeats of what is published: it need not be written again. */
import { AllowanceMissing } from '../base/errors.ts';
import type { PartitionComparison } from './losses.ts';
import type { Placing } from './publish-mode.ts';

export interface Repeats {
  /** Why other rows must not take the place of those that are published; null: they may. */
  readonly staleText: string | null;
}

/**
 * The keys of partitions that would have other rows than now. Throws an `AllowanceMissing` where rows are appended that
 * are all there, or those of an old delivery would take the place of others.
 */
export function changedKeys(
  { dataset, mode }: Pick<Placing, 'dataset' | 'mode'>,
  { staleText }: Repeats,
  compared: readonly PartitionComparison[],
): string[] {
  const repeated = compared.find(({ isRepeated }) => isRepeated);
  if (mode === 'append') {
    if (!repeated) return compared.map(({ key }) => key);
    const text = `partition ${repeated.key} of ${dataset.textId} has all of these rows already`;
    throw new AllowanceMissing(text, 'again');
  }
  const changed = compared.filter(({ isRepeated }) => !isRepeated);
  if (changed.length > 0 && staleText !== null) throw new AllowanceMissing(staleText, 'again');
  return changed.map(({ key }) => key);
}
