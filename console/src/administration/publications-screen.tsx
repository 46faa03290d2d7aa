import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StatusCode } from '../api/records';
import { StatusBadge } from '../catalogue/status-badge';
import { STATUS_CODES } from '../catalogue/status-codes';
import { bytesText, countText } from '../format/amounts';
import { Loaded } from '../ui/loading';
import { MomentText } from '../ui/moment-text';
import { Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Table, type TableColumn } from '../ui/table';
import { TextField } from '../ui/text-field';
import { Toolbar } from '../ui/toolbar';
import { matchingPublications, statusSummary } from './publication-search';
import { publicationsQuery } from './queries';
import type { Publication } from './records';

const REFRESH_MS = 3000;
const ALL = 'all';

function IngestText({ ingest }: Pick<Publication, 'ingest'>) {
  if (ingest === null) return 'none yet';
  const { state, message, started_at, finished_at } = ingest;
  return (
    <>
      {state}
      {message && `: ${message}`}
      <br />
      <MomentText time={finished_at ?? started_at} />
    </>
  );
}

const COLUMNS: readonly TableColumn<Publication>[] = [
  {
    key: 'dataset',
    header: 'Dataset',
    isRowHeader: true,
    isWrapped: true,
    cell: ({ dataset_name, dataset_id }) => (
      <>
        {dataset_name} <code>{dataset_id}</code>
      </>
    ),
  },
  { key: 'status', header: 'Status', cell: (row) => <StatusBadge code={row.status_code} /> },
  { key: 'last', header: 'Last update', cell: (row) => <MomentText time={row.last_update} /> },
  {
    key: 'next',
    header: 'Next update',
    cell: (row) => <MomentText time={row.next_expected_update} />,
  },
  { key: 'first-date', header: 'First trade date', cell: (row) => row.first_trade_date ?? '–' },
  { key: 'last-date', header: 'Last trade date', cell: (row) => row.last_trade_date ?? '–' },
  { key: 'version', header: 'Version', cell: (row) => countText(row.version), isNumeric: true },
  { key: 'rows', header: 'Rows', cell: (row) => countText(row.row_count), isNumeric: true },
  { key: 'bytes', header: 'Stored', cell: (row) => bytesText(row.stored_bytes), isNumeric: true },
  { key: 'files', header: 'Files', cell: (row) => countText(row.file_count), isNumeric: true },
  { key: 'ingest', header: 'Last ingest', cell: (row) => <IngestText ingest={row.ingest} /> },
];

function Publications({ rows }: { rows: readonly Publication[] }) {
  const [text, setText] = useState('');
  const [status, setStatus] = useState<StatusCode | typeof ALL>(ALL);
  const found = matchingPublications(rows, text, status === ALL ? null : status);
  return (
    <>
      <Toolbar label="Filter of the publications">
        <TextField
          label="Search"
          name="q"
          type="search"
          placeholder="Name, id or group"
          value={text}
          onValueChange={setText}
        />
        <SelectField
          label="Status"
          name="status"
          value={status}
          options={[
            { value: ALL, label: 'All' },
            ...STATUS_CODES.map((code) => ({ value: code, label: code })),
          ]}
          onValueChange={setStatus}
        />
      </Toolbar>
      <p>{statusSummary(found)}</p>
      <Table
        caption="Publications"
        columns={COLUMNS}
        rows={found}
        rowKey={({ dataset_id }) => dataset_id}
        empty="No dataset matches."
      />
    </>
  );
}

export function PublicationsScreen() {
  const publications = useQuery({ ...publicationsQuery, refetchInterval: REFRESH_MS });
  return (
    <Page
      title="Publications"
      description="How every dataset is published. Kept up to date by itself while it is seen."
    >
      <Loaded query={publications} what="publications">
        {(rows) => <Publications rows={rows} />}
      </Loaded>
    </Page>
  );
}
