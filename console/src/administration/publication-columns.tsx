import type { Publication } from '@ticklake/client';
import { StatusBadge } from '../catalogue/status-badge';
import { bytesText, countText, plural } from '../format/amounts';
import { isScheduled } from '../format/coverage';
import { MomentText } from '../ui/moment-text';
import type { TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import styles from './publication-columns.module.css';

/** A text about the last load; '' if it succeeded, which the status says already. */
function ingestText(ingest: Publication['ingest']): string {
  if (ingest === null) return 'No load yet';
  const { state, message } = ingest;
  if (state === 'published' || state === 'unchanged') return message ?? '';
  const words = state.replace('_', ' ');
  return message ? `Load ${words}: ${message}` : `Load ${words}`;
}

function Status({ row }: { row: Publication }) {
  const text = ingestText(row.ingest);
  const badge = <StatusBadge code={row.status_code} />;
  if (text === '') return badge;
  return <TwoLines first={badge} second={<span className={styles.ingest}>{text}</span>} />;
}

function TradeDates({ first, last }: { first: string | null; last: string | null }) {
  if (first === null) return '–';
  const since = `from ${first}`;
  return (
    <TwoLines
      first={last ?? '–'}
      second={isScheduled(last, Date.now()) ? `scheduled, ${since}` : since}
    />
  );
}

/** Columns of the table of publications. */
export const PUBLICATION_COLUMNS: readonly TableColumn<Publication>[] = [
  {
    header: 'Dataset',
    isRowHeader: true,
    isWrapped: true,
    cell: ({ dataset_name, dataset_id }) => <TwoLines first={dataset_name} second={dataset_id} />,
  },
  { header: 'Status', cell: (row) => <Status row={row} /> },
  { header: 'Last update', cell: (row) => <MomentText time={row.last_update} isShort /> },
  { header: 'Next update', cell: (row) => <MomentText time={row.next_expected_update} isShort /> },
  {
    header: 'Last trade date',
    cell: (row) => <TradeDates first={row.first_trade_date} last={row.last_trade_date} />,
  },
  {
    header: 'Rows',
    isNumeric: true,
    cell: (row) => (
      <TwoLines first={countText(row.row_count)} second={`version ${countText(row.version)}`} />
    ),
  },
  {
    header: 'Stored',
    isNumeric: true,
    cell: (row) => (
      <TwoLines first={bytesText(row.stored_bytes)} second={plural(row.file_count, 'file')} />
    ),
  },
];
