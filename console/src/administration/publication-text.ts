/** Every status that a dataset may have, the usual one first. */
import type {
  Pruning,
  Publication,
  PublicationDiff,
  PublicationRecord,
  StatusCode,
  Withdrawal,
} from '@ticklake/client';
import { bytesText, countText, holdsAll, plural } from '../format/texts';
import { listedTexts } from '../network/subnet-draft';

export const STATUS_CODES: readonly StatusCode[] = [
  'current',
  'updating',
  'late',
  'failed',
  'closed',
  'empty',
];

type Searched = Pick<Publication, 'dataset_id' | 'dataset_name' | 'data_group'>;

export function isPublicationFound(row: Searched, text: string): boolean {
  return holdsAll(`${row.dataset_name} ${row.dataset_id} ${row.data_group}`, text);
}

/** `42 datasets: 40 current, 2 late`. */
export function statusSummary(rows: readonly Pick<Publication, 'status_code'>[]): string {
  const counts = STATUS_CODES.map((code) => ({
    code,
    count: rows.filter(({ status_code }) => status_code === code).length,
  })).filter(({ count }) => count > 0);
  const all = plural(rows.length, 'dataset');
  if (counts.length === 0) return all;
  return `${all}: ${counts.map(({ code, count }) => `${count} ${code}`).join(', ')}`;
}

const DATASETS_SHOWN = 10;

type Told = Pick<PublicationRecord, 'publication_id' | 'state' | 'datasets'>;

function standing({ datasets }: Told) {
  return datasets.filter((each) => each.version !== null && each.rolled_back_by === null);
}

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

export function rollbackSentences(record: Told): readonly string[] {
  const datasets = standing(record);
  const others = datasets.length - DATASETS_SHOWN;
  return [
    ...datasets.slice(0, DATASETS_SHOWN).map(rollbackSentence),
    ...(others > 0 ? [`And those of ${plural(others, 'more dataset')}.`] : []),
  ];
}

export function versionSentences(difference: PublicationDiff['datasets'][number]): string {
  const { dataset_id: id, partition_count: count, partitions } = difference;
  const changed = `${id}: ${plural(count, 'partition')} will go back to version ${difference.from_version}`;
  if (partitions.length < count) return `${changed}.`;
  const rowsOf = (side: 'before' | 'after') =>
    partitions.reduce((sum, each) => sum + (each[side]?.row_count ?? 0), 0);
  const [then, now] = [plural(rowsOf('before'), 'row'), countText(rowsOf('after'))];
  return `${changed}, with ${then} (${now} now).`;
}

function versionsText(versions: readonly number[]): string {
  const [first, last] = [Math.min(...versions), Math.max(...versions)];
  return first === last
    ? `version ${first}`
    : `${versions.length} versions from ${first} to ${last}`;
}

export function pruningSentences(
  props: Pick<Pruning, 'datasets' | 'byte_count'>,
): readonly string[] {
  const { datasets, byte_count: byteCount } = props;
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

const REASON_CHARACTERS_MAX = 1000;
const PARTITIONS_SHOWN = 10;

export type WithdrawalValues = Readonly<{
  dataset_id: string;
  from: string;
  to: string;
  /** With spaces or commas between. */
  identifiers: string;
  all: boolean;
  reason: string;
}>;

const identifiersOf = ({ identifiers }: WithdrawalValues) => listedTexts(identifiers);

export function reasonProblem(reason: string, isNeeded: boolean): string {
  if (isNeeded && reason.trim() === '') return 'Enter a reason';
  return [...reason].length > REASON_CHARACTERS_MAX ? 'Use at most 1,000 characters' : '';
}

export function withdrawalProblems(values: WithdrawalValues) {
  const { from, to, all } = values;
  const isNarrowed = from !== '' || to !== '' || identifiersOf(values).length > 0;
  return {
    dataset_id: values.dataset_id === '' ? 'Choose a dataset' : '',
    from: from === '' && to !== '' ? 'Enter the first day too' : '',
    to: from !== '' && to !== '' && to < from ? 'Must not be before the first day' : '',
    all: all === isNarrowed ? 'Enter days or identifiers, or choose all rows, not both' : '',
    reason: reasonProblem(values.reason, true),
  };
}

export function withdrawalBody(values: WithdrawalValues) {
  const { dataset_id, from, to, all, reason } = values;
  const identifiers = identifiersOf(values);
  return {
    dataset_id,
    ...(from === '' ? {} : { from, to: to === '' ? from : to }),
    ...(identifiers.length === 0 ? {} : { identifiers }),
    ...(all ? { all } : {}),
    reason: reason.trim(),
  };
}

type WithdrawalTold = Pick<Withdrawal, 'removed_row_count' | 'partitions'>;

export function withdrawalSentences(
  datasetId: string,
  { removed_row_count: rowCount, partitions }: WithdrawalTold,
): readonly string[] {
  if (partitions.length === 0) return ['No rows match, so nothing would be withdrawn.'];
  const shown = partitions.slice(0, PARTITIONS_SHOWN);
  const others = partitions.length - shown.length;
  const named = others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(', ');
  const rows = plural(rowCount, 'row');
  return [
    `${datasetId}: ${rows} will be removed from ${plural(partitions.length, 'partition')}.`,
    `These lose rows: ${named}.`,
  ];
}
