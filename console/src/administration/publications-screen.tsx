import { useQuery } from '@tanstack/react-query';
import type { Publication, StatusCode } from '@ticklake/client';
import { useState } from 'react';
import { STATUS_CODES } from '../catalogue/status-codes';
import { sentenceCase } from '../format/words';
import { SearchField } from '../ui/field';
import { LinkButton } from '../ui/link-button';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Table } from '../ui/table';
import { Toolbar } from '../ui/toolbar';
import { PUBLICATION_COLUMNS } from './publication-columns';
import { matchingPublications, statusSummary } from './publication-search';
import { publicationsQuery } from './queries';

const REFRESH_MS = 3000;
const ALL = 'all';

function Publications({ rows }: { rows: readonly Publication[] }) {
  const [text, setText] = useState('');
  const [status, setStatus] = useState<StatusCode | typeof ALL>(ALL);
  const found = matchingPublications(rows, text, status === ALL ? null : status);
  return (
    <>
      <Toolbar label="Filter publications">
        <SearchField placeholder="Name, ID or group" value={text} onValueChange={setText} />
        <SelectField
          label="Status"
          name="status"
          value={status}
          options={[
            { value: ALL, label: 'All' },
            ...STATUS_CODES.map((code) => ({ value: code, label: sentenceCase(code) })),
          ]}
          onValueChange={setStatus}
        />
      </Toolbar>
      <p>{statusSummary(found)}</p>
      <Table
        caption="Publications"
        columns={PUBLICATION_COLUMNS}
        rows={found}
        rowKey={({ dataset_id }) => dataset_id}
        empty="No datasets match."
        isDense
      />
    </>
  );
}

export function PublicationsScreen() {
  const publications = useQuery({ ...publicationsQuery, refetchInterval: REFRESH_MS });
  return (
    <Page
      title="Publications"
      description="The publication status of every dataset. Updates live."
      actions={<LinkButton to="/publications/history">History</LinkButton>}
    >
      <Loaded query={publications} what="publications">
        {(rows) => <Publications rows={rows} />}
      </Loaded>
    </Page>
  );
}
