import { useInfiniteQuery } from '@tanstack/react-query';
import type { CountedRequest } from '@ticklake/client';
import { useState } from 'react';
import { bytesText, countText } from '../format/amounts';
import { Badge } from '../ui/badge';
import { ChoiceGroup } from '../ui/choice-group';
import { Loaded, MoreButton } from '../ui/loading';
import { MomentText } from '../ui/moment-text';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { statusText } from './status-text';
import type { UsageNames } from './usage-csv';
import { requestsQuery } from './usage-queries';

const FIRST_REFUSAL = 400;

function Outcome({ status, is_step }: CountedRequest) {
  if (is_step) return <Badge kind="quiet">still sending</Badge>;
  const kind = status < FIRST_REFUSAL ? 'good' : 'danger';
  return <Badge kind={kind}>{statusText(status)}</Badge>;
}

function datasetText(
  { dataset_id: id, dataset_version: version }: CountedRequest,
  datasetOf: UsageNames['datasetOf'],
): string {
  if (id === null) return 'No dataset';
  return version === null ? datasetOf(id) : `${datasetOf(id)}, version ${version}`;
}

function requestColumns({ datasetOf, keyOf }: UsageNames): readonly TableColumn<CountedRequest>[] {
  return [
    {
      header: 'Answered',
      isRowHeader: true,
      cell: ({ answered_at }) => <MomentText time={answered_at} />,
    },
    { header: 'Outcome', cell: (request) => <Outcome {...request} /> },
    {
      header: 'Dataset and request ID',
      isWrapped: true,
      cell: (request) => (
        <TwoLines first={datasetText(request, datasetOf)} second={request.request_id} />
      ),
    },
    {
      header: 'Key',
      isWrapped: true,
      cell: ({ key_id }) => (key_id === null ? 'Console' : keyOf(key_id)),
    },
    { header: 'Rows', isNumeric: true, cell: ({ row_count }) => countText(row_count) },
    { header: 'Scanned', isNumeric: true, cell: ({ data_scanned }) => bytesText(data_scanned) },
    { header: 'Returned', isNumeric: true, cell: ({ data_returned }) => bytesText(data_returned) },
    { header: 'Time', isNumeric: true, cell: ({ duration_ms }) => `${countText(duration_ms)} ms` },
  ];
}

const CHOICES = [
  { value: 'all', label: 'All' },
  { value: 'refused', label: 'Refused or failed' },
] as const;

const EMPTY = { all: 'No requests yet.', refused: 'Nothing was refused.' } as const;

/** The latest requests of the account, and what each cost. */
export function RequestTable({ names }: { names: UsageNames }) {
  const [shown, setShown] = useState<(typeof CHOICES)[number]['value']>('all');
  const requests = useInfiniteQuery(requestsQuery(shown === 'refused'));
  return (
    <Card title="Recent requests">
      <div>
        <ChoiceGroup label="Requests" value={shown} choices={CHOICES} onValueChange={setShown} />
      </div>
      <Loaded query={requests} what="recent requests">
        {({ pages }) => (
          <>
            <Table
              caption="Recent requests"
              columns={requestColumns(names)}
              rows={pages.flatMap(({ data }) => data)}
              rowKey={({ ledger_id }) => ledger_id}
              empty={requests.hasNextPage ? 'None among the latest requests.' : EMPTY[shown]}
              isDense
            />
            <MoreButton query={requests}>Show older requests</MoreButton>
          </>
        )}
      </Loaded>
    </Card>
  );
}
