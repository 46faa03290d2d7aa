/** What a roll back will do, in plain words. */
import type { PublicationDiff, PublicationRecord } from '@ticklake/client';
import { countText, plural } from '../format/amounts';

/** Further datasets are only counted. */
const DATASETS_SHOWN = 10;

type Told = Pick<PublicationRecord, 'publication_id' | 'state' | 'datasets'>;

function standing({ datasets }: Told) {
  return datasets.filter((each) => each.version !== null && each.rolled_back_by === null);
}

/** Whether there is anything to take back. */
export function canRollBack(record: Told): boolean {
  return record.state === 'published' && standing(record).length > 0;
}

function rollbackSentence(each: Told['datasets'][number]): string {
  const { added_partition_count: added, replaced_partition_count: replaced } = each;
  const partitions = plural(added + replaced + each.removed_partition_count, 'partition');
  const before = plural(each.row_count_before, 'row');
  return (
    `${each.dataset_id}: ${partitions} will go back to ${before} ` +
    `(${countText(each.row_count_after)} now).`
  );
}

/** One sentence for each dataset, as far as a dialog has room for them. */
export function rollbackSentences(record: Told): readonly string[] {
  const datasets = standing(record);
  const others = datasets.length - DATASETS_SHOWN;
  return [
    ...datasets.slice(0, DATASETS_SHOWN).map(rollbackSentence),
    ...(others > 0 ? [`And those of ${plural(others, 'more dataset')}.`] : []),
  ];
}

/** What going back to an earlier version does; `difference` is what became of it since. */
export function versionSentences(difference: PublicationDiff['datasets'][number]): string {
  const { dataset_id: id, partition_count: count, partitions } = difference;
  const changed = `${id}: ${plural(count, 'partition')} will go back to version ${difference.from_version}`;
  if (partitions.length < count) return `${changed}.`;
  const rowsOf = (side: 'before' | 'after') =>
    partitions.reduce((sum, each) => sum + (each[side]?.row_count ?? 0), 0);
  const [then, now] = [plural(rowsOf('before'), 'row'), countText(rowsOf('after'))];
  return `${changed}, with ${then} (${now} now).`;
}
