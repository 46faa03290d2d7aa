import { Link } from '@tanstack/react-router';
import type { Publication } from '@ticklake/client';
import { StatusBadge } from '../catalogue/status-badge';
import {
  bytesText,
  countText,
  coverageText,
  isScheduled,
  plural,
  sentenceCase,
} from '../format/texts';
import { DatasetLink, LinkButton } from '../ui/links';
import { Page } from '../ui/page';
import { SearchedTable } from '../ui/searched-table';
import { datasetColumn, momentColumn, type TableColumn } from '../ui/table';
import { TwoLines } from '../ui/texts';
import styles from './publication-columns.module.css';
import { isPublicationFound, STATUS_CODES, statusSummary } from './publication-text';
import { publicationsQuery } from './queries';
import { VersionRollback } from './rollback';

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
  const text = coverageText(first, last);
  if (!isScheduled(last, Date.now())) return text;
  return <TwoLines first={text} second="scheduled" />;
}

export const PUBLICATION_COLUMNS: readonly TableColumn<Publication>[] = [
  datasetColumn((row) => <DatasetLink id={row.dataset_id}>{row.dataset_name}</DatasetLink>),
  { header: 'Status', by: 'status_code', cell: (row) => <Status row={row} /> },
  momentColumn('Last update', 'last_update'),
  momentColumn('Next update', 'next_expected_update'),
  {
    header: 'Trade dates',
    by: 'last_trade_date',
    cell: (row) => <TradeDates first={row.first_trade_date} last={row.last_trade_date} />,
  },
  {
    header: 'Rows',
    by: 'row_count',
    isNumeric: true,
    cell: ({ row_count, version, dataset_id: dataset }) => (
      <TwoLines
        first={countText(row_count)}
        second={
          <Link
            to="/publications/history"
            search={{ dataset }}
          >{`version ${countText(version)}`}</Link>
        }
      />
    ),
  },
  {
    header: 'Stored',
    by: 'stored_bytes',
    isNumeric: true,
    cell: (row) => (
      <TwoLines first={bytesText(row.stored_bytes)} second={plural(row.file_count, 'file')} />
    ),
  },
  {
    header: 'Undo',
    cell: ({ dataset_id: id, version }) => (
      <VersionRollback datasetId={id} version={version - 1} current={version} isRow />
    ),
  },
];

const STATUS_CHOICE = {
  label: 'Status',
  allLabel: 'All',
  names: STATUS_CODES.map(sentenceCase),
  nameOf: (row: Publication) => sentenceCase(row.status_code),
};

const REFRESH_MS = 3000;
export default function PublicationsScreen() {
  return (
    <Page
      title="Publications"
      description="The publication status of every dataset. Updates live."
      actions={<LinkButton to="/publications/history">History of publications</LinkButton>}
    >
      <SearchedTable
        caption="Publications"
        what={['dataset', 'datasets']}
        columns={PUBLICATION_COLUMNS}
        of={{ ...publicationsQuery, refetchInterval: REFRESH_MS }}
        rowKey={({ dataset_id }) => dataset_id}
        isDense
        isFound={isPublicationFound}
        placeholder="Name, ID or group"
        empty="There are no datasets."
        choice={STATUS_CHOICE}
        summary={statusSummary}
      />
    </Page>
  );
}
