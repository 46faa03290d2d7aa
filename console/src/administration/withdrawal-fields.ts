/** What is asked before rows are withdrawn, and what is told of them. */
import type { Withdrawal } from '@ticklake/client';
import { plural } from '../format/amounts';

const REASON_CHARACTERS_MAX = 1000;
/** Further partitions are counted. */
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

const identifiersOf = ({ identifiers }: WithdrawalValues) =>
  identifiers.split(/[\s,]+/).filter((each) => each !== '');

function reasonProblem(reason: string): string {
  if (reason.trim() === '') return 'Enter a reason';
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
    reason: reasonProblem(values.reason),
  };
}

/** As the service takes it: one day is a span of one. */
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

type Told = Pick<Withdrawal, 'removed_row_count' | 'partitions'>;

/** One sentence on all of it, and one for the partitions. */
export function withdrawalSentences(
  datasetId: string,
  { removed_row_count: rowCount, partitions }: Told,
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
