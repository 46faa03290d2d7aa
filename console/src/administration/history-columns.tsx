import { Link } from '@tanstack/react-router';
import type { PublicationSummary } from '@ticklake/client';
import { countText } from '../format/amounts';
import { sentenceCase } from '../format/words';
import { MomentText } from '../ui/moment-text';
import type { TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { ActorName } from './names';
import { PublicationState } from './publication-state';

/** More datasets than these are only counted. */
const NAMED_MAX = 3;

function datasetNames({ datasets }: PublicationSummary): string {
  const names = datasets.slice(0, NAMED_MAX).map((each) => each.dataset_id);
  const others = datasets.length - names.length;
  return others > 0 ? `${names.join(', ')} and ${others} more` : names.join(', ') || '–';
}

function rowChange({ datasets }: PublicationSummary): string {
  const change = datasets.reduce(
    (sum, each) => sum + each.row_count_after - each.row_count_before,
    0,
  );
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '−'}${countText(Math.abs(change))}`;
}

/** Columns of the history of publications. */
export const HISTORY_COLUMNS: readonly TableColumn<PublicationSummary>[] = [
  {
    header: 'Publication',
    isRowHeader: true,
    cell: ({ publication_id: id, kind }) => (
      <TwoLines
        first={
          <Link to="/publications/$publicationId" params={{ publicationId: String(id) }}>
            {`Publication ${id}`}
          </Link>
        }
        second={sentenceCase(kind)}
      />
    ),
  },
  { header: 'State', cell: (row) => <PublicationState of={row} /> },
  { header: 'Datasets', isWrapped: true, cell: datasetNames },
  { header: 'Rows', isNumeric: true, cell: rowChange },
  { header: 'Started', cell: ({ started_at: time }) => <MomentText time={time} isShort /> },
  { header: 'Who', cell: ({ actor }) => <ActorName actor={actor} /> },
  { header: 'Reason', isWrapped: true, cell: ({ reason, message }) => reason ?? message ?? '–' },
];
