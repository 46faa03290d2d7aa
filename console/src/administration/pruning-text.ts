/** What pruning would drop, in plain words. */
import type { Pruning } from '@ticklake/client';
import { bytesText, plural } from '../format/amounts';

/** Further datasets are only counted. */
const DATASETS_SHOWN = 10;

function versionsText(versions: readonly number[]): string {
  const [first, last] = [Math.min(...versions), Math.max(...versions)];
  return first === last
    ? `version ${first}`
    : `${versions.length} versions from ${first} to ${last}`;
}

export function pruningSentences({
  datasets,
  byte_count: byteCount,
}: Pick<Pruning, 'datasets' | 'byte_count'>): readonly string[] {
  if (datasets.length === 0) return ['Nothing to prune: retention keeps every version.'];
  const shown = datasets.slice(0, DATASETS_SHOWN);
  const others = datasets.length - shown.length;
  return [
    ...shown.map(
      (each) =>
        `${each.dataset_id}: ${versionsText(each.versions)} will be removed (${bytesText(each.byte_count)}).`,
    ),
    ...(others > 0 ? [`And versions of ${plural(others, 'more dataset')}.`] : []),
    `${bytesText(byteCount)} in total.`,
  ];
}
